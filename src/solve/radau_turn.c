// Nodes that turn in the course of a step (theory manual, eq. 5.64): the blocks of Newton's matrix
// hold for the directions in which beams lay when they were evaluated. Residuals are turned back to
// these directions, node by node, and increments are turned with the nodes.
#include "solve/radau.h"
#include "solve/radau_travel.h"

bool fb_radau_turns(const FbRadau* r) {
    return r->base.dynamics->has_node_turns && !r->form.is_solved && !fb_radau_travel_is_active(r);
}

void fb_radau_turn_back(const FbRadau* r, const double* q, double* x) {
    const FbDynamics* d = r->base.dynamics;
    if (fb_radau_turns(r)) {
        d->ops->turn_nodes(d, q, r->q_blocks, x);
    }
}

void fb_radau_turn(const FbRadau* r, const double* q, double* x) {
    const FbDynamics* d = r->base.dynamics;
    if (fb_radau_turns(r)) {
        d->ops->turn_nodes(d, r->q_blocks, q, x);
    }
}
