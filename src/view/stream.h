// A JSON document that is written to a file piece by piece, so that its size does not matter.
//
// The output may be placed inside an HTML script element: <, >, & and the two line separators of
// Unicode are written as \u escapes, wherever they come from.
#ifndef FLYBALL_VIEW_STREAM_H
#define FLYBALL_VIEW_STREAM_H

#include "base/error.h"
#include "base/new_file.h"
#include "base/text.h"

typedef struct FbStream {
    FbNewFile out;
    FbText text;  // JSON that is not in the file yet
    FbJson json;
    int write_error;  // errno of the first failed write, 0: none
} FbStream;

// Opens a temporary file next to `path`; devices and pipes are opened themselves.
FbStatus fb_stream_open(FbStream* s, const char* path, FbError* err);
// Puts the file in its place, or removes it where `status` or writing failed. Returns what failed
// first.
FbStatus fb_stream_close(FbStream* s, FbStatus status, FbError* err);

// The same into memory; *text and *size are set when it is closed, and *text is freed with free().
FbStatus fb_stream_open_memory(FbStream* s, char** text, size_t* size, FbError* err);
FbStatus fb_stream_close_memory(FbStream* s, FbError* err);

// Raw bytes, before or after the JSON document.
void fb_stream_raw(FbStream* s, const char* bytes, size_t size);
// A JSON text that was written by such a stream, or a part of one.
void fb_stream_json_text(FbStream* s, const char* text, size_t size);
// Moves what the JSON writer has collected into the file; cheap while that is little.
void fb_stream_flush(FbStream* s);
void fb_stream_flush_all(FbStream* s);

// Numbers as base64 of little-endian values: {"f64": "..."}, {"f32": "..."} or, rounded to
// integers, {"i16": "..."}; get(self, i) returns them. key NULL: an element of an array.
typedef enum FbNumberKind { FB_NUMBER_F64, FB_NUMBER_F32, FB_NUMBER_I16 } FbNumberKind;
typedef double (*FbGetNumber)(const void* self, int i);
void fb_stream_array(FbStream* s, const char* key, int n, FbGetNumber get, const void* self,
                     FbNumberKind kind);

// Three numbers as a plain JSON array.
void fb_stream_vector(FbStream* s, const char* key, const double* v, int n);

#endif
