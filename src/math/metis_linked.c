// METIS as a library that the program is linked with.
#include "math/metis_table.h"

static const FbMetis table = {METIS_NodeND, METIS_SetDefaultOptions};

const FbMetis* fb_metis_get(void) {
    return &table;
}
