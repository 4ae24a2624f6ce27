// The messages of ranks that share jobs.
#include "study/rank_message.h"

FbStatus fb_rank_send(const FbRanks* ranks, int to, const FbRankHead* head, const void* body,
                      size_t size, FbError* err) {
    FbText text;
    fb_text_init(&text);
    fb_text_add_n(&text, (const char*)head, sizeof *head);
    if (size > 0) {
        fb_text_add_n(&text, body, size);
    }
    FbStatus status = text.has_failed ? fb_fail_memory(err)
                                      : ranks->send(ranks->self, to, text.data, text.length, err);
    fb_text_free(&text);
    return status;
}
