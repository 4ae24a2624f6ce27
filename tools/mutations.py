"""Changes that a test must notice, each with the reason why: safety checks that once could be taken away without any test failing.

`tools/mutate.py --named` makes them one by one. The text must occur exactly once in the file; a test (test/project) keeps the list in
step with the sources.
"""
import collections

Named = collections.namedtuple("Named", "name file old new tests")

NAMED = [
    Named("cross-check of the certificate ignored (rule)", "src/solve/certify.c",
          "*bound = fmax(own, SAFETY * e->cross);", "*bound = own;", "test_solve_certify|test_certificate"),
    Named("cross-check of the certificate ignored (run)", "src/solve/certificate.c",
          "e.cross = c->cross_difference;", "e.cross = 0.0;", "test_solve_certify|test_certificate"),
    Named("cross-check that cannot be computed taken as passed", "src/solve/certify.c",
          "if (!isfinite(e->cross)) {", "if (false) {", "test_solve_certify|test_certificate"),
    Named("contraction not demanded", "src/solve/certify.c",
          "if (!is_falling && !is_quiet) {", "if (false) {", "test_solve_certify|test_certificate"),
    Named("a start with a slope taken as a peak", "src/record/damping.c",
          "&& !has_slope_at_start(z, period);", ";", "test_record_damping|cli_damping"),
    Named("a start shortly before its zero taken as a peak", "src/record/damping.c",
          "return quarter >= 0.25 * rest_quarter * period && ", "return ", "test_record_damping|cli_damping"),
    Named("rolling rows not looked at", "src/linear/classify.c",
          "rolling += square(", "rolling += 0.0 * square(", "test_linear_evidence"),
    Named("position rows not looked at", "src/linear/classify.c",
          "holonomic += square(", "holonomic += 0.0 * square(", "test_linear_evidence"),
    Named("no limit of turn per step", "src/solve/radau.c",
          "h = MAX_TURN / rate;", ";", "test_solve_radau"),
    Named("form 1 on guides that shear not warned of", "src/system/sliders.c",
          "if (!(s->largest_share[i] > SMALL)) {", "if (true) {", "cli_form_1"),
    Named("thin beams warned of in form 1", "src/compile/guide_couple.c",
          "return slope[0] - slope[1] > slope[1] - slope[2] ? slope[0] - slope[1] : 0.0;", "return slope[0] - slope[1];", "cli_form_1"),
    Named("turns of nodes that a guide is welded to not counted", "src/compile/guide_turns.c",
          "if (can_move && !spans(f->turns, f->n_turns, about)) {", "if (can_move && f->n_turns == 0) {", "semantics"),
    Named("strains of meshes ignored at the start", "src/system/carried.c",
          "    add_stiffness(c, values);\n", "", "test_carried"),
    Named("errors of steps judged mildly after failed iterations", "src/solve/radau.c",
          "r->is_first || r->was_inaccurate", "r->is_first || r->was_rejected", "test_tolerances"),
    Named("turns of nodes weighed each alone", "src/system/scales.c",
          "(first->kind == FB_LINK_BALL && first->joint >= 0 && m->is_node[first->joint])", "false", "metamorphic_frames"),
    Named("a callback that fails for good is called again", "src/system/callback.c",
          "if (s->failure.status >= 0 && isfinite(t)", "if (isfinite(t)", "test_callbacks"),
    Named("samples of a callback that failed are kept", "src/system/sample.c",
          "    if (s->failure.status < 0) {\n", "    if (false) {\n", "test_callbacks"),
    Named("steps of differences in SI units", "src/system/callback.c",
          "return size * cbrt(DBL_EPSILON * fmax(size, fabs(u)) / size);", "return cbrt(DBL_EPSILON);", "test_callbacks"),
    Named("matrices not part of the hash", "src/model/hash.c",
          "    add_structures(&t, m);\n", "    (void)add_structures;\n", "test_derivatives_inputs"),
]
