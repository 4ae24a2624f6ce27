// A key and its value in one call, for documents that are mostly flat.
#ifndef FLYBALL_RECORD_JSON_PAIR_H
#define FLYBALL_RECORD_JSON_PAIR_H

#include "base/text.h"

static inline void fb_json_pair_text(FbJson* json, const char* key, const char* value) {
    fb_json_key(json, key);
    fb_json_string(json, value);
}

static inline void fb_json_pair_number(FbJson* json, const char* key, double value) {
    fb_json_key(json, key);
    fb_json_number(json, value);
}

static inline void fb_json_pair_integer(FbJson* json, const char* key, long long value) {
    fb_json_key(json, key);
    fb_json_integer(json, value);
}

static inline void fb_json_pair_bool(FbJson* json, const char* key, bool value) {
    fb_json_key(json, key);
    fb_json_bool(json, value);
}

#endif
