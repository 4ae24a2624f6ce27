foreach(name bad_models model_memory)
  fb_test(test_${name} SOURCES test_${name}.c MODULES ${FB_DESCRIPTION} LIBS fb::yaml fb::klu fb::lapack)
endforeach()
# Only calls from our own objects are wrapped, not those inside of other libraries.
target_link_options(test_model_memory PRIVATE
  -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free)
