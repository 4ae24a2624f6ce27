// Formats that models are read from: the first one that recognizes a text reads it.
#include <string.h>

#include "base/error.h"
#include "read/read.h"

typedef struct Format {
    const char* name;
    const char* opening;  // how its text begins, after blanks; NULL: any other
    FbReadFormat* read;   // NULL: known, but not read
} Format;

static const Format formats[] = {
    {"an XML file", "<?xml", NULL},
    {"a URDF file", "<robot", NULL},
    {"an MJCF file", "<mujoco", NULL},
    {"an SDF file", "<sdf", NULL},
    {"a Gmsh mesh", "$MeshFormat", NULL},
    {"an Abaqus or CalculiX input file", "*NODE", NULL},
    {"an Abaqus or CalculiX input file", "*HEADING", NULL},
    {"a Flyball model in YAML or JSON", NULL, fb_read_yaml},
};

static const Format* find_format(const char* text, size_t size) {
    size_t at = 0;
    while (at < size && strchr(" \t\r\n", text[at]) && text[at]) {
        at++;
    }
    const Format* format = formats;
    while (format->opening && (strlen(format->opening) > size - at ||
                               memcmp(format->opening, text + at, strlen(format->opening)) != 0)) {
        format++;
    }
    return format;
}

FbStatus fb_read_model(const char* text, size_t size, const char* file,
                       const FbReadOptions* options, const FbTypeSet* types, FbModelDef** out,
                       FbDiagnostics* diagnostics) {
    *out = NULL;
    FB_TRY(fb_check_format(text, size, file, diagnostics));
    return find_format(text, size)->read(text, size, file, options, types, out, diagnostics);
}

FbStatus fb_check_format(const char* text, size_t size, const char* file,
                         FbDiagnostics* diagnostics) {
    const Format* format = find_format(text, size);
    if (format->read) {
        return FB_OK;
    }
    FbPlace place = {file, 1, 1};
    fb_diagnose(diagnostics, FB_SEVERE, FB_ERR_SYNTAX, &place,
                "this is %s, which cannot be read as a model; a model file is YAML and begins with "
                "'flyball: 1'",
                format->name);
    return FB_ERR_SYNTAX;
}
