// Error norms of a computed series against a reference at exactly the reference's times: public.
#ifndef FLYBALL_RECORD_COMPARE_H
#define FLYBALL_RECORD_COMPARE_H

#include "base/error.h"
#include "flyball/compare.h"

#endif
