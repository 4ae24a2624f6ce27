// Counting, saving and loading what something remembers.
#include "base/memory.h"

#include <string.h>

void fb_memory_bytes(FbMemory* m, void* at, size_t size) {
    bool fits = m->data && size <= m->size - m->used && m->used <= m->size;
    if (m->data && !fits) {
        m->has_failed = true;
        return;
    }
    if (m->data && size > 0) {
        void* data = m->data + m->used;
        memcpy(m->is_loading ? at : data, m->is_loading ? data : at, size);
    }
    m->used += size;
}

void fb_memory_flag(FbMemory* m, bool* at, size_t size) {
    unsigned char value;
    memcpy(&value, at, sizeof value);
    fb_memory_bytes(m, &value, size);
    if (m->is_loading && value > 1) {
        m->has_failed = true;
        return;
    }
    *at = value != 0;
}

void fb_memory_check_flag(FbMemory* m, bool* at) {
    unsigned char value;
    memcpy(&value, at, sizeof value);
    if (value > 1) {
        m->has_failed = true;
        *at = false;
    }
}

void fb_memory_text(FbMemory* m, char* at, size_t size) {
    fb_memory_bytes(m, at, size);
    if (m->is_loading && !memchr(at, '\0', size)) {
        m->has_failed = true;
        at[0] = '\0';
    }
}

void fb_memory_index(FbMemory* m, int* at, int low, int high) {
    int value = *at;
    FB_REMEMBER(m, value);
    if (m->is_loading && !(value >= low && value <= high)) {
        m->has_failed = true;
        return;
    }
    *at = value;
}
