// The schema and the manual name every type and key of the tables.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the headers above.
#include <cmocka.h>

#include "describe/cross_section.h"
#include "describe/structure_table.h"
#include "model_types.h"
#include "read/read.h"
#include "schema/schema.h"

static void assert_contains(const char* text, const char* part) {
    if (!strstr(text, part)) {
        fail_msg("'%s' is missing", part);
    }
}

static void check_kind(const char* schema, const char* manual, const char* kind,
                       const FbTypeInfo* const* types) {
    char part[128];
    for (int i = 0; types[i]; i++) {
        snprintf(part, sizeof part, "\"%s_%s\": {", kind, types[i]->name);
        assert_contains(schema, part);
        snprintf(part, sizeof part, "### %s\n\n%s\n", types[i]->name, types[i]->doc);
        assert_contains(manual, part);
        for (int k = 0; k < types[i]->n_fields; k++) {
            snprintf(part, sizeof part, "\"%s\": {", types[i]->fields[k].key);
            assert_contains(schema, part);
            snprintf(part, sizeof part, "| `%s` | ", types[i]->fields[k].key);
            assert_contains(manual, part);
        }
    }
}

static void check_plain(const char* schema, const char* manual, const FbTypeInfo* table) {
    char part[128];
    assert_contains(manual, table->doc);
    for (int k = 0; k < table->n_fields; k++) {
        snprintf(part, sizeof part, "\"%s\": {", table->fields[k].key);
        assert_contains(schema, part);
        snprintf(part, sizeof part, "| `%s` | ", table->fields[k].key);
        assert_contains(manual, part);
    }
}

static void test_all_types(void** state) {
    (void)state;
    FbTypeSet types = test_types();
    char *schema, *manual;
    assert_int_equal(fb_schema_json_for(&types, &schema, NULL), FB_OK);
    assert_int_equal(fb_schema_markdown_for(&types, &manual, NULL), FB_OK);
    check_kind(schema, manual, "joint", types.joints);
    check_kind(schema, manual, "constraint", types.constraints);
    check_kind(schema, manual, "force", types.forces);
    check_kind(schema, manual, "law", types.laws);
    check_kind(schema, manual, "sensor", types.sensors);
    check_kind(schema, manual, "shape", types.shapes);
    check_kind(schema, manual, "section", fb_section_types);
    check_plain(schema, manual, &fb_material_table);
    check_plain(schema, manual, &fb_structure_table);
    check_plain(schema, manual, &fb_node_table);
    check_plain(schema, manual, &fb_member_table);
    check_plain(schema, manual, &fb_frame_damping_table);
    check_plain(schema, manual, &fb_slider_table);
    assert_contains(schema, "https://json-schema.org/draft/2020-12/schema");
    assert_contains(manual, "| `stiffness` | number >= 0 | N/m | `0` | A value. |");
    assert_contains(manual, "| `axes` | `ground`, `body` |");
    assert_contains(manual, "| `rtol` | number > 0, <= 0.1 |");
    assert_contains(manual, "| `from` | vector | m | required | One end in the body frame. |");
    free(schema);
    free(manual);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_types)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
