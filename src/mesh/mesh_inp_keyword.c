// Keyword lines of Abaqus's files: what the lines after them are.
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "fem/shell.h"
#include "fem/solid.h"
#include "mesh/mesh_inp.h"

static const FbInpKind kinds[] = {
    {"C3D4", 3, 4, &fb_element_tet4},
    {"C3D10", 3, 10, &fb_element_tet10},
    {"C3D8", 3, 8, &fb_element_hex8},
    {"C3D20", 3, 20, &fb_element_hex20},
    {"C3D6", 3, 6, &fb_element_wedge6},
    {"C3D15", 3, 15, &fb_element_wedge15},
    {"S3", 2, 3, &fb_element_tri3},
    {"STRI3", 2, 3, &fb_element_tri3},
    {"S4", 2, 4, &fb_element_quad4},
    {"S6", 2, 6, NULL},
    {"STRI65", 2, 6, NULL},
    {"S8", 2, 8, NULL},
    {"CPS3", 2, 3, NULL},
    {"CPS4", 2, 4, NULL},
    {"CPS6", 2, 6, NULL},
    {"CPS8", 2, 8, NULL},
    {"M3D3", 2, 3, NULL},
    {"M3D4", 2, 4, NULL},
    {"T3D2", 1, 2, NULL},
    {"B31", 1, 2, NULL},
    {"B32", 1, 3, NULL},
    {"T3D3", 1, 3, NULL},
};

// They make nodes or elements, or change where nodes are: without them the mesh would be another.
static const char* const unsupported[] = {"*NGEN",  "*NFILL",  "*NCOPY",  "*NMAP",
                                          "*ELGEN", "*ELCOPY", "*INCLUDE"};

bool fb_inp_find_parameter(const char* start, const char* stop, const char* name, char* out,
                           size_t size) {
    size_t n = strlen(name);
    for (const char* c = start; c < stop; c++) {
        if (*c != ',') {
            continue;
        }
        const char* p = c + 1;
        while (p < stop && isspace((unsigned char)*p)) {
            p++;
        }
        if ((size_t)(stop - p) < n || strncasecmp(p, name, n) != 0) {
            continue;
        }
        const char* q = p + n;
        while (q < stop && isspace((unsigned char)*q)) {
            q++;
        }
        if (q < stop && *q != '=' && *q != ',') {
            continue;
        }
        q += q < stop && *q == '=';
        while (q < stop && isspace((unsigned char)*q)) {
            q++;
        }
        const char* end = memchr(q, ',', (size_t)(stop - q));
        end = end ? end : stop;
        while (end > q && isspace((unsigned char)end[-1])) {
            end--;
        }
        if (end - q >= 2 && *q == '"' && end[-1] == '"') {
            q++;
            end--;
        }
        snprintf(out, size, "%.*s", (int)((size_t)(end - q) < size ? (size_t)(end - q) : size - 1),
                 q);
        return true;
    }
    return false;
}

bool fb_inp_is_keyword(const char* start, const char* stop, const char* name) {
    size_t n = strlen(name);
    const char* end = memchr(start, ',', (size_t)(stop - start));
    end = end ? end : stop;
    while (end > start && isspace((unsigned char)end[-1])) {
        end--;
    }
    return (size_t)(end - start) == n && strncasecmp(start, name, n) == 0;
}

static FbStatus find_kind(FbInp* p, const char* name) {
    size_t longest = 0;
    p->kind = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t n = strlen(kinds[i].prefix);
        // A digit after the prefix makes it another type: C3D20 is no C3D2.
        if (strncasecmp(name, kinds[i].prefix, n) == 0 && !isdigit((unsigned char)name[n]) &&
            n > longest) {
            p->kind = &kinds[i];
            longest = n;
        }
    }
    return p->kind ? FB_OK
                   : fb_mesh_file_fail(p->f, FB_ERR_MODEL,
                                       "elements of type '%s' are not supported (solids may be "
                                       "C3D4, C3D10, C3D8, C3D20, C3D6, C3D15; shells S3 and S4)",
                                       name);
}

// Sets of an instance are called "instance.set".
static FbStatus open_group(FbInp* p, const char* start, const char* stop, const char* key) {
    char name[FB_INP_NAME], full[2 * FB_INP_NAME];
    int space = p->f->space;
    p->group = -1;
    p->space = space;
    if (!fb_inp_find_parameter(start, stop, key, name, sizeof name) || !name[0]) {
        return FB_OK;
    }
    snprintf(full, sizeof full, "%s%s%s", space > 0 ? p->instances[space - 1].name : "",
             space > 0 ? "." : "", name);
    p->group = fb_mesh_add_group(p->f->mesh, full);
    return p->group >= 0 ? FB_OK : fb_fail_memory(p->f->err);
}

static FbStatus read_set(FbInp* p, const char* start, const char* stop) {
    char text[FB_INP_NAME];
    bool is_nodes = p->section == FB_INP_NODE_SET;
    p->is_generated = fb_inp_find_parameter(start, stop, "GENERATE", text, sizeof text);
    FB_TRY(open_group(p, start, stop, is_nodes ? "NSET" : "ELSET"));
    if (p->group < 0) {
        return fb_mesh_file_fail(p->f, FB_ERR_SYNTAX, "%s needs a name",
                                 is_nodes ? "*NSET" : "*ELSET");
    }
    if (fb_inp_find_parameter(start, stop, "INSTANCE", text, sizeof text)) {
        p->space = fb_inp_find_space(p, text);
        if (p->space < 0) {
            return fb_mesh_file_fail(p->f, FB_ERR_NAME,
                                     "there is no instance '%s' before this line", text);
        }
    }
    bool is_of_elements =
        is_nodes && fb_inp_find_parameter(start, stop, "ELSET", text, sizeof text);
    return is_of_elements && !p->is_first ? fb_inp_add_nodes_of(p, text) : FB_OK;
}

// What would place nodes elsewhere, or take data from another file, is an error.
static FbStatus check_parameters(FbInp* p, const char* start, const char* stop) {
    char text[FB_INP_NAME];
    if (fb_inp_find_parameter(start, stop, "INPUT", text, sizeof text)) {
        return fb_mesh_file_fail(p->f, FB_ERR_MODEL,
                                 "INPUT=%s is not supported; write the whole mesh into one file",
                                 text);
    }
    if (fb_inp_find_parameter(start, stop, "SYSTEM", text, sizeof text) &&
        strcasecmp(text, "R") != 0) {
        return fb_mesh_file_fail(p->f, FB_ERR_MODEL,
                                 "SYSTEM=%s is not supported; write nodes in rectangular "
                                 "coordinates (SYSTEM=R)",
                                 text);
    }
    return FB_OK;
}

static FbInpSection find_section(const char* start, const char* stop) {
    static const struct {
        const char* name;
        FbInpSection section;
    } sections[] = {{"*NODE", FB_INP_NODES},
                    {"*ELEMENT", FB_INP_ELEMENTS},
                    {"*NSET", FB_INP_NODE_SET},
                    {"*ELSET", FB_INP_ELEMENT_SET},
                    {"*SYSTEM", FB_INP_SYSTEM}};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (fb_inp_is_keyword(start, stop, sections[i].name)) {
            return sections[i].section;
        }
    }
    return FB_INP_OTHER;
}

static FbStatus check_supported(FbInp* p, const char* start, const char* stop) {
    for (size_t i = 0; i < sizeof unsupported / sizeof unsupported[0]; i++) {
        if (fb_inp_is_keyword(start, stop, unsupported[i])) {
            return fb_mesh_file_fail(p->f, FB_ERR_MODEL,
                                     "%.*s is not supported; write all nodes and elements into "
                                     "one file",
                                     (int)(stop - start < 60 ? stop - start : 60), start);
        }
    }
    return FB_OK;
}

FbStatus fb_inp_read_keyword(FbInp* p, const char* start, const char* stop) {
    char type[FB_INP_NAME];
    p->section = find_section(start, stop);
    if (p->section == FB_INP_OTHER) {
        return check_supported(p, start, stop);
    }
    FB_TRY(check_parameters(p, start, stop));
    if (p->section == FB_INP_NODES) {
        return open_group(p, start, stop, "NSET");
    }
    if (p->section == FB_INP_ELEMENTS) {
        FB_TRY(open_group(p, start, stop, "ELSET"));
        if (!fb_inp_find_parameter(start, stop, "TYPE", type, sizeof type)) {
            return fb_mesh_file_fail(p->f, FB_ERR_SYNTAX, "*ELEMENT needs TYPE=...");
        }
        return find_kind(p, type);
    }
    return p->section == FB_INP_SYSTEM ? FB_OK : read_set(p, start, stop);
}
