// The viewer, an HTML file that the build embeds: the bytes before and after the place of the data.
#ifndef FLYBALL_VIEW_TEMPLATE_H
#define FLYBALL_VIEW_TEMPLATE_H

#include <stddef.h>

typedef struct FbTemplatePart {
    const char* bytes;
    size_t size;
} FbTemplatePart;

extern const FbTemplatePart fb_template_head[];  // ended by size 0
extern const FbTemplatePart fb_template_tail[];

#endif
