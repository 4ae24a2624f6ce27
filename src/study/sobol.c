// Sobol' points in the order of the Gray code: x = v_1 g_1 xor v_2 g_2 xor ..., where g_k are the
// bits of index xor (index >> 1) (Antonov and Saleev 1979), and
//   m_k = 2 a_1 m_(k-1) xor ... xor 2^(s-1) a_(s-1) m_(k-s+1) xor 2^s m_(k-s) xor m_(k-s),
//   v_k = m_k / 2^k                                                                    (eq. 11.13)
// with the primitive polynomial x^s + a_1 x^(s-1) + ... + a_(s-1) x + 1 over {0, 1}.
#include "study/sobol.h"

#include <stddef.h>

typedef struct Dimension {
    uint8_t degree;      // s
    uint8_t a;           // a_1 ... a_(s-1) as bits, a_1 first
    uint8_t initial[7];  // m_1 ... m_s
} Dimension;

// Dimensions 2 to 37. S. Joe and F. Y. Kuo, Constructing Sobol sequences with better
// two-dimensional projections, SIAM J. Sci. Comput. 30 (2008) 2635-2654; their table
// new-joe-kuo-6.21201. The first dimension is van der Corput's sequence, m_k = 1.
static const Dimension dimensions[FB_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
};

// v_1 ... v_n, times 2^32.
static void fill_directions(int dimension, int n, uint32_t v[FB_SOBOL_BITS]) {
    const Dimension* d = dimension > 0 ? &dimensions[dimension - 1] : NULL;
    int s = d ? d->degree : n;
    for (int k = 0; k < n; k++) {
        if (k < s) {
            v[k] = (uint32_t)(d ? d->initial[k] : 1) << (FB_SOBOL_BITS - 1 - k);
            continue;
        }
        v[k] = v[k - s] ^ (v[k - s] >> s);
        for (int i = 1; d && i < s; i++) {
            v[k] ^= ((unsigned)d->a >> (s - 1 - i)) & 1U ? v[k - i] : 0;
        }
    }
}

uint32_t fb_sobol_point(int dimension, uint32_t index) {
    uint32_t v[FB_SOBOL_BITS] = {0}, gray = index ^ (index >> 1), x = 0;
    int n = 0;
    while (n < FB_SOBOL_BITS && (gray >> n) != 0) {
        n++;
    }
    fill_directions(dimension, n, v);
    for (int k = 0; k < n; k++) {
        x ^= (gray >> k) & 1U ? v[k] : 0;
    }
    return x;
}
