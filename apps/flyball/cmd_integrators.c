// `flyball integrators`: the methods of integration of this build, and what each is good for.
#include "load.h"
#include "options.h"
#include "record/json_pair.h"
#include "terminal.h"

static const char* steps_of(const FbIntegratorInfo* info) {
    return !info->takes_fixed_steps ? "controlled"
           : info->controls_error   ? "controlled, fixed"
                                    : "fixed";
}

static void print_indented(const char* head, const char* text) {
    enum { INDENT = 9 };
    int at = printf("%*s%s", INDENT, "", head);
    print_wrapped(text, INDENT, at, stdout);
}

static void print_list(void) {
    FbIntegratorInfo info;
    printf("%-8s %-8s %-18s %-6s %s\n", "name", "order", "steps", "stiff", "structures");
    for (int i = 0; fb_integrator_get_info(i, &info); i++) {
        printf("\n%-8s %-8s %-18s %-6s %s%s\n", info.name, info.orders, steps_of(&info),
               info.is_stiff ? "yes" : "no", info.is_stiff ? "yes" : "no",
               info.is_available ? "" : "  (not in this build)");
        print_indented("", info.doc);
        print_indented("Good for:", info.use);
    }
    printf(
        "\nAll of them handle loops, redundant constraints and rotations. --integrator NAME\n"
        "chooses, --step SECONDS fixes the steps; the default is auto.\n");
}

static int print_list_document(void) {
    Document document;
    FbIntegratorInfo info;
    begin_document(&document);
    FbJson* json = &document.json;
    fb_json_begin_object(json);
    fb_json_key(json, "integrators");
    fb_json_begin_array(json);
    for (int i = 0; fb_integrator_get_info(i, &info); i++) {
        fb_json_begin_object(json);
        fb_json_pair_text(json, "name", info.name);
        fb_json_pair_text(json, "method", info.doc);
        fb_json_pair_text(json, "orders", info.orders);
        fb_json_pair_text(json, "good_for", info.use);
        fb_json_pair_bool(json, "implicit", info.is_implicit);
        fb_json_pair_bool(json, "error_control", info.controls_error);
        fb_json_pair_bool(json, "fixed_steps", info.takes_fixed_steps);
        fb_json_pair_bool(json, "stiff", info.is_stiff);
        fb_json_pair_bool(json, "structures", info.is_stiff);
        fb_json_pair_bool(json, "loops", true);
        fb_json_pair_bool(json, "available", info.is_available);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
    fb_json_end_object(json);
    return print_document(&document);
}

int cmd_integrators(const Options* options) {
    if (options->is_json) {
        return print_list_document();
    }
    print_list();
    return EXIT_OK;
}
