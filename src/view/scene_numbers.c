// Numbers of a motion document: plain ones, and arrays as base64 of little-endian values.
#include "view/scene_numbers.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

double fb_scene_number(const FbNode* node) {
    double value;
    bool is_number = node && node->kind == FB_NODE_SCALAR && !node->is_quoted &&
                     fb_parse_double(node->text, strlen(node->text), &value);
    return is_number ? value : NAN;
}

int fb_scene_integer(const FbNode* node, int absent) {
    double value = fb_scene_number(node);
    return value >= INT_MIN && value <= INT_MAX && value == floor(value) ? (int)value : absent;
}

int fb_scene_count(const FbNode* node) {
    return node && node->kind == FB_NODE_LIST ? node->count : 0;
}

FbVec3 fb_scene_vector(const FbNode* node) {
    double v[3] = {0.0, 0.0, 0.0};
    for (int i = 0; fb_scene_count(node) == 3 && i < 3; i++) {
        double value = fb_scene_number(node->items[i]);
        v[i] = isfinite(value) ? value : 0.0;
    }
    return fb_vec3_from(v);
}

const char* fb_scene_text(const FbNode* node) {
    return node && node->kind == FB_NODE_SCALAR && !(node->is_null && !node->is_quoted) ? node->text
                                                                                        : "";
}

static int digit_of(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char* at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

// The bytes of a base64 text; returns how many, -1: it is not one.
static long decode(const char* text, unsigned char* out) {
    long n = 0;
    uint32_t bits = 0;
    int n_bits = 0;
    for (; *text && *text != '='; text++) {
        int digit = digit_of(*text);
        if (digit < 0) {
            return -1;
        }
        bits = bits << 6 | (uint32_t)digit;
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            out[n++] = (unsigned char)(bits >> n_bits);
        }
    }
    return n;
}

static double value_of(const unsigned char* bytes, size_t width) {
    uint64_t bits = 0;
    for (size_t i = 0; i < width; i++) {
        bits |= (uint64_t)bytes[i] << (8 * i);
    }
    if (width == 2) {
        return (double)(int16_t)(uint16_t)bits;
    }
    if (width == 4) {
        uint32_t narrow = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double* plain_array(const FbNode* node, FbArena* arena, int* n) {
    *n = fb_scene_count(node);
    double* out = FB_TAKE(arena, double, *n + 1);
    for (int i = 0; out && i < *n; i++) {
        out[i] = fb_scene_number(node->items[i]);
    }
    return out;
}

double* fb_scene_array(const FbNode* node, FbArena* arena, int* n) {
    static const struct {
        const char* key;
        size_t width;
    } kinds[] = {{"f64", 8}, {"f32", 4}, {"i16", 2}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const FbNode* text = fb_node_get(node, kinds[k].key);
        if (!text || text->kind != FB_NODE_SCALAR) {
            continue;
        }
        size_t width = kinds[k].width, room = strlen(text->text) / 4 * 3 + 3;
        unsigned char* bytes = fb_arena_take(arena, room);
        long size = bytes ? decode(text->text, bytes) : -1;
        if (size < 0 || (size_t)size % width != 0 || (size_t)size / width >= INT_MAX) {
            *n = -1;
            return NULL;
        }
        *n = (int)((size_t)size / width);
        double* out = FB_TAKE(arena, double, *n + 1);
        for (int i = 0; out && i < *n; i++) {
            out[i] = value_of(bytes + (size_t)i * width, width);
        }
        return out;
    }
    return plain_array(node, arena, n);
}
