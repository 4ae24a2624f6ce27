// The end of shared work: how a rank signs off from rank 0.
#ifndef FLYBALL_STUDY_SHARE_CLOSE_H
#define FLYBALL_STUDY_SHARE_CLOSE_H

#include "study/ranks.h"

// A rank other than 0 has seen the end.
void fb_share_say_bye(const FbRanks* ranks);

#endif
