// Frequency response from a named input to a named output: values, CSV, JSON and Bode plot.
#ifndef FLYBALL_APP_RESPONSE_H
#define FLYBALL_APP_RESPONSE_H

#include "flyball/linear.h"
#include "options.h"
#include "terminal.h"

typedef struct Response {
    char *input, *output;
    int n;
    double *f_hz, *re, *im, *magnitude, *phase_deg;  // [n]; the phase is continuous
} Response;

// Computes what --frf, --from, --to and --points-per-decade ask for, with a linearization of the
// independent method that has run. Prints what is wrong and returns an exit code; free in any case.
int calc_response(const Options* options, FbLinearization* l, Response* r);
void free_response(Response* response);

FbStatus write_response_csv(const char* path, const Response* response, FbError* err);
FbStatus write_response_svg(const char* path, const Response* response, FbError* err);
void write_response(FbJson* json, const Response* response);  // the object "response"

#endif
