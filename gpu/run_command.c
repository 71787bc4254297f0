/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bankwise-gpu run: a stream of requests in, a recording out.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "measure.h"
#include "optable.h"
#include "stream.h"

typedef struct options {
    const char *input, *output, *note;
    bool latency, skip;
    uint64_t warps, repeats, device;
    char command[512];
} options;

/* All requests of the stream with their line numbers, and room for what is measured. */
typedef struct job {
    bw_request *requests;
    unsigned *lines;
    size_t count, capacity, line_capacity;
    bw_measured *throughput, *latency;
} job;

static const char usage[] =
    "usage: bankwise-gpu run [FILE|-] [-o OUT] [--latency] [--warps N] [--repeat N]\n\n"
    "Measures each request of FILE (standard input without one) and writes a recording.\n\n"
    "  -o, --output OUT  write there instead of standard output\n"
    "      --latency     also the cycles of one access that waits for the one before\n"
    "      --warps N     warps that issue a request at the same time (16, which is exact)\n"
    "      --repeat N    values taken of each request, of which the median counts (5)\n"
    "      --skip        leave out requests that this card cannot run, and say how many\n"
    "      --device N    the card to use (0)\n"
    "      --note TEXT   a line for the recording's head, such as 'commit: 0123abc'\n"
    "  -h, --help        this text\n\n"
    "Columns: cycles (median), cycles_spread (largest less smallest), wavefronts (cycles\n"
    "rounded), status (ok; unstable where the values kept disagreeing; inexact where the clock\n"
    "does not count an operation's wavefronts: loops and cp.async), latency.\n";

static int parse(int argc, char **argv, options *o)
{
    static const struct option longs[] = {
        {"output", 1, NULL, 'o'}, {"latency", 0, NULL, 'l'}, {"warps", 1, NULL, 'w'},
        {"repeat", 1, NULL, 'r'}, {"device", 1, NULL, 'd'},  {"note", 1, NULL, 'n'},
        {"skip", 0, NULL, 's'},   {"help", 0, NULL, 'h'},    {NULL, 0, NULL, 0}};
    *o = (options){.input = "-", .warps = 16, .repeats = 5};
    cli_command(argc, argv, o->command, sizeof o->command);
    for (int c; (c = getopt_long(argc, argv, ":o:h", longs, NULL)) != -1;) {
        bool ok = true;
        switch (c) {
        case 'o': o->output = optarg; break;
        case 'l': o->latency = true; break;
        case 's': o->skip = true; break;
        case 'w': ok = cli_number("--warps", optarg, 1, BW_LANES, &o->warps); break;
        case 'r': ok = cli_number("--repeat", optarg, 1, BW_MAX_REPEATS, &o->repeats); break;
        case 'd': ok = cli_number("--device", optarg, 0, 1023, &o->device); break;
        case 'n': o->note = optarg; break;
        case 'h': fputs(usage, stdout); return BW_EXIT_DONE;
        default: return cli_bad_option(c, argv);
        }
        if (!ok)
            return BW_EXIT_USAGE;
    }
    if (optind < argc)
        o->input = argv[optind++];
    if (optind < argc)
        return cli_fail(BW_EXIT_USAGE, "one file at a time: what is '%s'?", argv[optind]);
    return -1;
}

static void keep(job *j, const bw_stream_row *row)
{
    BW_GROW(j->lines, j->count, j->line_capacity);
    BW_GROW(j->requests, j->count, j->capacity);
    j->requests[j->count] = row->request;
    j->lines[j->count++] = row->line;
}

static int read_requests(const options *o, job *j)
{
    bool piped = strcmp(o->input, "-") == 0;
    FILE *file = piped ? stdin : fopen(o->input, "r");
    if (!file)
        return cli_fail(BW_EXIT_USAGE, "cannot read %s: %s", o->input, strerror(errno));
    bw_stream_reader *reader = bw_stream_open(file, piped ? "standard input" : o->input);
    bw_stream_row row;
    int got, code = BW_EXIT_DONE;
    while ((got = bw_stream_next(reader, &row)) > 0)
        keep(j, &row);
    if (got < 0)
        code = cli_fail(BW_EXIT_USAGE, "%s", bw_stream_error(reader));
    else if (j->count == 0)
        code = cli_fail(BW_EXIT_USAGE, "%s has no requests; 'bankwise lower' makes some", o->input);
    bw_stream_close(reader);
    if (!piped)
        fclose(file);
    return code;
}

/* What the reader of streams leaves to us: the lanes of matrix operations, and where the card's
 * shared memory ends (limit 0: it is not known yet). */
static int check(const options *o, const job *j, uint32_t limit)
{
    for (size_t i = 0; i < j->count; i++) {
        const bw_request *request = &j->requests[i];
        const bw_op_info *info = bw_op_get(request->op);
        uint32_t wanted = (uint32_t)((UINT64_C(1) << 8 * info->matrices) - 1);
        int lane = bw_request_bad_lane(request, limit);
        if ((request->active & wanted) != wanted)
            return cli_fail(BW_EXIT_USAGE, "%s:%u: %s needs lanes 0 to %d active", o->input,
                            j->lines[i], info->name, 8 * info->matrices - 1);
        if (lane >= 0)
            return cli_fail(BW_EXIT_USAGE,
                            "%s:%u: %s: address %u of lane %d is past the %u bytes of shared "
                            "memory that can be measured on this card",
                            o->input, j->lines[i], info->name, request->addr[lane], lane, limit);
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

static int check_operations(const options *o, const job *j, bw_card *card, const bw_meter *meter)
{
    for (size_t i = 0; i < j->count; i++) {
        bw_op op = j->requests[i].op;
        if (!bw_card_has(card, op))
            return cli_fail(BW_EXIT_USAGE, "%s:%u: %s needs sm_%d or later; this card is sm_%d",
                            o->input, j->lines[i], bw_op_get(op)->name, bw_gpu_op_get(op)->least_cc,
                            bw_card_about(card)->cc);
        unsigned most = meter->most_warps(meter->context, op);
        if (o->warps > most)
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

static int measure(const options *o, job *j, const bw_meter *meter)
{
    bw_policy careful = BW_POLICY_CAREFUL, waiting = BW_POLICY_CAREFUL;
    careful.timing.warps = (unsigned)o->warps;
    careful.repeats = waiting.repeats = (unsigned)o->repeats;
    waiting.timing = BW_TIMING_LATENCY;
    j->throughput = bw_calloc(j->count, sizeof *j->throughput);
    j->latency = bw_calloc(j->count, sizeof *j->latency);
    for (int op = 0; op < BW_OP_COUNT; op++) {
        bool answers = o->latency && bw_gpu_op_get((bw_op)op)->answers;
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

static int write_recording(const options *o, const job *j, bw_card *card)
{
    FILE *file = cli_output(o->output);
    if (!file)
        return BW_EXIT_USAGE;
    cli_manifest(file, card, method, o->command, o->note);
    fprintf(file, "# warps: %u; repeats: %u\n", (unsigned)o->warps, (unsigned)o->repeats);
    if (o->latency)
        fputs("# latency: cycles of one access in a chain of one warp, the addition that makes it "
              "depend on the one before included\n",
              file);
    bw_stream_write_header(file, o->latency ? ",cycles,cycles_spread,wavefronts,status,latency"
                                            : ",cycles,cycles_spread,wavefronts,status");
    for (size_t i = 0; i < j->count; i++) {
        const bw_measured *m = &j->throughput[i];
        bw_stream_write_request(file, &j->requests[i]);
        fprintf(file, ",%.3f,%.3f,%lld,%s", m->cycles, m->spread, llround(m->cycles),
                !m->stable                                ? "unstable"
                : bw_gpu_op_get(j->requests[i].op)->exact ? "ok"
                                                          : "inexact");
        if (o->latency && bw_gpu_op_get(j->requests[i].op)->answers)
            fprintf(file, ",%.2f", j->latency[i].cycles);
        else if (o->latency)
            fputc(',', file);
        fputc('\n', file);
    }
    return cli_close(file, o->output) ? BW_EXIT_DONE : BW_EXIT_INTERNAL;
}

static int run_on_card(const options *o, job *j)
{
    bw_card *card;
    int code = cli_open_card(o->device, &card);
    if (code != BW_EXIT_DONE)
        return code;
    bw_meter meter = bw_card_meter(card);
    if (o->skip)
        skip_impossible(j, card, meter.limit);
    code = j->count ? check(o, j, meter.limit)
                    : cli_fail(BW_EXIT_USAGE, "this card can run none of the requests");
    if (code == BW_EXIT_DONE)
        code = check_operations(o, j, card, &meter);
    if (code == BW_EXIT_DONE)
        code = measure(o, j, &meter);
    if (code == BW_EXIT_DONE)
        code = write_recording(o, j, card);
    bw_card_close(card);
    return code;
}

int cli_run(int argc, char **argv)
{
    options o;
    job j = {0};
    int code = parse(argc, argv, &o);
    if (code >= 0)
        return code;
    code = read_requests(&o, &j);
    if (code == BW_EXIT_DONE)
        code = check(&o, &j, 0);
    if (code == BW_EXIT_DONE)
        code = run_on_card(&o, &j);
    free(j.requests);
    free(j.lines);
    free(j.throughput);
    free(j.latency);
    return code;
}
