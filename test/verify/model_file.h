// Models of tests live in YAML files that `flyball run` accepts as they are. A test reads one, as
// it is or with changes.
//
// Changes are printed as by printf() and parted by ';'. `name=value` sets a parameter of the file,
// `old => new` replaces a piece of its text wherever it stands (and fails the test where it does
// not): "L=0.5; theory: linear => theory: nonlinear".
#ifndef FLYBALL_TEST_VERIFY_MODEL_FILE_H
#define FLYBALL_TEST_VERIFY_MODEL_FILE_H

#include <stdarg.h>

#include "flyball/flyball.h"

// Paths are relative to the source folder, in which tests run. All fail the test with the messages
// of the reader.
FbModelDef* test_def_from_text(const char* text);
FbModelDef* test_def_from_file(const char* path);
FbModelDef* test_def_with(const char* path, const char* changes, ...)
    __attribute__((format(printf, 2, 3)));
FbModelDef* test_def_with_list(const char* path, const char* changes, va_list list);

FbModel* test_model_from_def(const FbModelDef* def);
FbModel* test_model_from_text(const char* text);
FbModel* test_model_from_file(const char* path);
FbModel* test_model_with(const char* path, const char* changes, ...)
    __attribute__((format(printf, 2, 3)));

// The text of a file, for tests of the reader; to be freed.
char* test_text_of_file(const char* path);
char* test_text_with(const char* path, const char* changes, ...)
    __attribute__((format(printf, 2, 3)));

#endif
