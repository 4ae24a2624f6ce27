// The section `slurm` of a study file, with checks of what ends up in lines of #SBATCH.
#include <ctype.h>
#include <string.h>

#include "read/field.h"
#include "study/study_reader.h"
#include "study/study_tables.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// Nothing that could end a directive, begin a second one or a comment.
static bool is_plain(const char* text) {
    for (const char* c = text; *c; c++) {
        if (!isgraph((unsigned char)*c) || strchr("'\"\\#$`", *c)) {
            return false;
        }
    }
    return text[0] != '\0';
}

// Reads digits; their number, and moves on.
static int skip_digits(const char** c) {
    int n = 0;
    for (; isdigit((unsigned char)**c); (*c)++) {
        n++;
    }
    return n;
}

// M, M:S, H:M:S, D-H, D-H:M, D-H:M:S
static bool is_time(const char* text) {
    const char* c = text;
    int n_colons = 0;
    bool is_good = skip_digits(&c) > 0;
    if (is_good && *c == '-') {
        c++;
        is_good = skip_digits(&c) > 0;
    }
    for (; is_good && *c == ':'; n_colons++) {
        c++;
        is_good = skip_digits(&c) > 0;
    }
    return is_good && n_colons <= 2 && *c == '\0';
}

static bool is_memory(const char* text) {
    const char* c = text;
    return skip_digits(&c) > 0 && (*c == '\0' || (strchr("KMGT", *c) && c[1] == '\0'));
}

static bool is_one_line(const char* text) {
    for (const char* c = text; *c; c++) {
        if (iscntrl((unsigned char)*c) && *c != '\t') {
            return false;
        }
    }
    return true;
}

static void check_text(FbStudyReader* r, const FbNode* map, const char* key, const char* text,
                       bool (*is_good)(const char*), const char* rule) {
    const FbNode* node = fb_node_get(map, key);
    if (node && text && !is_good(text)) {
        fb_report(&r->base, FB_ERR_RANGE, node->line, node->col, "%s is '%s'; it must be %s", key,
                  text, rule);
    }
}

static void check(FbStudyReader* r, const FbNode* map, const FbStudySlurm* s) {
    static const char name_rule[] = "a word without blanks, quotes, '#', '$' and '\\'";
    check_text(r, map, "time", s->time, is_time,
               "a time limit: MINUTES, HOURS:MINUTES:SECONDS or DAYS-HOURS:MINUTES:SECONDS");
    check_text(r, map, "memory", s->memory, is_memory,
               "a number with K, M, G or T, such as 2G (without a letter: megabytes)");
    check_text(r, map, "partition", s->partition, is_plain, name_rule);
    check_text(r, map, "account", s->account, is_plain, name_rule);
    check_text(r, map, "qos", s->qos, is_plain, name_rule);
    check_text(r, map, "constraint", s->constraint, is_plain, name_rule);
    check_text(r, map, "reservation", s->reservation, is_plain, name_rule);
    for (int i = 0; i < s->n_setup; i++) {
        check_text(r, map, "setup", s->setup[i], is_one_line, "one command, on one line");
    }
}

// Texts so far belong to the reader.
static void keep_texts(FbArena* arena, FbStudySlurm* s) {
    const char** texts[] = {&s->time, &s->memory,     &s->partition,  &s->account,
                            &s->qos,  &s->constraint, &s->reservation};
    for (int i = 0; i < COUNT(texts); i++) {
        *texts[i] = *texts[i] ? fb_arena_text(arena, *texts[i]) : NULL;
    }
    const char** setup = FB_TAKE(arena, const char*, s->n_setup + 1);
    for (int i = 0; setup && i < s->n_setup; i++) {
        setup[i] = fb_arena_text(arena, s->setup[i]);
    }
    s->setup = setup;
}

void fb_study_read_slurm(FbStudyReader* r, const FbNode* map) {
    static const FbNode empty = {.kind = FB_NODE_MAP, .line = 1, .col = 1};
    FbStudySlurm* s = &r->study->slurm;
    FbTable table = {"'slurm'", fb_study_slurm_table.fields, fb_study_slurm_table.n_fields, NULL};
    const FbNode* node = map ? map : &empty;
    FbOrigin origin = {.place = {r->study->file, node->line, node->col}};
    if (!fb_read_table(&r->base, node, &table, s, &origin)) {
        *s = (FbStudySlurm){.cpus_per_task = 1};
        return;
    }
    check(r, node, s);
    keep_texts(r->study->arena, s);
}
