// Sanitizers take up to ten times as long, and the cases of a table run the same code: with them a
// test takes every n-th case of a long table. Every test is run under them; only tables are
// thinned.
#ifndef FB_TEST_EVERY_H
#define FB_TEST_EVERY_H

#if defined(__SANITIZE_ADDRESS__)
#define TEST_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_IS_SANITIZED 1
#endif
#endif

#ifdef TEST_IS_SANITIZED
#define TEST_EVERY(n) (n)
#else
#define TEST_EVERY(n) 1
#endif

#endif
