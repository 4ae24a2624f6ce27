// `flyball check`: reads, compiles and assembles a model, and reports what it found.
#include <string.h>

#include "check_driven.h"
#include "load.h"
#include "record/json_pair.h"
#include "terminal.h"

// The results of `check`, gathered once for both forms of output.
typedef struct Findings {
    const LoadedModel* loaded;
    const FbSimulation* simulation;
    FbModelInfo info;
    FbAssembly assembly;
} Findings;

static void print_loops(const Findings* f) {
    printf("loops               %d", f->info.n_loops);
    for (int i = 0; i < f->info.n_loops; i++) {
        printf("%s%s", i == 0 ? " (closed by " : ", ",
               fb_model_get_loop_joint(f->loaded->model, i));
    }
    printf("%s\n", f->info.n_loops > 0 ? ")" : "");
}

static void print_ambiguous(const Findings* f) {
    const FbModel* model = f->loaded->model;
    const char* separator = "";
    printf("  Recorded outputs that are not unique: ");
    for (int i = 0; i < fb_model_get_output_count(model); i++) {
        if (!fb_simulation_is_unique(f->simulation, i)) {
            printf("%s%s", separator, fb_model_get_output_name(model, i));
            separator = ", ";
        }
    }
    printf("\n");
}

static void print_redundancies(const Findings* f) {
    printf("redundant           %d of %d constraint rows\n", f->assembly.n_redundant_rows,
           f->info.n_constraint_rows);
    for (int i = 0; i < f->assembly.n_redundancies; i++) {
        FbRedundancy r;
        fb_simulation_get_redundancy(f->simulation, i, &r);
        if (r.place.line > 0) {
            char path[1024];
            fb_escape(r.place.file != NULL ? r.place.file : f->loaded->path, path, sizeof path);
            printf("  %s:%d:%d: ", path, r.place.line, r.place.col);
        } else {
            printf("  ");
        }
        printf("%s: %s\n", r.part, r.rows != NULL ? r.rows : "");
    }
    if (f->assembly.n_redundancies > 0) {
        printf("  The motion is not affected; some components of reactions are not unique.\n");
    }
    if (f->assembly.n_ambiguous > 0) {
        print_ambiguous(f);
    }
}

static void print_structures(const Findings* f) {
    FbStructureInfo s;
    for (int i = 0; fb_model_get_structure(f->loaded->model, i, &s); i++) {
        printf("structure           %s: %s; members %d, elements %d, nodes %d, mass %.6g kg\n",
               s.name, s.is_nonlinear ? "nonlinear" : "linear", s.n_members, s.n_elements,
               s.n_nodes, s.mass);
    }
}

static void print_meshes(const Findings* f) {
    FbMeshInfo s;
    for (int i = 0; fb_model_get_mesh(f->loaded->model, i, &s); i++) {
        printf(
            "mesh                %s: elements %d, nodes %d, coordinates %d, mass %.6g kg, size "
            "%.6g x %.6g x %.6g m\n",
            s.name, s.n_elements, s.n_nodes, s.n_coordinates, s.mass, s.size[0], s.size[1],
            s.size[2]);
        if (s.n_load_factors >= 0) {
            printf("buckling            %s: %s", s.name,
                   s.n_load_factors == 0 ? "at no multiple of these loads" : "at");
            for (int k = 0; k < s.n_load_factors; k++) {
                printf("%s %.6g", k > 0 ? "," : "", s.load_factors[k]);
            }
            printf("%s\n", s.n_load_factors > 0 ? " times these loads" : "");
        }
    }
}

static void print_sliders(const Findings* f) {
    FbSliderInfo s;
    for (int i = 0; fb_model_get_slider(f->loaded->model, i, &s); i++) {
        char through[32] = "";
        if (s.n_through > 0) {
            snprintf(through, sizeof through, " through %d nodes", s.n_through);
        }
        printf("slider              %s: %.6g kg on %s %s of %.6g m%s; theory %s, driven by %s\n",
               s.name, s.mass, s.n_pieces > 0 ? "the guide" : "a curve in", s.guide, s.length,
               through, s.theory, strcmp(s.drive, "free") == 0 ? "nothing (free)" : s.drive);
    }
}

static void print_findings(const Findings* f) {
    printf("model               %s\n", f->info.name);
    printf("bodies              %d\n", f->info.n_bodies);
    printf("joints              %d\n", f->info.n_joints);
    printf("constraints         %d\n", f->info.n_constraints);
    printf("forces              %d\n", f->info.n_forces);
    print_structures(f);
    print_meshes(f);
    print_sliders(f);
    print_driven(f->loaded->model);
    printf("outputs             %d\n", fb_model_get_output_count(f->loaded->model));
    printf("coordinates         %d\n", f->info.n_coordinates);
    print_loops(f);
    printf("degrees of freedom  %d\n", f->assembly.degrees_of_freedom);
    print_redundancies(f);
    printf("assembly error      %.2g (position), %.2g (velocity)\n", f->assembly.position_error,
           f->assembly.velocity_error);
}

static void write_structures(FbJson* json, const Findings* f) {
    FbStructureInfo s;
    fb_json_key(json, "structures");
    fb_json_begin_array(json);
    for (int i = 0; fb_model_get_structure(f->loaded->model, i, &s); i++) {
        fb_json_begin_object(json);
        fb_json_pair_text(json, "name", s.name);
        fb_json_pair_text(json, "theory", s.is_nonlinear ? "nonlinear" : "linear");
        fb_json_pair_integer(json, "members", s.n_members);
        fb_json_pair_integer(json, "elements", s.n_elements);
        fb_json_pair_integer(json, "nodes", s.n_nodes);
        fb_json_pair_number(json, "mass", s.mass);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

static void write_meshes(FbJson* json, const Findings* f) {
    FbMeshInfo s;
    fb_json_key(json, "meshes");
    fb_json_begin_array(json);
    for (int i = 0; fb_model_get_mesh(f->loaded->model, i, &s); i++) {
        fb_json_begin_object(json);
        fb_json_pair_text(json, "name", s.name);
        fb_json_pair_integer(json, "elements", s.n_elements);
        fb_json_pair_integer(json, "nodes", s.n_nodes);
        fb_json_pair_integer(json, "coordinates", s.n_coordinates);
        fb_json_pair_number(json, "mass", s.mass);
        fb_json_key(json, "size");
        fb_json_begin_array(json);
        for (int d = 0; d < 3; d++) {
            fb_json_number(json, s.size[d]);
        }
        fb_json_end_array(json);
        if (s.n_load_factors >= 0) {
            fb_json_key(json, "load_factors");
            fb_json_begin_array(json);
            for (int k = 0; k < s.n_load_factors; k++) {
                fb_json_number(json, s.load_factors[k]);
            }
            fb_json_end_array(json);
        }
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

static void write_sliders(FbJson* json, const Findings* f) {
    FbSliderInfo s;
    fb_json_key(json, "sliders");
    fb_json_begin_array(json);
    for (int i = 0; fb_model_get_slider(f->loaded->model, i, &s); i++) {
        fb_json_begin_object(json);
        fb_json_pair_text(json, "name", s.name);
        fb_json_pair_text(json, "guide", s.guide);
        if (s.n_through > 0) {
            fb_json_pair_integer(json, "through", s.n_through);
        }
        fb_json_pair_number(json, "length", s.length);
        fb_json_pair_number(json, "mass", s.mass);
        fb_json_pair_text(json, "theory", s.theory);
        fb_json_pair_text(json, "drive", s.drive);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

static void write_loops(FbJson* json, const Findings* f) {
    fb_json_key(json, "loops");
    fb_json_begin_array(json);
    for (int i = 0; i < f->info.n_loops; i++) {
        fb_json_string(json, fb_model_get_loop_joint(f->loaded->model, i));
    }
    fb_json_end_array(json);
}

static void write_redundancies(FbJson* json, const Findings* f) {
    fb_json_key(json, "redundant");
    fb_json_begin_array(json);
    for (int i = 0; i < f->assembly.n_redundancies; i++) {
        FbRedundancy r;
        fb_simulation_get_redundancy(f->simulation, i, &r);
        fb_json_begin_object(json);
        fb_json_pair_text(json, "part", r.part);
        fb_json_pair_integer(json, "line", r.place.line);
        fb_json_pair_integer(json, "col", r.place.col);
        fb_json_pair_text(json, "rows", r.rows);
        fb_json_pair_integer(json, "n_rows", r.n_rows);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

static void write_ambiguity(FbJson* json, const Findings* f) {
    char text[200];
    snprintf(text, sizeof text,
             "recorded outputs (%d, listed under not_unique) are reactions that are not unique, "
             "because constraint rows are redundant; the values reported are those with the "
             "smallest loop multipliers",
             f->assembly.n_ambiguous);
    fb_json_string(json, text);
}

static void write_not_unique(FbJson* json, const Findings* f) {
    const FbModel* model = f->loaded->model;
    fb_json_key(json, "not_unique");
    fb_json_begin_array(json);
    for (int i = 0; i < fb_model_get_output_count(model); i++) {
        if (!fb_simulation_is_unique(f->simulation, i)) {
            fb_json_string(json, fb_model_get_output_name(model, i));
        }
    }
    fb_json_end_array(json);
}

static void write_warnings(FbJson* json, const Findings* f) {
    const FbDiagnostics* diagnostics = f->loaded->diagnostics;
    fb_json_key(json, "warnings");
    fb_json_begin_array(json);
    for (int i = 0; i < fb_diagnostics_count(diagnostics); i++) {
        const FbDiagnostic* d = fb_diagnostics_get(diagnostics, i);
        if (d->severity == FB_WARNING) {
            fb_json_string(json, d->text);
        }
    }
    if (f->assembly.n_ambiguous > 0) {
        write_ambiguity(json, f);
    }
    fb_json_end_array(json);
}

static int print_findings_document(const Findings* f) {
    Document document;
    begin_document(&document);
    FbJson* json = &document.json;
    fb_json_begin_object(json);
    fb_json_pair_text(json, "model", f->loaded->path);
    fb_json_pair_text(json, "model_sha256", f->loaded->sha256);
    fb_json_pair_text(json, "name", f->info.name);
    fb_json_pair_integer(json, "bodies", f->info.n_bodies);
    fb_json_pair_integer(json, "joints", f->info.n_joints);
    fb_json_pair_integer(json, "constraints", f->info.n_constraints);
    fb_json_pair_integer(json, "forces", f->info.n_forces);
    fb_json_pair_integer(json, "outputs", fb_model_get_output_count(f->loaded->model));
    fb_json_pair_integer(json, "coordinates", f->info.n_coordinates);
    fb_json_pair_integer(json, "constraint_rows", f->info.n_constraint_rows);
    fb_json_pair_integer(json, "degrees_of_freedom", f->assembly.degrees_of_freedom);
    write_structures(json, f);
    write_meshes(json, f);
    write_sliders(json, f);
    write_driven(json, f->loaded->model);
    write_loops(json, f);
    write_redundancies(json, f);
    write_not_unique(json, f);
    write_warnings(json, f);
    fb_json_end_object(json);
    return print_document(&document);
}

static int check_loaded(const Options* options, const LoadedModel* loaded) {
    Findings f = {.loaded = loaded};
    FbSimulation* simulation = NULL;
    FbError err;
    FbRunOptions run_options = fb_run_options_default(loaded->model);
    if (fb_simulation_create(loaded->model, &run_options, &simulation, &err) < 0) {
        return report_error(options, loaded->path, &err);
    }
    f.simulation = simulation;
    fb_model_get_info(loaded->model, &f.info);
    fb_simulation_get_assembly(simulation, &f.assembly);
    int code = EXIT_OK;
    if (options->is_json) {
        code = print_findings_document(&f);
    } else {
        print_findings(&f);
    }
    fb_simulation_destroy(simulation);
    return code;
}

int cmd_check(const Options* options) {
    LoadedModel loaded;
    int code = load_model(options, options->operands[0], &loaded);
    if (code == EXIT_OK) {
        warn_of_mechanisms(options, &loaded);
        code = check_loaded(options, &loaded);
    }
    free_model(&loaded);
    return code;
}
