// Scripts for the Slurm scheduler. A task of the array runs one part of the sweep with its own
// table, so that it resumes wherever it is started again: requeued by Slurm after a failure of its
// node or when another job takes its place, or by itself when its time runs out.
#include "study/slurm.h"

#include "study/study.h"

// Seconds before the time limit at which a task is told to stop cleanly.
enum { SIGNAL_BEFORE_S = 60 };
// Fewer points to a processor are not worth the start of a task; Slurm's own limit for the tasks of
// an array is 1000 by default.
enum { POINTS_PER_CPU = 4, MAX_DEFAULT_TASKS = 256 };

int fb_slurm_count_tasks(const FbStudy* study) {
    long n = fb_study_count_points(study);
    long chunk = (long)POINTS_PER_CPU * study->slurm.cpus_per_task;
    long tasks = (n + chunk - 1) / chunk;
    tasks = tasks < MAX_DEFAULT_TASKS ? tasks : MAX_DEFAULT_TASKS;
    tasks = study->slurm.tasks > 0 ? study->slurm.tasks : tasks;
    return (int)(tasks < n ? tasks : n);
}

void fb_slurm_write_path(const char* table, const char* ending, FbText* out) {
    const char* slash = strrchr(table, '/');
    const char* dot = strrchr(slash ? slash : table, '.');
    fb_text_add_n(out, table, dot && dot > table ? (size_t)(dot - table) : strlen(table));
    fb_text_add(out, ending);
}

// A value that is not checked by the reader: a path. Slurm replaces %x in names of files.
static void add_quoted(FbText* out, const char* option, const char* value, const char* pattern) {
    fb_text_addf(out, "#SBATCH --%s=\"", option);
    for (const char* c = value; *c; c++) {
        if (*c == '"' || *c == '\\') {
            fb_text_add(out, "\\");
        } else if (*c == '%' && pattern) {
            fb_text_add(out, "%");
        }
        fb_text_add_n(out, c, 1);
    }
    fb_text_addf(out, "%s\"\n", pattern ? pattern : "");
}

static void add_log(FbText* out, const char* table, const char* pattern) {
    FbText stem;
    fb_text_init(&stem);
    fb_slurm_write_path(table, "", &stem);
    add_quoted(out, "output", stem.has_failed ? "" : stem.data, pattern);
    out->has_failed |= stem.has_failed;
    fb_text_free(&stem);
}

static void add_setting(FbText* out, const char* option, const char* value) {
    if (value) {
        fb_text_addf(out, "#SBATCH --%s=%s\n", option, value);
    }
}

static void add_settings(FbText* out, const FbStudySlurm* s) {
    add_setting(out, "time", s->time);
    add_setting(out, "mem", s->memory);
    add_setting(out, "partition", s->partition);
    add_setting(out, "account", s->account);
    add_setting(out, "qos", s->qos);
    add_setting(out, "constraint", s->constraint);
    add_setting(out, "reservation", s->reservation);
}

static void add_setup(FbText* out, const FbStudySlurm* s) {
    fb_text_add(out, "\n");
    for (int i = 0; i < s->n_setup; i++) {
        fb_text_addf(out, "%s\n", s->setup[i]);
    }
}

// A word of the shell without the blank before it.
static void add_word(FbText* out, const char* text) {
    FbText word;
    fb_text_init(&word);
    fb_text_add_word(&word, text);
    fb_text_add(out, word.has_failed ? "" : word.data + 1);
    out->has_failed |= word.has_failed;
    fb_text_free(&word);
}

static void add_command(FbText* out, const FbSlurmJob* job) {
    add_word(out, job->program);
    fb_text_add(out, " sweep");
    fb_text_add_word(out, job->study);
    for (int i = 0; i < job->n_arguments; i++) {
        fb_text_add_word(out, job->arguments[i]);
    }
}

// table=decay.part-"$SLURM_ARRAY_TASK_ID"-of-8.csv
static void add_table(FbText* out, const char* table, int n_tasks) {
    FbText stem;
    fb_text_init(&stem);
    fb_slurm_write_path(table, "", &stem);
    fb_text_add(out, "table=");
    if (!stem.has_failed) {
        add_word(out, stem.data);
        fb_text_addf(out, ".part-\"$SLURM_ARRAY_TASK_ID\"-of-%d", n_tasks);
        if (table[stem.length]) {
            add_word(out, table + stem.length);
        }
    }
    fb_text_add(out, "\n");
    out->has_failed |= stem.has_failed;
    fb_text_free(&stem);
}

// The program runs beside the shell, which waits for Slurm's signal. A trap ends `wait`, so that it
// has to be called again until the program has ended. A task that did not get further than before
// would never end, and is not requeued.
static const char array_body[] =
    "rows() { cat \"$table\" 2>/dev/null | wc -l; }\n"
    "before=$(rows)\n"
    "is_late=\n"
    "trap 'is_late=1; kill -TERM \"$child\"' USR1   # the time limit is near\n"
    "trap 'kill -TERM \"$child\"' TERM INT\n";
static const char array_end[] =
    "child=$!\n"
    "wait \"$child\"; code=$?\n"
    "while [ \"$code\" -gt 128 ] && kill -0 \"$child\" 2>/dev/null; do\n"
    "    wait \"$child\"; code=$?\n"
    "done\n"
    "if [ -n \"$is_late\" ] && [ \"$code\" -gt 128 ]; then\n"
    "    if [ \"$(rows)\" -gt \"$before\" ]; then\n"
    "        echo \"the time limit is near; requeued\"\n"
    "        scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\" && exit 0\n"
    "    fi\n"
    "    echo \"no point was finished within the time limit; raise 'time' in the section "
    "'slurm'\"\n"
    "fi\n"
    "exit \"$code\"\n";

static void add_head(FbText* out, const FbStudy* study, const FbSlurmJob* job, const char* kind) {
    fb_text_addf(out, "#SBATCH --job-name=%s%s\n", study->name, kind);
    add_quoted(out, "chdir", job->folder, NULL);
}

void fb_slurm_write_array(const FbStudy* study, const FbSlurmJob* job, FbText* out) {
    const FbStudySlurm* s = &study->slurm;
    int n = fb_slurm_count_tasks(study);
    fb_text_addf(out, "#!/bin/bash\n# %ld points in %d tasks. Written by flyball sweep --slurm.\n",
                 fb_study_count_points(study), n);
    add_head(out, study, job, "");
    fb_text_addf(out, "#SBATCH --array=1-%d", n);
    if (s->at_once > 0) {
        fb_text_addf(out, "%%%d", s->at_once);
    }
    fb_text_addf(out, "\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%d\n", s->cpus_per_task);
    fb_text_addf(out, "#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --signal=B:USR1@%d\n",
                 SIGNAL_BEFORE_S);
    add_settings(out, s);
    add_log(out, job->table, ".slurm-%A_%a.log");
    add_setup(out, s);
    add_table(out, job->table, n);
    fb_text_add(out, array_body);
    add_command(out, job);
    fb_text_add(out, job->is_retry ? " --retry" : "");
    fb_text_addf(out, " --part \"$SLURM_ARRAY_TASK_ID/%d\" -o \"$table\" --jobs %d &\n", n,
                 s->cpus_per_task);
    fb_text_add(out, array_end);
}

void fb_slurm_write_join(const FbStudy* study, const FbSlurmJob* job, FbText* out) {
    fb_text_addf(
        out, "#!/bin/bash\n# Joins the tables of the array. Written by flyball sweep --slurm.\n");
    add_head(out, study, job, "-join");
    fb_text_add(out, "#SBATCH --ntasks=1\n#SBATCH --requeue\n#SBATCH --open-mode=append\n");
    add_settings(out, &study->slurm);
    add_log(out, job->table, ".slurm-%j-join.log");
    add_setup(out, &study->slurm);
    fb_text_add(out, "exec ");
    add_command(out, job);
    fb_text_addf(out, " --join %d -o", fb_slurm_count_tasks(study));
    fb_text_add_word(out, job->table);
    fb_text_add(out, "\n");
}
