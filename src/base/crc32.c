// CRC-32 by four bits at a time; the table holds the remainders of x^28 k by the polynomial.
#include "base/crc32.h"

uint32_t fb_crc32(uint32_t before, const void* data, size_t size) {
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    const unsigned char* bytes = data;
    uint32_t crc = ~before;
    for (size_t i = 0; i < size; i++) {
        crc = table[(crc ^ bytes[i]) & 15U] ^ (crc >> 4);
        crc = table[(crc ^ (uint32_t)(bytes[i] >> 4)) & 15U] ^ (crc >> 4);
    }
    return ~crc;
}
