/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gpu_program.h"
#include "measurement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options that exclude each other: there is one way at a time to come by measurements. */
static bool check_options(const bw_args *args)
{
    static const struct {
        bw_option_id id;
        const char *name;
    } runs[] = {{BW_OPTION_GPU, "gpu"}, {BW_OPTION_RECORDING, "recording"}};
    const bw_value *values = args->values;
    bool requests = values[BW_OPTION_REQUESTS].given, replay = values[BW_OPTION_REPLAY].given;
    if (requests && replay) {
        bw_complain(BW_MSG_OPTION_CONFLICT, NULL, "measure: --replay does not go with --requests");
        return false;
    }
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if ((requests || replay) && values[runs[i].id].given) {
            bw_complain(BW_MSG_OPTION_CONFLICT,
                        "no card is run, so there is no program to name and nothing to keep",
                        "measure: --%s does not go with --%s", runs[i].name,
                        requests ? "requests" : "replay");
            return false;
        }
    if (requests && values[BW_OPTION_FORMAT].given) {
        bw_complain(BW_MSG_OPTION_CONFLICT, NULL,
                    "measure: --format is for reports; --requests writes a request stream");
        return false;
    }
    return true;
}

/* Where the recording is to be kept is opened first: a run on a card must not be for nothing. */
static bool open_kept(const bw_args *args, FILE **kept, bool *is_new)
{
    const bw_value *path = &args->values[BW_OPTION_RECORDING];
    *kept = NULL;
    if (!path->given)
        return true;
    *is_new = access(path->text, F_OK) != 0;
    if (bw_is_input(args, path->text)) {
        bw_complain(BW_MSG_OUTPUT_IS_INPUT, "name another file",
                    "--recording: '%s' is the pattern itself", path->text);
        return false;
    }
    *kept = fopen(path->text, "a"); /* what is there stays until there is something better */
    if (!*kept)
        bw_complain_of(BW_MSG_CANNOT_WRITE, NULL, "write", path->text, errno);
    return *kept != NULL;
}

static bool cannot_keep(const bw_args *args)
{
    bw_complain_of(BW_MSG_CANNOT_WRITE, NULL, "write", args->values[BW_OPTION_RECORDING].text,
                   errno);
    return false;
}

/* Copies the recording to where it is kept; leaves it rewound. */
static bool keep(const bw_args *args, FILE *recording, FILE **kept)
{
    char buffer[1 << 16];
    size_t length;
    if (!*kept)
        return true;
    *kept = freopen(args->values[BW_OPTION_RECORDING].text, "w", *kept);
    if (!*kept)
        return cannot_keep(args);
    while ((length = fread(buffer, 1, sizeof buffer, recording)) > 0)
        if (fwrite(buffer, 1, length, *kept) != length)
            return cannot_keep(args);
    rewind(recording);
    return fflush(*kept) == 0 ? true : cannot_keep(args);
}

static bw_exit replay_file(bw_measurement *all, const char *path)
{
    bool from_stdin = strcmp(path, "-") == 0;
    FILE *file = from_stdin ? stdin : fopen(path, "rb");
    if (!file) {
        bw_complain_of(BW_MSG_CANNOT_READ, NULL, "read", path, errno);
        return BW_EXIT_USAGE;
    }
    all->recording = from_stdin ? "<stdin>" : path;
    bool good = bw_measurement_replay(all, file, all->recording);
    if (!from_stdin)
        fclose(file);
    return good ? BW_EXIT_DONE : BW_EXIT_USAGE;
}

/* Runs the card on the requests that it can be asked for. */
static bw_exit run_card(bw_measurement *all, FILE *requests, FILE *recording)
{
    FILE *kept;
    bool is_new = false;
    const char *program;
    if (!open_kept(all->args, &kept, &is_new))
        return BW_EXIT_USAGE;
    bw_measurement_write(all, requests);
    bw_exit code = bw_gpu_run(&all->arena, all->args, requests, recording, &program);
    if (code != BW_EXIT_DONE && is_new)
        remove(all->args->values[BW_OPTION_RECORDING].text);
    if (code == BW_EXIT_DONE && !keep(all->args, recording, &kept))
        code = BW_EXIT_INTERNAL;
    if (code == BW_EXIT_DONE &&
        !bw_measurement_replay(all, recording,
                               bw_arena_format(&all->arena, "what %s wrote", program)))
        code = BW_EXIT_INTERNAL;
    if (kept && fclose(kept) != 0 && code == BW_EXIT_DONE)
        code = cannot_keep(all->args) ? BW_EXIT_DONE : BW_EXIT_INTERNAL;
    return code;
}

static bw_exit measure_now(bw_measurement *all)
{
    FILE *requests = tmpfile(), *recording = tmpfile();
    bw_exit code = BW_EXIT_INTERNAL;
    if (requests && recording)
        code = run_card(all, requests, recording);
    else
        bw_complain(BW_MSG_CANNOT_WRITE, NULL, "cannot make a temporary file: %s", strerror(errno));
    if (requests)
        fclose(requests);
    if (recording)
        fclose(recording);
    return code;
}

static bw_exit take_measures(bw_measurement *all)
{
    const bw_value *replay = &all->args->values[BW_OPTION_REPLAY];
    bw_measurement_prepare(all);
    bw_exit code = BW_EXIT_DONE;
    if (replay->given)
        code = replay_file(all, replay->text);
    else if (all->given)
        code = measure_now(all);
    if (code == BW_EXIT_DONE && !bw_measurement_judge(all))
        code = BW_EXIT_USAGE;
    return code;
}

bw_exit bw_run_measure(const bw_args *args)
{
    bw_output output;
    bw_measurement all;
    bw_exit code = BW_EXIT_DONE;
    if (!check_options(args) || !bw_output_open(&output, args))
        return BW_EXIT_USAGE;
    bw_measurement_begin(&all, args);
    for (size_t i = 0; i < args->file_count; i++) {
        bw_exit one = bw_measurement_add(&all, args->files[i]);
        code = one > code ? one : code;
    }
    bool requests = args->values[BW_OPTION_REQUESTS].given;
    if (code == BW_EXIT_DONE && requests) {
        bw_measurement_prepare(&all);
        bw_measurement_write(&all, output.file);
    } else if (code == BW_EXIT_DONE) {
        code = take_measures(&all);
    }
    if (code == BW_EXIT_DONE && !requests) {
        bw_measurement_report(&all, &output);
        code = bw_measurement_passes(&all) ? BW_EXIT_DONE : BW_EXIT_FINDING;
    }
    bw_measurement_finish(&all);
    return bw_output_close(&output, code <= BW_EXIT_FINDING, code);
}
