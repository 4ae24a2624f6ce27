// Nested dissection by METIS (G. Karypis and V. Kumar, A fast and high quality multilevel scheme
// for partitioning irregular graphs, SIAM Journal on Scientific Computing 20 (1998) 359-392).
#include <stdlib.h>

#include "math/metis_table.h"
#include "math/quotient.h"

_Static_assert(sizeof(idx_t) == sizeof(int), "METIS was built with 64-bit indices");

bool fb_dissect(const FbQuotient* q, int* order, int* place) {
    const FbMetis* metis = fb_metis_get();
    int n = q->graph.n_col;
    int* weights = metis && n > 0 ? malloc(sizeof(int) * (size_t)n) : NULL;
    if (!weights) {
        return false;
    }
    for (int v = 0; v < n; v++) {
        weights[v] = q->first[v + 1] - q->first[v];
    }
    idx_t options[METIS_NOPTIONS];
    metis->set_defaults(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_COMPRESS] = 0;  // done
    int status = metis->order(&n, q->graph.start, q->graph.row, weights, options, order, place);
    free(weights);
    return status == METIS_OK;
}
