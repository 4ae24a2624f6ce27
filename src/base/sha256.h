// SHA-256: names the model file that a result came from, and the table that a document describes.
#ifndef FLYBALL_BASE_SHA256_H
#define FLYBALL_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

// Of data that come piece by piece; without pointers, so that it can be copied.
typedef struct FbSha256 {
    uint32_t state[8];
    unsigned char block[64];  // that is being filled
    uint64_t size;            // bytes so far
} FbSha256;

void fb_sha256_init(FbSha256* h);
void fb_sha256_add(FbSha256* h, const void* data, size_t size);
// The digest of what came so far; more may follow.
void fb_sha256_end(const FbSha256* h, char out[65]);

// Of a block of memory.
void fb_sha256_hex(const void* data, size_t size, char out[65]);

#endif
