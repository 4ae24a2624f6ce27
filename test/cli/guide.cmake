# The guide and the reference against the built program and library; equation numbers of the theory manual.
foreach(name swing build sweep drive tether realtime)
  add_executable(guide_${name} ${PROJECT_SOURCE_DIR}/docs/guide/${name}.c)
  target_link_libraries(guide_${name} PRIVATE flyball_shared m)
  target_compile_options(guide_${name} PRIVATE -Wall -Wextra -Wpedantic $<$<BOOL:${FLYBALL_WERROR}>:-Werror>)
endforeach()
add_test(NAME cli_guide COMMAND Python3::Interpreter -B -m unittest -q test_guide WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
set_tests_properties(cli_guide PROPERTIES LABELS cli TIMEOUT 300 ENVIRONMENT
  "${environment};GUIDE_SWING=$<TARGET_FILE:guide_swing>;GUIDE_BUILD=$<TARGET_FILE:guide_build>;GUIDE_SWEEP=$<TARGET_FILE:guide_sweep>;GUIDE_DRIVE=$<TARGET_FILE:guide_drive>;GUIDE_TETHER=$<TARGET_FILE:guide_tether>;GUIDE_REALTIME=$<TARGET_FILE:guide_realtime>")
add_test(NAME equations COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/check_equations.py ${PROJECT_SOURCE_DIR})
set_tests_properties(equations PROPERTIES LABELS project)
