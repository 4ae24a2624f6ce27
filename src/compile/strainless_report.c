// Which nodes of a structure move where it can move without strain, in words.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compile/strainless.h"

// For the order in which nodes are named.
static const double TURN_COUNTS = 0.1;
enum { MOST_NAMED = 3 };

// How a node can move: the largest displacements and turns along the axes over the null space.
typedef struct NodeMotion {
    int body;
    double move[6];  // along x, y, z, times 1 / length about x, y, z
    double size;     // of the displacement; turning on the spot counts little
} NodeMotion;

static NodeMotion motion_of(const FbMechanism* s, int body, int n_null, double length) {
    NodeMotion out = {.body = body};
    const FbBody* b = &s->m->bodies[body];
    const FbKinematics* k = &s->system->k;
    for (int n = 0; n < n_null; n++) {
        FbVec3 move = {0, 0, 0}, turn = {0, 0, 0};
        const double* x = s->x + (size_t)n * (size_t)s->n;
        for (int l = b->link; l >= 0; l = s->m->tree.links[l].parent) {
            const FbLink* link = &s->m->tree.links[l];
            for (int j = link->v0; j < link->v0 + link->n_v; j++) {
                double rate = s->own[j] >= 0 ? x[s->own[j]] * s->scale[s->own[j]] : 0.0;
                FbVec6 S = fb_column_at(k, j, fb_link_point(k, b->link, b->p_LB));
                move = fb_axpy(rate, S.lin, move);
                turn = fb_axpy(rate * length, S.ang, turn);
            }
        }
        const double part[6] = {move.x, move.y, move.z, turn.x, turn.y, turn.z};
        for (int i = 0; i < 6; i++) {
            out.move[i] = hypot(out.move[i], part[i]);
        }
    }
    for (int i = 0; i < 6; i++) {
        out.size = fmax(out.size, out.move[i] * (i < 3 ? 1.0 : TURN_COUNTS));
    }
    return out;
}

// "node 'B' can move along x, y" or, where it stays, "can turn about z".
static void describe(const NodeMotion* node, const char* name, double least, char* text,
                     size_t size) {
    static const char* const axes[] = {"x", "y", "z"};
    bool moves = false, is_first = true;
    for (int i = 0; i < 3; i++) {
        moves = moves || node->move[i] > least;
    }
    size_t n = strlen(text);
    snprintf(text + n, size - n, "node '%s' can %s ", name, moves ? "move along" : "turn about");
    for (int i = 0; i < 3; i++) {
        if (node->move[moves ? i : i + 3] > least) {
            n = strlen(text);
            snprintf(text + n, size - n, "%s%s", is_first ? "" : ", ", axes[i]);
            is_first = false;
        }
    }
}

// Nodes that move alike up to rounding stay in the order of the file.
static int compare_motions(const void* a, const void* b) {
    const NodeMotion *m = a, *n = b;
    double x = rint(1e6 * m->size), y = rint(1e6 * n->size);
    return x != y ? (x < y) - (x > y) : (m->body > n->body) - (m->body < n->body);
}

FbStatus fb_mechanism_report(const FbMechanism* s, bool is_all, FbDiagnostics* diagnostics,
                             FbError* err) {
    int n_null = s->n_x;
    const FbStructure* f = s->structure;
    size_t prefix = strlen(f->name) + 1;
    NodeMotion* nodes = calloc((size_t)s->m->n_bodies + 1, sizeof(NodeMotion));
    if (!nodes) {
        return fb_fail_memory(err);
    }
    int n = 0;
    for (int i = 0; i < s->m->n_bodies; i++) {
        const char* name = s->m->bodies[i].name;
        if (fb_is_part_of(name, f->name) && !strchr(name + prefix, '.')) {
            nodes[n++] = motion_of(s, i, n_null, s->m->length);
        }
    }
    qsort(nodes, (size_t)n, sizeof(NodeMotion), compare_motions);
    char text[400] = "";
    for (int i = 0; i < n && i < MOST_NAMED; i++) {
        if (nodes[i].size > 0.05 * nodes[0].size) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof(text) - used, "%s", used ? "; " : "");
            describe(&nodes[i], s->m->bodies[nodes[i].body].name + prefix, 0.05 * nodes[0].size,
                     text, sizeof(text));
        }
    }
    free(nodes);
    fb_diagnose(diagnostics, FB_WARNING, FB_ERR_MODEL, &f->place,
                "structure '%s' is a mechanism: it can move in %s%d way%s without strain (%s%s); "
                "add supports, or join its members rigidly",
                f->name, is_all ? "" : "at least ", n_null, n_null == 1 ? "" : "s",
                text[0] ? text : "its inner nodes", n > MOST_NAMED ? "; ..." : "");
    return FB_OK;
}
