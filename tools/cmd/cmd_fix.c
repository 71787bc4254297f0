/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fix_report.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "output.h"
#include "report.h"

/* ---- progress, and stopping with what was found ---- */

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    stopped = 1;
    signal(number, SIG_DFL); /* a second time ends the program */
}

/* Cells of the bar, and seconds between two pictures of it. */
#define BAR 30
#define REDRAWN 0.1

typedef struct search_progress {
    struct timespec begun;
    double drawn; /* seconds after `begun` */
    bool terminal, shown;
} search_progress;

static double seconds_since(const struct timespec *begun)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begun->tv_sec) + 1e-9 * (double)(now.tv_nsec - begun->tv_nsec);
}

static bool report_progress(void *context, uint64_t priced, uint64_t all)
{
    static const char full[] = "##############################";
    search_progress *p = context;
    double now = p->terminal ? seconds_since(&p->begun) : 0;
    if (now > 1 && now > p->drawn + REDRAWN) {
        double part = all ? (double)priced / (double)all : 1;
        fprintf(stderr, "\rsearching [%-*.*s] %3d%%  Ctrl-C keeps the best so far ", BAR,
                (int)(part * BAR), full, (int)(100 * part));
        p->drawn = now;
        p->shown = true;
    }
    return !stopped;
}

static void end_progress(const search_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
}

/* ---- options ---- */

static unsigned kinds_of(const bw_args *args)
{
    static const unsigned kinds[] = {
        [BW_FIX_ANY] = 0,
        [BW_FIX_PAD] = 1u << BW_LAYOUT_PAD | 1u << BW_LAYOUT_EVERY,
        [BW_FIX_SWIZZLE] = 1u << BW_LAYOUT_XOR | 1u << BW_LAYOUT_SWIZZLE,
        [BW_FIX_ORDER] = 1u << BW_LAYOUT_ORDER,
        [BW_FIX_STRUCT] = 1u << BW_LAYOUT_STRUCT | 1u << BW_LAYOUT_MEMBERS | 1u << BW_LAYOUT_SOA,
    };
    _Static_assert(sizeof kinds / sizeof *kinds == BW_FIX_STRUCT + 1, "kinds of each choice");
    return kinds[args->values[BW_OPTION_KIND].number];
}

/* Series 0 begins as a report does, so that fix and predict see the same values. */
static void reseed(void *context, unsigned series)
{
    const bw_session *session = context;
    bw_laws_seed(session->laws,
                 (uint32_t)session->args->values[BW_OPTION_SEED].number + series * 0x9E3779B9u);
}

static bw_fix_options options_of(bw_session *session, search_progress *progress)
{
    const bw_value *values = session->args->values;
    bw_fix_options options = {
        .pattern = bw_session_options(session),
        .search = {.max_pad = (uint32_t)values[BW_OPTION_MAX_PAD].number,
                   .align = (uint32_t)values[BW_OPTION_ALIGN].number,
                   .kinds = kinds_of(session->args),
                   .tma = values[BW_OPTION_TMA].given,
                   .progress = report_progress,
                   .context = progress},
        .array = values[BW_OPTION_ARRAY].given ? values[BW_OPTION_ARRAY].text : NULL,
        .max_shared = values[BW_OPTION_MAX_BYTES].number,
        .trials = (unsigned)values[BW_OPTION_TRIALS].number,
        .reseed = reseed,
        .context = session,
    };
    return options;
}

/* ---- the change of all arrays together ---- */

/* A text with a name that outlives the fixes made of it. */
static bw_source *keep(bw_session *session, const char *text, size_t len)
{
    bw_source *source = bw_arena_alloc(&session->arena, sizeof *source);
    *source = (bw_source){session->input.source.name, bw_arena_copy(&session->arena, text, len),
                          len, NULL};
    return source;
}

static const bw_proposal *picked(const bw_subject *s, size_t pick)
{
    return s->count ? &s->proposals[pick < s->count ? pick : s->count - 1] : NULL;
}

/* One array after the other: the changes of two may meet in a struct or a launch. */
static const bw_source *change_all(bw_session *session, const bw_fix *fix,
                                   const bw_fix_options *options, size_t pick)
{
    const bw_source *source = fix->source;
    bool first = true;
    for (size_t i = 0; i < fix->count; i++) {
        const bw_proposal *p = picked(&fix->subjects[i], pick);
        if (!p)
            continue;
        if (first) {
            source = keep(session, p->text, p->len);
            first = false;
            continue;
        }
        bw_fix next;
        bw_diags diags = {.count = 0};
        bw_fix_options one = *options;
        one.only = i + 1;
        if (bw_fix_make(&next, source, &one, &diags) && i < next.count &&
            (p = picked(&next.subjects[i], pick)) != NULL)
            source = keep(session, p->text, p->len);
        bw_fix_finish(&next);
        bw_diags_finish(&diags);
    }
    return source;
}

/* ---- writing it ---- */

static bw_exit cannot_apply(const char *note, const char *path, const char *why)
{
    bw_complain(BW_MSG_CANNOT_APPLY, note, "cannot change '%s': %s", path, why);
    return BW_EXIT_USAGE;
}

static bool is_unchanged(const bw_session *session)
{
    bw_input now;
    if (!bw_input_read(&now, session->input.path))
        return false;
    bool same = now.source.len == session->input.source.len &&
                memcmp(now.source.text, session->input.source.text, now.source.len) == 0;
    bw_input_finish(&now);
    return same;
}

static bool write_whole(int file, const char *text, size_t len)
{
    while (len) {
        ssize_t done = write(file, text, len);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        text += done;
        len -= (size_t)done;
    }
    return fsync(file) == 0;
}

/* The new text takes the place of the file by a rename, if the file is still what was read. */
static bw_exit replace_file(bw_session *session, const bw_source *source)
{
    char *target = realpath(session->input.path, NULL);
    struct stat status;
    if (!target || stat(target, &status) != 0) {
        free(target);
        return cannot_apply(NULL, session->input.path, strerror(errno));
    }
    if (!(status.st_mode & 0222)) { /* a rename would not ask */
        free(target);
        return cannot_apply("make it writable first", session->input.path, "it is read-only");
    }
    bw_temporary temporary;
    bool good = bw_temporary_make(&temporary, target, status.st_mode & 07777);
    bool made = good;
    good = good && write_whole(temporary.file, source->text, source->len);
    int reason = errno;
    if (made && close(temporary.file) != 0)
        good = false;
    bool same = good && is_unchanged(session);
    if (good && same && !bw_temporary_rename(&temporary, target)) {
        reason = errno;
        good = false;
    }
    bw_temporary_remove(&temporary);
    free(target);
    if (!good)
        return cannot_apply(NULL, session->input.path, strerror(reason));
    return same ? BW_EXIT_DONE
                : cannot_apply("run it again", session->input.path, "it has changed meanwhile");
}

static bw_exit apply(bw_session *session, const bw_source *source)
{
    const bw_input *input = &session->input;
    if (!input->path)
        return cannot_apply("give a file, or redirect the diff", "<stdin>", "it is no file");
    if (strcmp(input->path, input->source.name) != 0)
        return cannot_apply("copy it and fix the copy", input->source.name,
                            "it is a stock pattern");
    if (source == &input->source)
        return BW_EXIT_DONE;
    return replace_file(session, source);
}

/* ---- the command ---- */

static bool has_pick(const bw_fix *fix, size_t pick)
{
    size_t most = 0;
    for (size_t i = 0; i < fix->count; i++)
        most = fix->subjects[i].count > most ? fix->subjects[i].count : most;
    if (pick && pick >= most)
        bw_complain(BW_MSG_NO_PROPOSAL, NULL, "--pick: there %s %zu proposal%s",
                    most == 1 ? "is" : "are", most, most == 1 ? "" : "s");
    return !pick || pick < most;
}

static bool has_array(const bw_fix *fix)
{
    bool found = !fix->options.array;
    for (size_t i = 0; i < fix->count && !found; i++)
        found = strcmp(fix->subjects[i].name, fix->options.array) == 0;
    if (!found)
        bw_complain(BW_MSG_UNKNOWN_ARRAY,
                    fix->count ? bw_arena_format((bw_arena *)&fix->arena, "there is '%s'",
                                                 fix->subjects[0].name)
                               : NULL,
                    "--array: no shared array is called '%s'", fix->options.array);
    return found;
}

static bw_exit show(bw_session *session, const bw_fix *fix, const bw_fix_options *options)
{
    const bw_args *args = session->args;
    size_t pick = args->values[BW_OPTION_PICK].given ? args->values[BW_OPTION_PICK].number - 1 : 0;
    bw_output output;
    if (!has_array(fix) || !has_pick(fix, pick) || !bw_output_open(&output, args))
        return BW_EXIT_USAGE;
    const bw_source *source = change_all(session, fix, options, pick);
    bw_fix_report report = {
        .session = session,
        .args = args,
        .fix = fix,
        .text = source->text,
        .len = source->len,
        .diff = bw_unified_diff(&session->arena, source->name, fix->source, source),
        .out = output.file,
        .width = output.width,
        .colour = output.colour,
    };
    bw_fix_write(&report);
    bw_exit code = args->values[BW_OPTION_APPLY].given ? apply(session, source) : BW_EXIT_DONE;
    return bw_output_close(&output, code == BW_EXIT_DONE, code);
}

static bw_exit fix_layouts(bw_session *session)
{
    search_progress progress = {.terminal = isatty(STDERR_FILENO) &&
                                            !session->args->values[BW_OPTION_QUIET].given};
    clock_gettime(CLOCK_MONOTONIC, &progress.begun);
    bw_fix_options options = options_of(session, &progress);
    bw_fix fix;
    signal(SIGINT, stop);
    bool good = bw_fix_make(&fix, &session->input.source, &options, &session->diags);
    end_progress(&progress);
    bw_session_show(session);
    bw_exit code = good ? show(session, &fix, &options) : BW_EXIT_USAGE;
    bw_fix_finish(&fix);
    return code;
}

/* Only the accesses of the array that was asked for. False, with a message, where there is none. */
static bool choose_array(const bw_session *session, bw_lane_maps *maps)
{
    const bw_value *array = &session->args->values[BW_OPTION_ARRAY];
    const bw_access *accesses;
    size_t count = bw_program_accesses(session->program, &accesses), kept = 0;
    bool known = !array->given;
    for (size_t i = 0; i < count && !known; i++)
        known = strcmp(accesses[i].array, array->text) == 0;
    for (size_t i = 0; i < maps->count; i++)
        if (!array->given || strcmp(accesses[maps->items[i].access].array, array->text) == 0)
            maps->items[kept++] = maps->items[i];
    maps->count = kept;
    if (!known)
        bw_complain(BW_MSG_UNKNOWN_ARRAY, NULL, "--array: no shared array called '%s' is accessed",
                    array->text);
    return known;
}

static bw_exit show_lanes(const bw_session *session, const bw_lane_maps *maps)
{
    bw_output output;
    if (!bw_output_open(&output, session->args))
        return BW_EXIT_USAGE;
    bw_lane_report report = {session,     session->args, maps,
                             output.file, output.width,  output.colour};
    bw_lane_write(&report);
    return bw_output_close(&output, true, BW_EXIT_DONE);
}

static bw_exit map_lanes(bw_session *session)
{
    bw_lane_maps maps = {.items = NULL};
    if (session->args->values[BW_OPTION_APPLY].given) {
        bw_complain(BW_MSG_OPTION_CONFLICT, "it shows assignments; writing them is yours",
                    "--lane-map and --apply do not go together");
        return BW_EXIT_USAGE;
    }
    bool good = bw_session_parse(session) &&
                bw_lane_maps_find(&maps, session->program,
                                  session->args->values[BW_OPTION_ARCH].arch, &session->diags);
    bw_session_show(session);
    good = good && choose_array(session, &maps);
    bw_exit code = good ? show_lanes(session, &maps) : BW_EXIT_USAGE;
    bw_lane_maps_finish(&maps);
    return code;
}

bw_exit bw_run_fix(const bw_args *args)
{
    bw_session session = {
        .args = args, .defines = args->defines, .define_count = args->define_count};
    if (!bw_input_read(&session.input, args->files[0]))
        return BW_EXIT_USAGE;
    if (bw_input_is_stream(&session.input)) {
        bw_complain(BW_MSG_STREAM_NOT_PATTERN, "give the pattern file that the requests came from",
                    "'%s' is a request stream: it has no layout to change",
                    session.input.source.name);
        bw_session_close(&session);
        return BW_EXIT_USAGE;
    }
    if (bw_input_is_machine(&session.input)) {
        bw_complain(BW_MSG_INPUT_KIND,
                    "give the source that it was compiled from; 'bankwise predict' and 'explain' "
                    "take machine code",
                    "'%s' is machine code: it has no layout to change", session.input.source.name);
        bw_session_close(&session);
        return BW_EXIT_USAGE;
    }
    bw_exit code =
        args->values[BW_OPTION_LANE_MAP].given ? map_lanes(&session) : fix_layouts(&session);
    bw_session_close(&session);
    return code;
}
