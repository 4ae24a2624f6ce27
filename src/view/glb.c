// A binary glTF file: collects bytes and lists, and writes them as one file.
#include "view/glb.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/new_file.h"
#include "record/json_pair.h"

enum {
    FLOAT = 5126,
    UNSIGNED_SHORT = 5123,
    UNSIGNED_INT = 5125,
    ARRAY_BUFFER = 34962,
    ELEMENT_ARRAY_BUFFER = 34963
};

static FbGlbList* list_of(FbGlb* glb, int i) {
    FbGlbList* const lists[] = {&glb->views, &glb->accessors, &glb->materials, &glb->meshes,
                                &glb->nodes, &glb->skins,     &glb->samplers,  &glb->channels};
    return i < (int)(sizeof lists / sizeof lists[0]) ? lists[i] : NULL;
}

void fb_glb_init(FbGlb* glb) {
    *glb = (FbGlb){0};
    fb_text_init(&glb->bytes);
    FbGlbList* list;
    for (int i = 0; (list = list_of(glb, i)); i++) {
        fb_text_init(&list->text);
        fb_json_init(&list->json, &list->text, false);
        fb_json_begin_array(&list->json);
    }
}

void fb_glb_free(FbGlb* glb) {
    FbGlbList* list;
    fb_text_free(&glb->bytes);
    for (int i = 0; (list = list_of(glb, i)); i++) {
        fb_text_free(&list->text);
    }
}

int fb_glb_begin(FbGlbList* list) {
    fb_json_begin_object(&list->json);
    return list->n++;
}

static void add_byte(FbText* text, uint64_t byte) {
    char c = (char)(unsigned char)byte;
    fb_text_add_n(text, &c, 1);
}

static void add_little_endian(FbText* text, uint64_t value, int width) {
    for (int i = 0; i < width; i++) {
        add_byte(text, value >> (8 * i) & 0xff);
    }
}

// A view of the bytes from `from` on, to their end, which is then filled up to four.
static int add_view(FbGlb* glb, size_t from, int target) {
    FbJson* json = &glb->views.json;
    int index = fb_glb_begin(&glb->views);
    fb_json_pair_integer(json, "buffer", 0);
    fb_json_pair_integer(json, "byteOffset", (long long)from);
    fb_json_pair_integer(json, "byteLength", (long long)(glb->bytes.length - from));
    if (target) {
        fb_json_pair_integer(json, "target", target);
    }
    fb_json_end_object(json);
    while (!glb->bytes.has_failed && glb->bytes.length % 4 != 0) {
        add_byte(&glb->bytes, 0);
    }
    return index;
}

static int begin_accessor(FbGlb* glb, int view, int component, const char* type, int count) {
    FbJson* json = &glb->accessors.json;
    int index = fb_glb_begin(&glb->accessors);
    fb_json_pair_integer(json, "bufferView", view);
    fb_json_pair_integer(json, "componentType", component);
    fb_json_pair_integer(json, "count", count);
    fb_json_pair_text(json, "type", type);
    return index;
}

// The least and the largest of each component, as the numbers are stored.
static void write_range(FbJson* json, const float* values, int count, int width) {
    for (int side = 0; side < 2; side++) {
        fb_json_key(json, side == 0 ? "min" : "max");
        fb_json_begin_array(json);
        for (int c = 0; c < width; c++) {
            float bound = values[c];
            for (int i = 1; i < count; i++) {
                float v = values[i * width + c];
                bound = side == 0 ? fminf(bound, v) : fmaxf(bound, v);
            }
            fb_json_number(json, (double)bound);
        }
        fb_json_end_array(json);
    }
}

int fb_glb_add_floats(FbGlb* glb, const float* values, int count, int width, FbGlbUse use) {
    size_t from = glb->bytes.length;
    for (int i = 0; i < count * width; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        add_little_endian(&glb->bytes, bits, 4);
    }
    bool is_vertex = use == FB_GLB_POSITIONS || use == FB_GLB_VERTICES;
    int view = add_view(glb, from, is_vertex ? ARRAY_BUFFER : 0);
    const char* type = width == 1 ? "SCALAR" : width == 3 ? "VEC3" : width == 4 ? "VEC4" : "MAT4";
    int index = begin_accessor(glb, view, FLOAT, type, count);
    if (use == FB_GLB_POSITIONS || use == FB_GLB_TIMES) {
        write_range(&glb->accessors.json, values, count, width);
    }
    fb_json_end_object(&glb->accessors.json);
    return index;
}

int fb_glb_add_corners(FbGlb* glb, const uint32_t* corners, int n) {
    size_t from = glb->bytes.length;
    for (int i = 0; i < n; i++) {
        add_little_endian(&glb->bytes, corners[i], 4);
    }
    int view = add_view(glb, from, ELEMENT_ARRAY_BUFFER);
    int index = begin_accessor(glb, view, UNSIGNED_INT, "SCALAR", n);
    fb_json_end_object(&glb->accessors.json);
    return index;
}

int fb_glb_add_joints(FbGlb* glb, const uint16_t* joints, int n_vertices) {
    size_t from = glb->bytes.length;
    for (int i = 0; i < 4 * n_vertices; i++) {
        add_little_endian(&glb->bytes, joints[i], 2);
    }
    int view = add_view(glb, from, ARRAY_BUFFER);
    int index = begin_accessor(glb, view, UNSIGNED_SHORT, "VEC4", n_vertices);
    fb_json_end_object(&glb->accessors.json);
    return index;
}

// An array of the document; an empty one is not allowed, and is left out.
static void write_list(FbText* out, const char* key, FbGlbList* list) {
    if (list->n > 0) {
        fb_text_addf(out, ",\"%s\":", key);
        fb_text_add_n(out, list->text.data, list->text.length);
    }
}

static void write_head(FbJson* json, const char* title, const int* roots, int n_roots,
                       size_t n_bytes) {
    fb_json_key(json, "asset");
    fb_json_begin_object(json);
    fb_json_pair_text(json, "version", "2.0");
    char generator[64];
    snprintf(generator, sizeof generator, "Flyball %s", fb_version());
    fb_json_pair_text(json, "generator", generator);
    fb_json_end_object(json);
    fb_json_pair_integer(json, "scene", 0);
    fb_json_key(json, "scenes");
    fb_json_begin_array(json);
    fb_json_begin_object(json);
    fb_json_pair_text(json, "name", title);
    fb_json_key(json, "nodes");
    fb_json_begin_array(json);
    for (int i = 0; i < n_roots; i++) {
        fb_json_integer(json, roots[i]);
    }
    fb_json_end_array(json);
    fb_json_end_object(json);
    fb_json_end_array(json);
    fb_json_key(json, "buffers");
    fb_json_begin_array(json);
    fb_json_begin_object(json);
    fb_json_pair_integer(json, "byteLength", (long long)n_bytes);
    fb_json_end_object(json);
    fb_json_end_array(json);
}

static void write_document(FbGlb* glb, const char* title, const int* roots, int n_roots,
                           FbText* out) {
    FbJson json;
    FbGlbList* list;
    for (int i = 0; (list = list_of(glb, i)); i++) {
        fb_json_end_array(&list->json);
    }
    fb_json_init(&json, out, false);
    fb_json_begin_object(&json);
    write_head(&json, title, roots, n_roots, glb->bytes.length);
    write_list(out, "bufferViews", &glb->views);
    write_list(out, "accessors", &glb->accessors);
    write_list(out, "materials", &glb->materials);
    write_list(out, "meshes", &glb->meshes);
    write_list(out, "nodes", &glb->nodes);
    write_list(out, "skins", &glb->skins);
    if (glb->channels.n > 0) {
        fb_text_add(out, ",\"animations\":[{\"name\":\"motion\"");
        write_list(out, "samplers", &glb->samplers);
        write_list(out, "channels", &glb->channels);
        fb_text_add(out, "}]");
    }
    fb_json_end_object(&json);
    while (!out->has_failed && out->length % 4 != 0) {
        fb_text_add(out, " ");
    }
}

static bool has_failed(FbGlb* glb) {
    FbGlbList* list;
    bool failed = glb->bytes.has_failed;
    for (int i = 0; (list = list_of(glb, i)); i++) {
        failed = failed || list->text.has_failed;
    }
    return failed;
}

static void add_chunk_head(FbText* text, size_t size, const char kind[4]) {
    add_little_endian(text, size, 4);
    fb_text_add_n(text, kind, 4);
}

static bool write_chunks(FILE* file, const FbText* head, const FbText* document,
                         const FbText* middle, const FbText* bytes) {
    const FbText* const parts[] = {head, document, middle, bytes};
    for (int i = 0; i < 4; i++) {
        if (fwrite(parts[i]->data, 1, parts[i]->length, file) != parts[i]->length) {
            return false;
        }
    }
    return true;
}

FbStatus fb_glb_write(FbGlb* glb, const char* title, const int* roots, int n_roots,
                      const char* path, FbError* err) {
    FbText document, head, middle;
    fb_text_init(&document);
    fb_text_init(&head);
    fb_text_init(&middle);
    write_document(glb, title, roots, n_roots, &document);
    size_t total = 12 + 8 + document.length + 8 + glb->bytes.length;
    fb_text_add_n(&head, "glTF", 4);
    add_little_endian(&head, 2, 4);
    add_little_endian(&head, total, 4);
    add_chunk_head(&head, document.length, "JSON");
    add_chunk_head(&middle, glb->bytes.length, "BIN\0");
    FbStatus status = FB_OK;
    FbNewFile file = {0};
    if (has_failed(glb) || document.has_failed || head.has_failed || middle.has_failed) {
        status = fb_fail_memory(err);
    } else if (total > UINT32_MAX) {
        status = fb_fail(err, FB_ERR_RANGE, NULL,
                         "the motion takes %.3g bytes, and a GLB file holds 4.29e9; record fewer "
                         "samples",
                         (double)total);
    } else {
        status = fb_new_file_open(&file, path, err);
    }
    if (status == FB_OK) {
        bool is_written = write_chunks(file.file, &head, &document, &middle, &glb->bytes);
        status = fb_new_file_close(&file, FB_OK, is_written ? 0 : errno ? errno : EIO, err);
    }
    fb_text_free(&document);
    fb_text_free(&head);
    fb_text_free(&middle);
    return status;
}
