// What the parts of the file reader share: the reader, the environment of a value, and reading one
// value.
#ifndef FLYBALL_READ_READER_H
#define FLYBALL_READ_READER_H

#include "base/error.h"
#include "base/quantity.h"
#include "describe/def.h"
#include "describe/types.h"
#include "math/vec3.h"
#include "read/yaml.h"

// A loop variable or template parameter; the innermost comes first.
typedef struct FbLocal {
    const char* name;
    FbNumber number;
    const struct FbLocal* next;
} FbLocal;

// Where a part is being read: inside which instance, moved to where, with which local names.
typedef struct FbEnv {
    const FbLocal* locals;
    const char* scope;  // NULL or "instance."
    FbMat3 R;           // pose of the instance in the ground frame
    FbVec3 p;
    int depth;  // of templates within templates
} FbEnv;

typedef struct FbReader {
    const char* file;
    const FbTypeSet* types;
    FbModelDef* def;
    FbArena* arena;  // of the tree and of texts until they are copied into def
    FbDiagnostics* diagnostics;
    const FbNode* parameters;      // the map, or NULL
    const FbReadOptions* options;  // NULL: none
    const FbNode* templates;       // the map, or NULL
    bool* is_template_used;        // [templates->count]
    FbEnv env;
    struct FbKept* kept;  // structures of earlier descriptions (kept.h); NULL: there are none
    // Which parameters were read: `reads` is one of the others, or NULL where it does not matter.
    bool *reads, *own_reads;  // [def->n_parameters] of the structure that is being read
    bool* shared_reads;       // of all that structures may depend on: materials, templates, ...
    // Structures are meshed when everything has been read, because sections may follow later in the
    // file.
    FbStructureDef* structures;
    int n_structures, structures_capacity;
    const char* unknown;  // the last name that could not be resolved
    long n_expanded;      // iterations of all `repeat` so far
    long n_parts;         // parts of all sections so far
    double*
        template_size;  // [templates->count] parts of one instance, at least; < 0: not counted yet
    bool* is_template_endless;  // [templates->count] contains itself, as was found out
    bool has_run_away;          // more than any model has: no more is read
    bool is_out_of_memory;
} FbReader;

// Reports an error at a place of the file. Inside repeats and instances the same message is
// reported once.
void fb_report(FbReader* r, FbStatus status, int line, int col, const char* format, ...)
    __attribute__((format(printf, 5, 6)));

// "; did you mean 'x'?" or "" in `out`.
const char* fb_suggest(const char* word, const char* const* names, int n_names, char out[128]);

// What an unknown key of a map may have been meant as: a similar one that the map does not have
// yet, or else "; it can have: a, b, ...".
enum { FB_KEY_HINT = 384 };
const char* fb_suggest_key(const FbNode* map, const char* key, const char* const* names,
                           int n_names, char out[FB_KEY_HINT]);

// "a number", "a list", "nothing (null)": what a node is, for messages.
const char* fb_node_describe(const FbNode* node);

// The text of a scalar with every {expression} replaced by its integer; NULL (reported) if that
// fails.
const char* fb_expand_text(FbReader* r, const char* text, int line, int col);

// Evaluates an expression of numbers, units and parameters; `unit` is the field's (NULL or "":
// any). Reports; false if it failed.
bool fb_read_quantity_text(FbReader* r, const char* text, int line, int col, const char* unit,
                           FbNumber* out);
bool fb_read_quantity(FbReader* r, const FbNode* node, const char* what, const char* unit,
                      FbNumber* out);
// Is there a unit that the field's values must have? If not, it depends on what they are used for:
// what they are written as is kept for later checks (fb_def_find_quantity).
bool fb_unit_is_fixed(const char* unit);
bool fb_read_number(FbReader* r, const FbNode* node, const char* what, const char* unit,
                    double* out);
bool fb_read_text(FbReader* r, const FbNode* node, const char* what, const char** out);

// A list of exactly n numbers.
bool fb_read_numbers(FbReader* r, const FbNode* node, const char* what, const char* unit, int n,
                     double* out);
bool fb_read_rotation(FbReader* r, const FbNode* node, double out[9]);

// An expression that is compiled later: checked for its syntax, with local names replaced by
// numbers.
bool fb_read_expression(FbReader* r, const FbNode* node, const char* what, const char* unit,
                        const char** out);

// Reads one field into the struct at `base`.
bool fb_read_field(FbReader* r, const FbField* field, const FbNode* node, void* base);

// Reads the entries of a map by a table; keys in `others` (ended by NULL) are left to the caller.
// Fills `origin` with the places of all entries. `what` names the part in messages ("a spring").
// False if something was wrong.
typedef struct FbTable {
    const char* what;
    const FbField* fields;
    int n_fields;
    const char* const* others;
} FbTable;
bool fb_read_table(FbReader* r, const FbNode* map, const FbTable* table, void* base,
                   FbOrigin* origin);
bool fb_fill_origin(FbReader* r, const FbNode* map, int line, int col, FbOrigin* origin);

// The type named by the map's `type` key, or NULL (reported). `kind`: "joint", "force", ...
const FbTypeInfo* fb_read_type(FbReader* r, const FbNode* map, const FbTypeInfo* const* types,
                               const char* kind);

// Reads one part of each kind and adds it to the model; `name` is complete ("w1.rod").
typedef void (*FbReadPart)(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_body(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_joint(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_constraint(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_force(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_law(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_output(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_sensor(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_input(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_state(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_event(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_initial(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_material(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_section(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_structure(FbReader* r, const FbEntry* entry, const char* name);
void fb_read_mesh_structure(FbReader* r, const FbEntry* entry, const char* name);
// File names are relative to the model unless the path is absolute.
const char* fb_read_beside_model(FbReader* r, const char* path);
// Is the value of a key a map? Reports what it is otherwise, unless it is absent.
// part_damping.c: what `damping` of a structure is read into; a missing map leaves it as it is.
typedef struct FbRatios {
    double *alpha, *beta;  // 1/s and s
    double* ratio;         // of every mode
} FbRatios;
void fb_read_damping(FbReader* r, const FbNode* map, FbRatios out);
bool fb_read_check_is_map(FbReader* r, const FbNode* node, const char* key, const char* example);
// From here on own_reads are those of one structure.
void fb_read_begin_structure(FbReader* r);
// The parts of a structure with errors are absent and not reported as missing.
void fb_read_keep_name(FbReader* r, const char* name);
// Reports why a structure cannot be added, perhaps with the place in a file of its own.
void fb_read_reject_structure(FbReader* r, const char* name, const FbError* err);
void fb_read_matrix_structure(FbReader* r, const FbEntry* entry,
                              const char* name);  // with key `matrices`
void fb_read_slider(FbReader* r, const FbEntry* entry, const char* name);

// The last part of a name written as a key, with {i} expanded; NULL (reported) if it is not one.
const char* fb_read_key(FbReader* r, const FbEntry* entry);

// Meshes the structures that were read. The parts of a structure with errors are missing;
// fb_is_excused() says whether a name is one of those, so that it is not reported as well.
void fb_mesh_structures(FbReader* r);
bool fb_is_excused(const FbReader* r, const char* scope, const char* name);

// Reads the sections of the file, of a `repeat` or of a template. Keys in `others` (ended by NULL)
// are left to the caller; `what` for messages.
void fb_read_sections(FbReader* r, const FbNode* map, const char* what, const char* const* others);

// Reads the section `parameters` (NULL: there is none); overrides that it does not have are
// reported.
void fb_read_parameters(FbReader* r, const FbNode* map, const FbReadOptions* options);
// What `--set` gives a parameter or an input (`what`): the text, or NULL; its value, checked
// against that of the file; and, when all parts are known, the names that nothing has.
const char* fb_find_override(const FbReadOptions* options, const char* name);
void fb_read_override(FbReader* r, const char* what, const char* name, const char* text,
                      FbNumber* number);
void fb_check_overrides(FbReader* r, const FbReadOptions* options);
bool fb_check_parameter_name(FbReader* r, const char* name, int line, int col);

// Reads the map of each repeat in the list once for each value of its counter; fb_repeat_keys
// (ended by NULL) are not for `read`.
typedef void (*FbReadContents)(FbReader* r, const FbNode* map, void* context);
extern const char* const fb_repeat_keys[];
void fb_read_repeat(FbReader* r, const FbNode* list, FbReadContents read, void* context);
void fb_read_instance(FbReader* r, const FbEntry* entry, const char* name);
// Is there room for n times the parts of these sections? Reports at the place and stops all reading
// if not.
bool fb_check_room(FbReader* r, double n, const FbNode* sections, int line, int col);
// Templates that no instance uses are read once for their errors, and a warning says so.
void fb_check_unused_templates(FbReader* r);

// Points and directions of the drawing, moved with the instance.
void fb_move_point(const FbReader* r, double point[3]);
void fb_move_direction(const FbReader* r, double direction[3]);
void fb_move_rotation(const FbReader* r, double rotation[9]);

// After all parts are known: every name of another part is looked up, replaced by its full name, or
// reported.
void fb_check_references(FbReader* r);

#endif
