// Pictures of reports, taken by a headless browser: it opens the file at
// the address that shows the picture alone, and writes it.
#include "still.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/new_file.h"
#include "base/text.h"
#include "folder.h"
#include "terminal.h"

enum { WIDTH = 1280, HEIGHT = 720, LEAST = 16, MOST = 16384, PATIENCE_S = 120, PATH_ROOM = 4096 };

static const char* const views[] = {"standard", "front", "side", "top", "corner", "page"};
enum { N_VIEWS = sizeof views / sizeof views[0] };

static int read_size(const Options* options, Still* out) {
    char rest;
    if (options->size == NULL) {
        return EXIT_OK;
    }
    if (sscanf(options->size, "%5dx%5d%c", &out->width, &out->height, &rest) != 2 ||
        out->width < LEAST || out->height < LEAST || out->width > MOST || out->height > MOST) {
        return usage_error(options,
                           "--size is '%s'; it must be WIDTHxHEIGHT in pixels from %d to %d, as in "
                           "1280x720",
                           options->size, LEAST, MOST);
    }
    return EXIT_OK;
}

int read_still(const Options* options, Still* out) {
    *out = (Still){.view = "standard", .time = NAN, .width = WIDTH, .height = HEIGHT};
    bool has_some = options->view || options->time || options->size;
    if (has_some && options->png == NULL) {
        return usage_error(options, "--view, --time and --size are those of --png; give that too");
    }
    if (options->time && (!fb_parse_double(options->time, strlen(options->time), &out->time) ||
                          !isfinite(out->time))) {
        return usage_error(options, "--time is '%s'; it must be a number of seconds",
                           options->time);
    }
    if (options->view) {
        bool is_known = false;
        for (int i = 0; i < N_VIEWS; i++) {
            is_known = is_known || strcmp(options->view, views[i]) == 0;
        }
        if (!is_known) {
            const char* close = fb_did_you_mean(options->view, views, N_VIEWS);
            char hint[HINT_ROOM];
            return usage_error(options,
                               "there is no view '%s'%s It can be standard, front, side, top, "
                               "corner or page",
                               options->view, hint_of(close, ".", hint));
        }
        out->view = options->view;
    }
    return read_size(options, out);
}

static bool is_program(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

// The browser that $FLYBALL_BROWSER names, else the first one in the folders of $PATH.
static bool find_browser(char out[PATH_ROOM]) {
    static const char* const names[] = {"chromium", "chromium-browser", "google-chrome",
                                        "google-chrome-stable", "microsoft-edge"};
    const char* named = getenv("FLYBALL_BROWSER");
    const char* folders = getenv("PATH");
    if (named && named[0]) {
        snprintf(out, PATH_ROOM, "%s", named);
        return is_program(out);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (const char* at = folders; at && *at; at += *at == ':') {
            int length = (int)strcspn(at, ":");
            snprintf(out, PATH_ROOM, "%.*s/%s", length, at, names[i]);
            if (length > 0 && is_program(out)) {
                return true;
            }
            at += length;
        }
    }
    return false;
}

// The address of a file: everything but letters, digits and a few signs is written as %XX.
static bool add_address(FbText* out, const char* html, const Still* still) {
    char path[2 * PATH_ROOM], here[PATH_ROOM] = "";
    bool is_absolute = html[0] == '/';
    if (access(html, R_OK) != 0 || (!is_absolute && getcwd(here, sizeof here) == NULL)) {
        return false;
    }
    snprintf(path, sizeof path, "%s%s%s", here, is_absolute ? "" : "/", html);
    fb_text_add(out, "file://");
    for (const char* c = path; *c; c++) {
        bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                        (*c >= '0' && *c <= '9') || strchr("/-._~", *c);
        if (is_plain) {
            fb_text_add_n(out, c, 1);
        } else {
            fb_text_addf(out, "%%%02X", (unsigned)(unsigned char)*c);
        }
    }
    bool is_page = strcmp(still->view, "page") == 0;
    const char* view = strcmp(still->view, "standard") == 0 || is_page ? "start" : still->view;
    fb_text_addf(out, "#%sview=%s", is_page ? "" : "still&", view);
    char number[32];
    fb_format_double(isnan(still->time) ? 0.0 : still->time, number);
    if (!isnan(still->time)) {
        fb_text_addf(out, "&t=%s", number);
    } else if (is_page) {
        fb_text_add(out, "&t=-1e300");  // the start, without playing
    }
    return !out->has_failed;
}

// Waits for a child; false: it took too long, or the program was interrupted, and it was ended.
static bool wait_for(pid_t child, int* status) {
    const struct timespec moment = {.tv_nsec = 50000000};
    for (int i = 0; i < 20 * PATIENCE_S && !is_interrupted(); i++) {
        pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR)) {
            return ended == child;
        }
        nanosleep(&moment, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, status, 0);
    return false;
}

// The browser's own words go nowhere: they are about graphics cards and message buses.
static bool run_browser(const char* browser, char* const* words) {
    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) && freopen("/dev/null", "w", stdout)) {
            execv(browser, words);
        }
        _exit(127);
    }
    int status = 0;
    return child > 0 && wait_for(child, &status) && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The picture is drawn by the processor, so that it does not depend on a graphics card.
static bool draw(const char* browser, const char* address, const Still* still, const char* folder,
                 const char* png) {
    char shot[PATH_ROOM + 32], size[64], profile[PATH_ROOM + 32];
    snprintf(shot, sizeof shot, "--screenshot=%s", png);
    snprintf(size, sizeof size, "--window-size=%d,%d", still->width, still->height);
    snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", folder);
    const char* const words[] = {browser,
                                 "--headless=new",
                                 shot,
                                 size,
                                 profile,
                                 "--hide-scrollbars",
                                 "--force-device-scale-factor=1",
                                 "--virtual-time-budget=4000",
                                 "--use-gl=angle",
                                 "--use-angle=swiftshader",
                                 "--enable-unsafe-swiftshader",
                                 "--disable-background-networking",
                                 "--disable-component-update",
                                 "--disable-sync",
                                 "--disable-extensions",
                                 "--disable-dev-shm-usage",
                                 "--no-first-run",
                                 geteuid() == 0 ? "--no-sandbox" : "--mute-audio",
                                 address,
                                 NULL};
    return run_browser(browser, (char* const*)words) && access(png, R_OK) == 0;
}

// The PNG file takes its name when it is complete.
static FbStatus keep_picture(const char* from, const char* png, FbError* err) {
    FbNewFile file;
    FILE* in = fopen(from, "rb");
    if (!in) {
        return fb_fail(err, FB_ERR_IO, NULL, "cannot read the picture of the browser");
    }
    FbStatus status = fb_new_file_open(&file, png, err);
    if (status == FB_OK) {
        char bytes[1 << 14];
        size_t n;
        bool is_good = true;
        while (is_good && (n = fread(bytes, 1, sizeof bytes, in)) > 0) {
            is_good = fwrite(bytes, 1, n, file.file) == n;
        }
        int write_error = errno ? errno : EIO;
        status = fb_new_file_close(&file, FB_OK, is_good ? 0 : write_error, err);
    }
    fclose(in);
    return status;
}

int take_still(const Options* options, const Still* still, const char* html, const char* png) {
    char browser[PATH_ROOM], folder[SCRATCH_ROOM], shot[SCRATCH_ROOM + 16];
    if (!find_browser(browser)) {
        print_note(
            "--png needs a browser to draw with, and none is in $PATH: chromium, google-chrome or "
            "microsoft-edge. Install the package chromium, or name one in $FLYBALL_BROWSER");
        return EXIT_COMPUTATION;
    }
    FbText address;
    FbError err;
    fb_text_init(&address);
    int code = EXIT_FILE;
    if (!add_address(&address, html, still)) {
        print_note("cannot open %s: %s", html, strerror(errno));
    } else if (make_scratch(folder, &err) < 0) {
        print_error(&err);
    } else {
        snprintf(shot, sizeof shot, "%s/still.png", folder);
        if (!draw(browser, address.data, still, folder, shot)) {
            print_note("%s did not draw the picture; open %s in it to see why", browser, html);
            code = is_interrupted() ? EXIT_INTERRUPTED : EXIT_COMPUTATION;
        } else if (keep_picture(shot, png, &err) < 0) {
            print_error(&err);
        } else {
            code = EXIT_OK;
            if (!options->is_quiet) {
                print_note("wrote %s", png);
            }
        }
        remove_folder(folder);
    }
    fb_text_free(&address);
    return code;
}
