// FB_WIDE: a function that is compiled twice, for every machine and with vectors of 256 bits. Which
// one is used is chosen for the processor when the program is loaded. Products are not contracted,
// so that both give the same numbers. For static functions: gcc exports others whatever their
// visibility.
#ifndef FLYBALL_BASE_WIDE_H
#define FLYBALL_BASE_WIDE_H

#ifdef FLYBALL_HAS_CLONES
#define FB_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define FB_WIDE
#endif

// Four numbers at any address of doubles, as one vector where the machine has such.
typedef double FbFour __attribute__((vector_size(32), aligned(8), may_alias));

#endif
