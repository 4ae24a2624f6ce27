// The type set of this build, and the public functions that are bound to it.
#include "compile/type_set.h"

#include <stdlib.h>

#include "compile/compile.h"
#include "describe/shape.h"
#include "force/force.h"
#include "law/law.h"
#include "read/read.h"
#include "schema/schema.h"
#include "tree/joint.h"

// Every type table begins with its FbTypeInfo, so a list of tables is a list of infos.
#define INFOS(list) ((const FbTypeInfo* const*)(const void*)(list))

const FbTypeSet* fb_types(void) {
    static const FbTypeSet set = {
        .joints = INFOS(fb_joint_types),
        .constraints = INFOS(fb_constraint_types),
        .forces = INFOS(fb_force_types),
        .laws = INFOS(fb_law_types),
        .sensors = INFOS(fb_sensor_types),
        .shapes = fb_shape_types,
    };
    return &set;
}

FbStatus fb_model_def_create(const char* name, FbModelDef** out, FbError* err) {
    return fb_def_create(name, fb_types(), out, err);
}

FbStatus fb_model_def_read_text(const char* text, size_t size, const char* file_name,
                                const FbReadOptions* options, FbModelDef** out,
                                FbDiagnostics* diagnostics) {
    return fb_read_model(text, size, file_name, options, fb_types(), out, diagnostics);
}

FbStatus fb_model_def_read_file(const char* path, const FbReadOptions* options, FbModelDef** out,
                                FbDiagnostics* diagnostics) {
    char* text = NULL;
    size_t size = 0;
    *out = NULL;
    FB_TRY(fb_read_file_or_diagnose(path, &text, &size, diagnostics));
    FbStatus status = fb_model_def_read_text(text, size, path, options, out, diagnostics);
    free(text);
    return status;
}

FbStatus fb_schema_json(char** out, FbError* err) {
    return fb_schema_json_for(fb_types(), out, err);
}

FbStatus fb_schema_markdown(char** out, FbError* err) {
    return fb_schema_markdown_for(fb_types(), out, err);
}

void fb_free(void* memory) {
    free(memory);
}
