// The tree of a model file: scalars, lists and maps, each with the place where it was written.
// Immutable once built.
#ifndef FLYBALL_READ_YAML_H
#define FLYBALL_READ_YAML_H

#include "base/arena.h"
#include "base/quantity.h"
#include "flyball/status.h"

typedef enum FbNodeKind { FB_NODE_SCALAR, FB_NODE_LIST, FB_NODE_MAP } FbNodeKind;

typedef struct FbNode FbNode;

typedef struct FbEntry {
    const char* key;
    int line, col;  // of the key
    const FbNode* value;
    bool is_repeated;  // the key occurs earlier; reported
} FbEntry;

struct FbNode {
    FbNodeKind kind;
    int line, col;           // of the first character (inside the quotes of a quoted scalar)
    const char* text;        // scalar
    bool is_quoted;          // scalar: "..." is text even if it looks like null or true
    bool is_null;            // scalar: null, ~ or empty
    const FbNumber* number;  // scalar: what "10 mm" is; NULL: it is something else
    FbEntry* entries;        // map, in file order
    const FbNode** items;    // list
    int count;               // entries or items
    long weight;             // nodes in it when all aliases are written out
};

// Limits that keep hostile files from using up stack or memory; far beyond any real model.
enum { FB_NODE_MAX_DEPTH = 64, FB_NODE_MAX_WEIGHT = 4000000 };

// Parses one YAML or JSON document; the tree lives in `arena`. All errors (with places) go to
// `diagnostics`; NULL if the text has no usable document. Duplicate keys are reported, the first
// one counts.
const FbNode* fb_yaml_parse(const char* text, size_t size, const char* file, FbArena* arena,
                            FbDiagnostics* diagnostics);

// The value of a key, or NULL (also if `map` is not a map).
const FbNode* fb_node_get(const FbNode* map, const char* key);

#endif
