// `flyball new`: writes a first model to start from.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "load.h"
#include "options.h"
#include "terminal.h"

static const char first_model[] =
    "# A pendulum that swings from a pin. Run it and look at it with:\n"
    "#   flyball run THIS_FILE --report pendulum.html\n"
    "flyball: 1                      # the version of the format\n"
    "title: A first pendulum\n"
    "gravity: [0, 0, -9.81]          # m/s2; numbers without a unit are in SI units and radians\n"
    "\n"
    "parameters:                     # may be changed from outside: --set length=2\n"
    "  length: 1 m\n"
    "  start: 60 deg\n"
    "\n"
    "bodies:                         # masses and shapes, in the axes of the body\n"
    "  rod:\n"
    "    shapes:\n"
    "      - {type: rod, from: [0, 0, 0], to: [0, 0, -length], mass: 0.5}\n"
    "      - {type: sphere, at: [0, 0, -length], radius: length/12, mass: 2}\n"
    "    points: {tip: [0, 0, -length]}\n"
    "\n"
    "joints:                         # what holds the bodies together; 'ground' is always there\n"
    "  pin: {type: revolute, between: [ground, rod], point: [0, 0, 0], axis: [0, 1, 0],\n"
    "        position: start}\n"
    "\n"
    "forces:\n"
    "  friction: {type: torsion, joint: pin, stiffness: 0, damping: 0.05}\n"
    "\n"
    "outputs:                        # what is recorded and plotted\n"
    "  angle: pin.q\n"
    "  tip: {type: position, point: rod.tip}\n"
    "  energy: {type: energy}\n"
    "\n"
    "simulation: {duration: 10, sample: 0.02}\n";

static FbStatus write_model(const char* path, FbError* err) {
    FILE* file = fopen(path, "wx");  // never over a file that is there
    if (file == NULL) {
        return fb_fail(err, FB_ERR_IO, NULL, "cannot write %s: %s%s", path, strerror(errno),
                       errno == EEXIST ? "; choose another name, or remove the file first" : "");
    }
    int code = fputs(first_model, file) >= 0 && fflush(file) == 0 ? 0 : errno;
    if (fclose(file) != 0 && code == 0) {
        code = errno;
    }
    if (code == 0) {
        return FB_OK;
    }
    remove(path);
    return fb_fail(err, FB_ERR_IO, NULL, "cannot write %s: %s", path, strerror(code));
}

int cmd_new(const Options* options) {
    const char* path = options->operands[0];
    FbError err;
    FbStatus status = write_model(path, &err);
    if (status < 0) {
        print_error(&err);
    } else if (!options->is_quiet) {
        print_note("wrote %s; run it with 'flyball run %s --report report.html'", path, path);
    }
    return exit_code_of(status);
}
