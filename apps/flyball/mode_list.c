// Modes behind one interface: all of a linearization (dense), or the lowest of a large model
// (sparse).
#include "mode_list.h"

int mode_list_get_count(const ModeList* list) {
    return list->lowest != NULL ? fb_lowest_get_count(list->lowest)
                                : fb_linearization_get_mode_count(list->all);
}

const FbMode* mode_list_get(const ModeList* list, int k) {
    return list->lowest != NULL ? fb_lowest_get_mode(list->lowest, k)
                                : fb_linearization_get_mode(list->all, k);
}

FbStatus mode_list_calc_participation(const ModeList* list, int k, double* fractions) {
    return list->lowest != NULL ? fb_lowest_calc_participation(list->lowest, k, fractions)
                                : fb_linearization_calc_participation(list->all, k, fractions);
}

FbStatus mode_list_calc_shape(const ModeList* list, int k, int body, const double at[3],
                              double re[3], double im[3]) {
    return list->lowest != NULL ? fb_lowest_calc_shape(list->lowest, k, body, at, re, im)
                                : fb_linearization_calc_shape(list->all, k, body, at, re, im);
}

void mode_list_free(ModeList* list) {
    fb_linearization_destroy(list->all);
    fb_lowest_destroy(list->lowest);
}
