// SHA-256 of a block of memory: names the model file that a result came from.
#ifndef FLYBALL_BASE_SHA256_H
#define FLYBALL_BASE_SHA256_H

#include <stddef.h>

void fb_sha256_hex(const void* data, size_t size, char out[65]);

#endif
