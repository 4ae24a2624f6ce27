// Readers as targets of a fuzzer: each takes any bytes and must neither crash nor leak.
#ifndef FLYBALL_TEST_FUZZ_H
#define FLYBALL_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

typedef struct FuzzTarget {
    const char* name;
    void (*run)(const uint8_t* data, size_t size);
} FuzzTarget;

// Ended by an empty one.
extern const FuzzTarget fuzz_targets[];

// The bytes as a file of this name in a scratch folder; the path lives until the next call.
const char* fuzz_write_file(const char* name, const uint8_t* data, size_t size);
// That folder.
const char* fuzz_folder(void);

// target_text.c: texts in memory.
void fuzz_model(const uint8_t* data, size_t size);
void fuzz_expression(const uint8_t* data, size_t size);
void fuzz_csv(const uint8_t* data, size_t size);
// target_files.c: files.
void fuzz_study(const uint8_t* data, size_t size);
void fuzz_case(const uint8_t* data, size_t size);
void fuzz_matrix_market(const uint8_t* data, size_t size);
void fuzz_saved(const uint8_t* data, size_t size);
void fuzz_msh(const uint8_t* data, size_t size);
void fuzz_inp(const uint8_t* data, size_t size);
void fuzz_stl(const uint8_t* data, size_t size);
// target_table.c: binary tables, with right checksums.
void fuzz_fbr(const uint8_t* data, size_t size);
// target_state.c: saved states, as they are and with a right checksum.
void fuzz_state(const uint8_t* data, size_t size);
void fuzz_run_state(const uint8_t* data, size_t size);

// What libFuzzer calls, or replay.c.
int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#endif
