fb_test(test_law_laws SOURCES test_law_laws.c MODULES base law)
fb_test(test_law_table SOURCES test_law_table.c MODULES base law)
fb_test(test_law_moves SOURCES test_law_moves.c MODULES base law)
