// Type tables: finding in them, and what loops over the fields of a part: defaults and references.
#include "describe/types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const FbField* fb_field_find(const FbField* fields, int n_fields, const char* key) {
    for (int i = 0; i < n_fields; i++) {
        if (strcmp(fields[i].key, key) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

const FbTypeInfo* fb_type_find(const FbTypeInfo* const* list, const char* name) {
    for (int i = 0; list && name && list[i]; i++) {
        if (strcmp(list[i]->name, name) == 0) {
            return list[i];
        }
    }
    return NULL;
}

const FbField* fb_type_field(const FbTypeInfo* type, FbFieldKind kind) {
    for (int i = 0; i < type->n_fields; i++) {
        if (type->fields[i].kind == kind) {
            return &type->fields[i];
        }
    }
    return NULL;
}

// Which of "a|b|c" the text is.
static int find_choice(const char* choices, const char* text) {
    int index = 0;
    for (const char* at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL, index++) {
        size_t n = strcspn(at, "|");
        if (n == strlen(text) && strncmp(at, text, n) == 0) {
            return index;
        }
    }
    return 0;
}

static void fill_vector(const char* text, double out[3]) {
    char* at = (char*)text;
    for (int i = 0; i < 3; i++) {
        at = at ? at + strspn(at, "[, ") : NULL;
        out[i] = at ? strtod(at, &at) : NAN;
    }
}

static void fill_identity(double out[9]) {
    out[0] = out[4] = out[8] = 1.0;
}

static void fill_choice(const FbField* f, void* at) {
    int index = f->default_text ? find_choice(f->choices, f->default_text) : 0;
    if (f->is_text_choice) {
        *(const char**)at = f->default_text;
    } else if (f->is_int_choice) {
        *(int*)at = index;
    } else {
        *(bool*)at = index == 1;
    }
}

// Into a struct that is zero.
static void fill_field(const FbField* f, void* part) {
    void* at = (char*)part + f->offset;
    const char* text = f->default_text;
    switch (f->kind) {
        case FB_FIELD_REAL:
            *(double*)at = text ? strtod(text, NULL) : NAN;
            break;
        case FB_FIELD_INT:
            *(int*)at = text ? atoi(text) : 0;
            break;
        case FB_FIELD_BOOL:
            *(bool*)at = text && strcmp(text, "true") == 0;
            break;
        case FB_FIELD_TEXT:
        case FB_FIELD_EXPRESSION:
            *(const char**)at = text;
            break;
        case FB_FIELD_VEC3:
            fill_vector(text, at);
            break;
        case FB_FIELD_ROTATION:
            fill_identity(at);
            break;
        case FB_FIELD_FRAME:
            fill_identity(((FbFrameDef*)at)->rotation);
            break;
        case FB_FIELD_CHOICE:
            fill_choice(f, at);
            break;
        case FB_FIELD_COMPONENT:
            *(int*)at = -1;
            break;
        default:
            break;  // names, points, lists: nothing
    }
}

void fb_type_fill(const FbTypeInfo* type, void* out) {
    FbHead head = {.type = type->name, .size = type->size};
    memset(out, 0, type->size);
    memcpy(out, &head, sizeof head);
    for (int i = 0; i < type->n_fields; i++) {
        fill_field(&type->fields[i], out);
    }
}

void fb_type_visit_names(const FbTypeInfo* type, const void* part, FbVisitName visit, void* self) {
    for (int i = 0; type && i < type->n_fields; i++) {
        const FbField* f = &type->fields[i];
        const void* at = (const char*)part + f->offset;
        if (f->kind == FB_FIELD_BODY) {
            visit(self, f, *(const char* const*)at, NULL);
        } else if (f->kind == FB_FIELD_POINT) {
            visit(self, f, ((const FbPointDef*)at)->body, NULL);
        } else if (f->kind == FB_FIELD_FRAME) {
            visit(self, f, ((const FbFrameDef*)at)->origin.body, NULL);
        } else if (f->kind == FB_FIELD_JOINT) {
            visit(self, f, NULL, *(const char* const*)at);
        } else if (f->kind == FB_FIELD_COORDINATE) {
            visit(self, f, NULL, ((const FbCoordinateDef*)at)->joint);
        } else if (f->kind == FB_FIELD_TERMS) {
            const FbCouplingTerm* terms = *(const FbCouplingTerm* const*)at;
            int count = *(const int*)((const char*)part + f->offset2);
            for (int k = 0; terms && k < count; k++) {
                visit(self, f, NULL, terms[k].coordinate.joint);
            }
        }
    }
}
