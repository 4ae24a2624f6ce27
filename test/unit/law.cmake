fb_test(test_law_laws SOURCES test_law_laws.c MODULES base math describe law LIBS fb::klu fb::lapack)
fb_test(test_law_table SOURCES test_law_table.c MODULES base math describe law LIBS fb::klu fb::lapack)
fb_test(test_law_moves SOURCES test_law_moves.c MODULES base math describe law LIBS fb::klu fb::lapack)
