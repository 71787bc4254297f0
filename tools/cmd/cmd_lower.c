/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "session.h"
#include "stream.h"
#include "unique.h"

typedef struct lower {
    FILE *out;
    bool is_binary;
    bw_bwr_writer *binary; /* NULL before the head, and of CSV */
    bw_session *session;
    size_t launch;
    bool merge;
    bool sources; /* copies say where they read */
    bool full;    /* more different requests than --max-memory has room for */
    bw_unique seen;
} lower;

static size_t most_unique(const bw_args *args)
{
    uint64_t given = args->values[BW_OPTION_MAX_MEMORY].number;
    return bw_unique_room(given ? (size_t)given : BW_DEFAULT_MAX_MEMORY);
}

/* Order of the choices of --format. */
enum { FORM_CSV, FORM_BWR };

/* --format, or what the output's name ends with. */
static bool wants_binary(const bw_args *args)
{
    const bw_value *form = &args->values[BW_OPTION_FORMAT];
    const char *path = args->values[BW_OPTION_OUTPUT].text;
    size_t len = path ? strlen(path) : 0;
    if (form->given)
        return form->number == FORM_BWR;
    return len > 4 && strcmp(path + len - 4, ".bwr") == 0;
}

/* ---- writing ---- */

/* Numbers beside a request, of a whole one. */
#define NUMBERS 6u

static void write_binary(lower *to, const bw_request *request, const uint64_t *numbers,
                         unsigned count)
{
    uint64_t all[NUMBERS + BW_SOURCE_COLUMNS];
    memcpy(all, numbers, count * sizeof *all);
    if (to->sources)
        bw_stream_source_numbers(request, all + count);
    bw_bwr_write(to->binary, request, all);
}

static void write_row(lower *to, const bw_request *request, const uint64_t *numbers, unsigned count)
{
    if (to->binary) {
        write_binary(to, request, numbers, count);
        return;
    }
    bw_stream_write_request(to->out, request);
    for (unsigned i = 0; i < count; i++)
        fprintf(to->out, ",%" PRIu64, numbers[i]);
    if (to->sources)
        bw_stream_write_sources(to->out, request);
    putc('\n', to->out);
}

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
    const uint64_t numbers[NUMBERS] = {to->launch + 1,
                                       accesses[origin->access].line,
                                       accesses[origin->access].column,
                                       origin->warp,
                                       origin->block,
                                       copies};
    write_row(to, request, numbers, NUMBERS);
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

static void write_comments(const lower *to, FILE *out)
{
    const bw_session *session = to->session;
    const bw_value *values = session->args->values;
    fprintf(out, "# shared-memory requests of %s, in order of evaluation\n",
            bw_input_is_machine(&session->input) ? "machine code" : "a pattern file");
    write_meta(out, "file", session->input.source.name);
    write_meta(out, "arch", session->program->arch->name);
    write_parameters(out, session);
    write_launches(out, session);
    if (bw_program_is_random(session->program))
        fprintf(out, "# random: one sample, seed %" PRIu64 "\n", values[BW_OPTION_SEED].number);
    if (to->merge)
        fputs("# count: how many requests of the whole grid are equal to this one\n", out);
    else
        fputs("# copies: how many blocks this request stands for, because their requests are "
              "alike\n",
              out);
}

static void write_csv_head(lower *to)
{
    const char *columns = to->merge ? ",count" : ",launch,line,column,warp,block,copies";
    write_comments(to, to->out);
    if (to->sources)
        bw_stream_write_header_with_sources(to->out, columns);
    else
        bw_stream_write_header(to->out, columns);
}

/* The names of a .bwr's numbers. The caller frees. */
static char *binary_columns(const lower *to)
{
    char *columns = NULL;
    size_t len;
    FILE *text = open_memstream(&columns, &len);
    if (!text)
        bw_out_of_memory();
    fputs(to->merge ? "count" : "launch line column warp block copies", text);
    if (to->sources)
        bw_stream_write_source_names(text, ' ');
    if (fclose(text) != 0)
        bw_out_of_memory();
    return columns;
}

static void write_head(lower *to)
{
    char *comments = NULL;
    size_t len = 0;
    to->sources = !to->merge && to->session->program->sources;
    if (!to->is_binary) {
        write_csv_head(to);
        return;
    }
    FILE *text = open_memstream(&comments, &len);
    if (!text)
        bw_out_of_memory();
    write_comments(to, text);
    if (fclose(text) != 0)
        bw_out_of_memory();
    char *columns = binary_columns(to);
    to->binary = bw_bwr_create(to->out, comments, columns);
    free(columns);
    free(comments);
}

static void write_unique(lower *to)
{
    for (size_t i = 0; i < to->seen.count; i++)
        write_row(to, &to->seen.items[i].request, &to->seen.items[i].count, 1);
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
    bw_bwr_finish(to->binary, good && !to->full);
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
    output.binary = wants_binary(args);
    bw_exit code = bw_session_open(&session, args, args->files[0]);
    if (code == BW_EXIT_DONE) {
        lower to = {.out = output.file,
                    .is_binary = output.binary,
                    .session = &session,
                    .merge = args->values[BW_OPTION_UNIQUE].given};
        if (!lower_launches(&to))
            code = BW_EXIT_USAGE;
        bw_unique_finish(&to.seen);
    }
    bw_session_close(&session);
    return bw_output_close(&output, code == BW_EXIT_DONE, code);
}
