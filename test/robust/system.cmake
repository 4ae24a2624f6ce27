# Whole runs: failing memory, allocations between steps, threads, errors of meaning.
find_package(Threads REQUIRED)
foreach(name memory allocation threads semantics)
  fb_test(test_${name} SOURCES test_${name}.c MODULES ${FB_MECHANICS} solve record
    LIBS fb_test_support Threads::Threads LABELS robust)
endforeach()
foreach(name memory allocation)
  target_link_options(test_${name} PRIVATE
    -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free)
endforeach()
