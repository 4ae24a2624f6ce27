// Submits a script to Slurm by its program sbatch.
#include "submit.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// In the child: sbatch with its output into the pipe; ends the process.
static void run_sbatch(int out, const char* script, const char* after) {
    char dependency[JOB_ROOM + 32];
    snprintf(dependency, sizeof dependency, "--dependency=afterany:%.*s", JOB_ROOM,
             after != NULL ? after : "");
    dup2(out, STDOUT_FILENO);
    close(out);
    if (after != NULL) {
        execlp("sbatch", "sbatch", "--parsable", dependency, script, (char*)NULL);
    } else {
        execlp("sbatch", "sbatch", "--parsable", script, (char*)NULL);
    }
    fprintf(stderr, "flyball: cannot run sbatch: %s\n", strerror(errno));
    _exit(127);
}

// "1234" or "1234;cluster"
static size_t read_number(int in, char job[JOB_ROOM]) {
    size_t n = 0;
    ssize_t got;
    while (n + 1 < JOB_ROOM && (got = read(in, job + n, JOB_ROOM - 1 - n)) != 0) {
        if (got < 0 && errno != EINTR) {
            break;
        }
        n += got > 0 ? (size_t)got : 0;
    }
    job[n] = '\0';
    for (n = 0; isdigit((unsigned char)job[n]); n++) {
    }
    job[n] = '\0';
    return n;
}

FbStatus submit_job(const char* script, const char* after, char job[JOB_ROOM], FbError* err) {
    int ends[2];
    FbPlace place = {.file = script};
    job[0] = '\0';
    if (pipe(ends) != 0) {
        return fb_fail(err, FB_ERR_IO, &place, "cannot run sbatch: %s", strerror(errno));
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_sbatch(ends[1], script, after);
    }
    close(ends[1]);
    size_t n = child > 0 ? read_number(ends[0], job) : 0;
    close(ends[0]);
    int state = -1;
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    if (child < 0 || state != 0 || n == 0) {
        return fb_fail(err, FB_ERR_IO, &place,
                       "sbatch did not accept the script; submit it where Slurm is installed, or "
                       "correct the section 'slurm' of the study");
    }
    return FB_OK;
}
