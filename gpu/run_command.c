/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bankwise-gpu run: a stream of requests in, a recording out.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "measure.h"
#include "optable.h"
#include "stream.h"

/* All requests of the stream with their line numbers, and room for what is measured. */
typedef struct job {
    const char *input; /* as messages name it */
    bw_request *requests;
    unsigned *lines;
    size_t count, capacity, line_capacity;
    bw_measured *throughput, *latency;
} job;

static void keep(job *j, const bw_stream_row *row)
{
    BW_GROW(j->lines, j->count, j->line_capacity);
    BW_GROW(j->requests, j->count, j->capacity);
    j->requests[j->count] = row->request;
    j->lines[j->count++] = row->line;
}

static int read_requests(const char *input, job *j)
{
    bool piped = strcmp(input, "-") == 0;
    FILE *file = piped ? stdin : fopen(input, "r");
    j->input = piped ? "standard input" : input;
    if (!file)
        return cli_fail(BW_EXIT_USAGE, "cannot read %s: %s", input, strerror(errno));
    bw_stream_reader *reader = bw_stream_open(file, j->input);
    bw_stream_row row;
    int got, code = BW_EXIT_DONE;
    while ((got = bw_stream_next(reader, &row)) > 0)
        keep(j, &row);
    if (got < 0)
        code = cli_fail(BW_EXIT_USAGE, "%s", bw_stream_error(reader));
    else if (j->count == 0)
        code = cli_fail(BW_EXIT_USAGE, "%s has no requests; 'bankwise lower' makes some", j->input);
    bw_stream_close(reader);
    if (!piped)
        fclose(file);
    return code;
}

/* What the reader of streams leaves to us: the lanes of matrix operations, and where the card's
 * shared memory ends (limit 0: it is not known yet). */
static int check(const job *j, uint32_t limit)
{
    for (size_t i = 0; i < j->count; i++) {
        const bw_request *request = &j->requests[i];
        const bw_op_info *info = bw_op_get(request->op);
        uint32_t wanted = (uint32_t)((UINT64_C(1) << 8 * info->matrices) - 1);
        int lane = bw_request_bad_lane(request, limit);
        if ((request->active & wanted) != wanted)
            return cli_fail(BW_EXIT_USAGE, "%s:%u: %s needs lanes 0 to %d active", j->input,
                            j->lines[i], info->name, 8 * info->matrices - 1);
        if (lane >= 0)
            return cli_fail(BW_EXIT_USAGE,
                            "%s:%u: %s: address %u of lane %d is past the %u bytes of shared "
                            "memory that can be measured on this card",
                            j->input, j->lines[i], info->name, request->addr[lane], lane, limit);
    }
    return BW_EXIT_DONE;
}

/* Removes what the card cannot run, in place. */
static void skip_impossible(job *j, const bw_card *card, uint32_t limit)
{
    size_t kept = 0;
    for (size_t i = 0; i < j->count; i++) {
        const bw_request *request = &j->requests[i];
        if (!bw_card_has(card, request->op) || bw_request_bad_lane(request, limit) >= 0)
            continue;
        j->lines[kept] = j->lines[i];
        j->requests[kept++] = *request;
    }
    if (kept < j->count)
        fprintf(stderr, "bankwise-gpu: note: left out %zu requests that this card cannot run\n",
                j->count - kept);
    j->count = kept;
}

static int check_operations(const cli_args *args, const job *j, bw_card *card,
                            const bw_meter *meter)
{
    for (size_t i = 0; i < j->count; i++) {
        bw_op op = j->requests[i].op;
        if (!bw_card_has(card, op))
            return cli_fail(BW_EXIT_USAGE, "%s:%u: %s needs sm_%d or later; this card is sm_%d",
                            j->input, j->lines[i], bw_op_get(op)->name, bw_gpu_op_get(op)->least_cc,
                            bw_card_about(card)->cc);
        unsigned most = meter->most_warps(meter->context, op);
        if (args->values[CLI_WARPS].number > most)
            return cli_fail(BW_EXIT_USAGE, "--warps: %s can be measured with %u warps at the most",
                            bw_op_get(op)->name, most);
    }
    return BW_EXIT_DONE;
}

/* Measures the requests of one operation, wherever they stand in the stream. */
static bool measure_op(const bw_meter *meter, const job *j, bw_op op, const bw_policy *policy,
                       bw_measured *results)
{
    size_t *at = bw_alloc(j->count * sizeof *at), count = 0;
    for (size_t i = 0; i < j->count; i++)
        if (j->requests[i].op == op)
            at[count++] = i;
    bw_request *requests = bw_alloc((count ? count : 1) * sizeof *requests);
    bw_measured *some = bw_alloc((count ? count : 1) * sizeof *some);
    for (size_t i = 0; i < count; i++)
        requests[i] = j->requests[at[i]];
    bool ok = count == 0 || bw_measure(meter, op, requests, count, policy, some);
    for (size_t i = 0; ok && i < count; i++)
        results[at[i]] = some[i];
    free(some);
    free(requests);
    free(at);
    return ok;
}

static int measure(const cli_args *args, job *j, const bw_meter *meter)
{
    bw_policy careful = BW_POLICY_CAREFUL, waiting = BW_POLICY_CAREFUL;
    careful.timing.warps = (unsigned)args->values[CLI_WARPS].number;
    careful.repeats = waiting.repeats = (unsigned)args->values[CLI_REPEAT].number;
    waiting.timing = BW_TIMING_LATENCY;
    j->throughput = bw_calloc(j->count, sizeof *j->throughput);
    j->latency = bw_calloc(j->count, sizeof *j->latency);
    for (int op = 0; op < BW_OP_COUNT; op++) {
        bool answers = args->values[CLI_LATENCY].given && bw_gpu_op_get((bw_op)op)->answers;
        if (!measure_op(meter, j, (bw_op)op, &careful, j->throughput) ||
            (answers && !measure_op(meter, j, (bw_op)op, &waiting, j->latency)))
            return cli_fail(BW_EXIT_INTERNAL, "%s", meter->error(meter->context));
    }
    return BW_EXIT_DONE;
}

static const char method[] =
    "one block on an SM, all SMs; all warps issue the same request; cycles = slope of clock64() "
    "(latest end less earliest start) between two numbers of issues, for one warp-level "
    "instruction; median of the repeats\n"
    "compare-and-swap loops: each warp has its own copy of the addresses, and loads of further "
    "warps that keep the pipe busy are taken off";

static int write_recording(const cli_args *args, const job *j, bw_card *card)
{
    const cli_value *values = args->values;
    bool latency = values[CLI_LATENCY].given;
    FILE *file = cli_output(values[CLI_OUTPUT].text);
    if (!file)
        return BW_EXIT_USAGE;
    cli_manifest(file, card, method, args->command, values[CLI_NOTE].text);
    fprintf(file, "# warps: %u; repeats: %u\n", (unsigned)values[CLI_WARPS].number,
            (unsigned)values[CLI_REPEAT].number);
    if (latency)
        fputs("# latency: cycles of one access in a chain of one warp, the addition that makes it "
              "depend on the one before included\n",
              file);
    bw_stream_write_header(file, latency ? ",cycles,cycles_spread,wavefronts,status,latency"
                                         : ",cycles,cycles_spread,wavefronts,status");
    for (size_t i = 0; i < j->count; i++) {
        const bw_measured *m = &j->throughput[i];
        bw_stream_write_request(file, &j->requests[i]);
        fprintf(file, ",%.3f,%.3f,%lld,%s", m->cycles, m->spread, llround(m->cycles),
                !m->stable                                ? "unstable"
                : bw_gpu_op_get(j->requests[i].op)->exact ? "ok"
                                                          : "inexact");
        if (latency && bw_gpu_op_get(j->requests[i].op)->answers)
            fprintf(file, ",%.2f", j->latency[i].cycles);
        else if (latency)
            fputc(',', file);
        fputc('\n', file);
    }
    return cli_close(file, values[CLI_OUTPUT].text) ? BW_EXIT_DONE : BW_EXIT_INTERNAL;
}

static int run_on_card(const cli_args *args, job *j)
{
    bw_card *card;
    int code = cli_open_card(args->values[CLI_DEVICE].number, &card);
    if (code != BW_EXIT_DONE)
        return code;
    bw_meter meter = bw_card_meter(card);
    if (args->values[CLI_SKIP].given)
        skip_impossible(j, card, meter.limit);
    code = j->count ? check(j, meter.limit)
                    : cli_fail(BW_EXIT_USAGE, "this card can run none of the requests");
    if (code == BW_EXIT_DONE)
        code = check_operations(args, j, card, &meter);
    if (code == BW_EXIT_DONE)
        code = measure(args, j, &meter);
    if (code == BW_EXIT_DONE)
        code = write_recording(args, j, card);
    bw_card_close(card);
    return code;
}

int cli_run(int argc, char **argv)
{
    cli_args args;
    job j = {0};
    int code = cli_args_read(&args, CLI_RUN, argc, argv);
    if (code >= 0)
        return code;
    code = read_requests(args.files[0] ? args.files[0] : "-", &j);
    if (code == BW_EXIT_DONE)
        code = check(&j, 0);
    if (code == BW_EXIT_DONE && !cli_can_write(args.values[CLI_OUTPUT].text))
        code = BW_EXIT_USAGE;
    if (code == BW_EXIT_DONE)
        code = run_on_card(&args, &j);
    free(j.requests);
    free(j.lines);
    free(j.throughput);
    free(j.latency);
    return code;
}
