/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "output.h"
#include "session.h"
#include "stream.h"
#include "unique.h"

typedef struct lower {
    FILE *out;
    bw_session *session;
    size_t launch;
    bool merge;
    bool full; /* more different requests than --max-memory has room for */
    bw_unique seen;
} lower;

static size_t most_unique(const bw_args *args)
{
    uint64_t given = args->values[BW_OPTION_MAX_MEMORY].number;
    return bw_unique_room(given ? (size_t)given : BW_DEFAULT_MAX_MEMORY);
}

/* ---- writing ---- */

static bool take_request(void *context, const bw_request_origin *origin, const bw_request *request,
                         uint64_t copies)
{
    lower *to = context;
    const bw_access *accesses;
    if (to->merge) {
        bw_unique_add(&to->seen, request, copies);
        to->full = to->seen.count > most_unique(to->session->args);
        return !to->full;
    }
    bw_program_accesses(to->session->program, &accesses);
    bw_stream_write_request(to->out, request);
    fprintf(to->out, ",%zu,%u,%u,%" PRIu32 ",%" PRIu64 ",%" PRIu64 "\n", to->launch + 1,
            accesses[origin->access].line, accesses[origin->access].column, origin->warp,
            origin->block, copies);
    return !ferror(to->out);
}

/* A comment line must stay one line. */
static void write_meta(FILE *out, const char *key, const char *value)
{
    fprintf(out, "# %s: ", key);
    for (; *value; value++)
        putc(*value == '\n' || *value == '\r' ? ' ' : *value, out);
    putc('\n', out);
}

static void write_parameters(FILE *out, const bw_session *session)
{
    const bw_parameter *parameters;
    size_t count = bw_program_parameters(session->program, &parameters);
    if (count)
        fputs("# parameters:", out);
    for (size_t i = 0; i < count; i++) {
        if (parameters[i].is_float)
            fprintf(out, " %s=%.17g", parameters[i].name, parameters[i].real);
        else
            fprintf(out, " %s=%" PRId64, parameters[i].name, parameters[i].integer);
    }
    fputs(count ? "\n" : "", out);
}

static void write_launches(FILE *out, const bw_session *session)
{
    const bw_launch *launches;
    size_t count = bw_program_launches(session->program, &launches);
    for (size_t i = 0; i < count; i++) {
        const bw_launch *at = &launches[i];
        fprintf(out,
                "# launch %zu: %s block %" PRIu32 "x%" PRIu32 "x%" PRIu32 " grid %" PRIu32
                "x%" PRIu32 "x%" PRIu32 " shared %" PRIu32 "\n",
                i + 1, at->kernel ? at->kernel : "script", at->block[0], at->block[1], at->block[2],
                at->grid[0], at->grid[1], at->grid[2], at->shared_bytes);
    }
}

static void write_head(const lower *to)
{
    const bw_session *session = to->session;
    const bw_value *values = session->args->values;
    fprintf(to->out, "# shared-memory requests of %s, in order of evaluation\n",
            bw_input_is_machine(&session->input) ? "machine code" : "a pattern file");
    write_meta(to->out, "file", session->input.source.name);
    write_meta(to->out, "arch", session->program->arch->name);
    write_parameters(to->out, session);
    write_launches(to->out, session);
    if (bw_program_is_random(session->program))
        fprintf(to->out, "# random: one sample, seed %" PRIu64 "\n", values[BW_OPTION_SEED].number);
    if (to->merge)
        fputs("# count: how many requests of the whole grid are equal to this one\n", to->out);
    else
        fputs("# copies: how many blocks this request stands for, because their requests are "
              "alike\n",
              to->out);
    bw_stream_write_header(to->out, to->merge ? ",count" : ",launch,line,column,warp,block,copies");
}

static void write_unique(lower *to)
{
    for (size_t i = 0; i < to->seen.count; i++) {
        bw_stream_write_request(to->out, &to->seen.items[i].request);
        fprintf(to->out, ",%" PRIu64 "\n", to->seen.items[i].count);
    }
}

static bool lower_launches(lower *to)
{
    const bw_launch *launches;
    bw_session *session = to->session;
    size_t count = bw_program_launches(session->program, &launches);
    bool good = true;
    write_head(to);
    for (to->launch = 0; to->launch < count && good && !to->full; to->launch++) {
        bw_sink sink = {to, take_request};
        bw_run run;
        bw_laws_seed(session->laws, (uint32_t)session->args->values[BW_OPTION_SEED].number);
        good = bw_program_run(session->program, to->launch, &sink, &run, &session->diags);
    }
    if (good && to->merge && !to->full)
        write_unique(to);
    bw_session_show(session);
    if (to->full)
        bw_complain(BW_MSG_MEMORY_BUDGET, "leave out --unique, or give more with --max-memory",
                    "lower: %zu different requests fill the memory", to->seen.count);
    return good && !to->full;
}

bw_exit bw_run_lower(const bw_args *args)
{
    bw_output output;
    bw_session session;
    if (!bw_output_open(&output, args))
        return BW_EXIT_USAGE;
    bw_exit code = bw_session_open(&session, args, args->files[0]);
    if (code == BW_EXIT_DONE) {
        lower to = {
            .out = output.file, .session = &session, .merge = args->values[BW_OPTION_UNIQUE].given};
        if (!lower_launches(&to))
            code = BW_EXIT_USAGE;
        bw_unique_finish(&to.seen);
    }
    bw_session_close(&session);
    return bw_output_close(&output, code == BW_EXIT_DONE, code);
}
