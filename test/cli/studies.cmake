# Studies: measures of modes, sensitivities, reports.
foreach(name study_modes study_report)
  add_test(NAME cli_${name} COMMAND Python3::Interpreter -B -m unittest -q test_${name}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(cli_${name} PROPERTIES ENVIRONMENT "${environment}" LABELS cli TIMEOUT 300)
endforeach()
