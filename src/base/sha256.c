// SHA-256 as in FIPS 180-4: sections 4.1.2 (functions), 4.2.2 (constants), 5 (padding), 6.2
// (compression).
#include "base/sha256.h"

#include <string.h>

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n) {
    return (x >> n) | (x << (32 - n));
}

static void expand(const unsigned char block[64], uint32_t w[64]) {
    for (int t = 0; t < 16; t++) {
        const unsigned char* p = block + 4 * t;
        w[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    }
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ (w[t - 15] >> 3);
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ (w[t - 2] >> 10);
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
}

static void compress(uint32_t state[8], const unsigned char block[64]) {
    uint32_t w[64], v[8];
    expand(block, w);
    memcpy(v, state, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t e = v[4], a = v[0];
        uint32_t choose = (e & v[5]) ^ (~e & v[6]);
        uint32_t major = (a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]);
        uint32_t sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        uint32_t sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        uint32_t t1 = v[7] + sum1 + choose + round_constants[t] + w[t];
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + sum0 + major;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += v[i];
    }
}

// The rest of the message, the bit 1, zeros and the length in bits.
static void finish(uint32_t state[8], const unsigned char* rest, size_t n, uint64_t n_bits) {
    unsigned char tail[128] = {0};
    size_t size = n < 56 ? 64 : 128;
    if (rest && n > 0) {
        memcpy(tail, rest, n);
    }
    tail[n] = 0x80;
    for (int i = 0; i < 8; i++) {
        tail[size - 1 - (size_t)i] = (unsigned char)(n_bits >> (8 * i));
    }
    for (size_t at = 0; at < size; at += 64) {
        compress(state, tail + at);
    }
}

void fb_sha256_init(FbSha256* h) {
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    *h = (FbSha256){.size = 0};
    memcpy(h->state, start, sizeof start);
}

void fb_sha256_add(FbSha256* h, const void* data, size_t size) {
    const unsigned char* bytes = data;
    while (size > 0) {
        size_t used = (size_t)(h->size % sizeof h->block);
        if (used == 0 && size >= sizeof h->block) {
            compress(h->state, bytes);
            used = sizeof h->block;
        } else {
            size_t room = sizeof h->block - used;
            room = room < size ? room : size;
            memcpy(h->block + used, bytes, room);
            if (used + room == sizeof h->block) {
                compress(h->state, h->block);
            }
            used = room;
        }
        h->size += used;
        bytes += used;
        size -= used;
    }
}

void fb_sha256_end(const FbSha256* h, char out[65]) {
    static const char digits[] = "0123456789abcdef";
    uint32_t state[8];
    memcpy(state, h->state, sizeof state);
    finish(state, h->block, (size_t)(h->size % sizeof h->block), h->size * 8);
    for (int i = 0; i < 64; i++) {
        out[i] = digits[state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    }
    out[64] = '\0';
}

void fb_sha256_hex(const void* data, size_t size, char out[65]) {
    FbSha256 h;
    fb_sha256_init(&h);
    fb_sha256_add(&h, data, size);
    fb_sha256_end(&h, out);
}
