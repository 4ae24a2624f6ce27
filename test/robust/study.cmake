# Failing memory in a study and in a benchmark case.
fb_test(test_study_memory SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_study_memory.c
  MODULES ${FB_MECHANICS} solve linear record study LIBS fb_test_support LABELS robust)
target_link_options(test_study_memory PRIVATE -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free)
fb_test(test_bench_memory SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_bench_memory.c
  MODULES ${FB_MECHANICS} solve linear record study LIBS fb_test_support LABELS robust)
target_link_options(test_bench_memory PRIVATE -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free)
# The same bits for any number of threads.
fb_test(test_determinism SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_determinism.c
  MODULES ${FB_MECHANICS} solve linear record study LIBS fb_test_support LABELS verify)
