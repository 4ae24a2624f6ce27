// CRC-32 (ISO 3309, as in zip files): shows whether a block of a file is as it was written.
#ifndef FLYBALL_BASE_CRC32_H
#define FLYBALL_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

// Of data that come piece by piece: begin with 0, then pass what the call before returned.
uint32_t fb_crc32(uint32_t before, const void* data, size_t size);

#endif
