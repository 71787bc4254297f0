/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bankwise-gpu probe: the experiments behind gpu/MEASURED.md.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "probe.h"
#include "stream.h"

typedef struct options {
    const char *name, *file, *output, *note;
    uint64_t device, count, batch, operand;
    char command[512];
} options;

static bool winner(bw_card *card, FILE *out, const options *o)
{
    return bw_probe_winner(card, out, o->count);
}

static bool cluster(bw_card *card, FILE *out, const options *o)
{
    (void)o;
    return bw_probe_cluster(card, out);
}

static bool async(bw_card *card, FILE *out, const options *o)
{
    (void)o;
    return bw_probe_async(card, out);
}

static bool ways(bw_card *card, FILE *out, const options *o)
{
    (void)o;
    return bw_probe_ways(card, out);
}

static bool zero(bw_card *card, FILE *out, const options *o)
{
    (void)o;
    return bw_probe_zero(card, out);
}

static bool stream(bw_card *card, FILE *out, const options *o)
{
    (void)o;
    return bw_probe_stream(card, out);
}

static bool counters(bw_card *card, FILE *out, const options *o);

static const struct {
    const char *name, *question, *method;
    bool takes_file;
    bool (*run)(bw_card *card, FILE *out, const options *o);
} probes[] = {
    {"winner", "which lane's value is left when a store writes one place several times",
     "one warp stores its lane numbers and reads them back", false, winner},
    {"cluster", "what reading another block's shared memory costs, by stride",
     "clusters of two blocks, ld.shared::cluster.u32; cycles and latency as slopes", false,
     cluster},
    {"async", "what cp.async costs, by the layouts of its destination and source",
     "as bankwise-gpu run, with other sources", false, async},
    {"ways", "latency by degree, and how many warps an exact count takes",
     "lane l reads or writes row l mod ways of the first bank; as bankwise-gpu run", false, ways},
    {"zero", "whether wide stores of a constant zero are cheaper than those of registers",
     "as bankwise-gpu run; the first lanes store, conflict-free", false, zero},
    {"stream", "whether a global stream in the same kernel disturbs counts and clock",
     "16 warps of conflict-free shared loads, 16 warps that stream global memory", false, stream},
    {"counters", "launches a request of FILE at a time, for a profiler's counters",
     "one warp; 64 issues of each request, then 128", true, counters},
};
#define PROBES (sizeof probes / sizeof *probes)

static int list(void)
{
    for (size_t i = 0; i < PROBES; i++)
        printf("%-9s%s%s\n", probes[i].name, probes[i].takes_file ? "FILE  " : "",
               probes[i].question);
    return BW_EXIT_DONE;
}

static const char usage[] =
    "usage: bankwise-gpu probe NAME [FILE] [-o OUT]\n\n"
    "Runs one experiment and writes a CSV.\n\n"
    "      --list        the experiments\n"
    "  -o, --output OUT  write there instead of standard output\n"
    "      --count N     requests, where the experiment draws some (2000)\n"
    "      --batch N     counters: requests of one operation in a launch (1)\n"
    "      --operand N   counters: 0 lets loops leave values as they are, 1 changes them (1)\n"
    "      --device N    the card to use (0)\n"
    "      --note TEXT   a line for the head of the output\n"
    "  -h, --help        this text\n";

static int parse(int argc, char **argv, options *o)
{
    static const struct option longs[] = {
        {"list", 0, NULL, 'l'},   {"output", 1, NULL, 'o'},  {"count", 1, NULL, 'c'},
        {"device", 1, NULL, 'd'}, {"note", 1, NULL, 'n'},    {"help", 0, NULL, 'h'},
        {"batch", 1, NULL, 'b'},  {"operand", 1, NULL, 'x'}, {NULL, 0, NULL, 0}};
    *o = (options){.count = 2000, .batch = 1, .operand = 1};
    cli_command(argc, argv, o->command, sizeof o->command);
    for (int c; (c = getopt_long(argc, argv, ":o:h", longs, NULL)) != -1;) {
        bool ok = true;
        switch (c) {
        case 'l': return list();
        case 'o': o->output = optarg; break;
        case 'c': ok = cli_number("--count", optarg, 1, 1000000, &o->count); break;
        case 'b': ok = cli_number("--batch", optarg, 1, 1 << 20, &o->batch); break;
        case 'x': ok = cli_number("--operand", optarg, 0, 1, &o->operand); break;
        case 'd': ok = cli_number("--device", optarg, 0, 1023, &o->device); break;
        case 'n': o->note = optarg; break;
        case 'h': fputs(usage, stdout); return BW_EXIT_DONE;
        default: return cli_bad_option(c, argv);
        }
        if (!ok)
            return BW_EXIT_USAGE;
    }
    if (optind < argc)
        o->name = argv[optind++];
    if (optind < argc)
        o->file = argv[optind++];
    if (optind < argc)
        return cli_fail(BW_EXIT_USAGE, "too many arguments: what is '%s'?", argv[optind]);
    return -1;
}

/* Requests that this card can run; complains about the first that it cannot. */
static bw_request *read_file(const bw_card *card, uint32_t limit, const char *name, size_t *count)
{
    bw_request *requests = NULL;
    size_t capacity = 0;
    bw_stream_row row;
    FILE *file = fopen(name, "r");
    int got = -1;
    *count = 0;
    if (!file) {
        cli_fail(0, "cannot read %s: %s", name, strerror(errno));
        return NULL;
    }
    bw_stream_reader *reader = bw_stream_open(file, name);
    while ((got = bw_stream_next(reader, &row)) > 0) {
        if (!row.request.active || bw_request_bad_lane(&row.request, limit) >= 0 ||
            !bw_card_has(card, row.request.op)) {
            cli_fail(0, "%s:%u: this card cannot run the request", name, row.line);
            break;
        }
        BW_GROW(requests, *count, capacity);
        requests[(*count)++] = row.request;
    }
    if (got < 0)
        cli_fail(0, "%s", bw_stream_error(reader));
    else if (got == 0 && *count == 0)
        cli_fail(0, "%s has no requests", name);
    bw_stream_close(reader);
    fclose(file);
    if (got == 0 && *count)
        return requests;
    free(requests);
    return NULL;
}

static bool counters(bw_card *card, FILE *out, const options *o)
{
    size_t count;
    bw_request *requests = read_file(card, bw_card_meter(card).limit, o->file, &count);
    bool ok = requests &&
              bw_probe_counters(card, out, requests, count, (size_t)o->batch, (unsigned)o->operand);
    free(requests);
    return ok;
}

static int run(const options *o, size_t which)
{
    bw_card *card;
    int code = cli_open_card(o->device, &card);
    if (code != BW_EXIT_DONE)
        return code;
    FILE *out = cli_output(o->output);
    if (!out) {
        bw_card_close(card);
        return BW_EXIT_USAGE;
    }
    cli_manifest(out, card, probes[which].method, o->command, o->note);
    bool ok = probes[which].run(card, out, o);
    if (!ok && *bw_card_why(card))
        cli_fail(0, "%s", bw_card_why(card));
    code = ok ? BW_EXIT_DONE : *bw_card_why(card) ? BW_EXIT_INTERNAL : BW_EXIT_USAGE;
    if (!cli_close(out, o->output) && code == BW_EXIT_DONE)
        code = BW_EXIT_INTERNAL;
    bw_card_close(card);
    return code;
}

int cli_probe(int argc, char **argv)
{
    options o;
    int code = parse(argc, argv, &o);
    if (code >= 0)
        return code;
    for (size_t i = 0; o.name && i < PROBES; i++) {
        if (strcmp(o.name, probes[i].name) != 0)
            continue;
        if (probes[i].takes_file != (o.file != NULL))
            return cli_fail(BW_EXIT_USAGE, "probe %s takes %s", o.name,
                            probes[i].takes_file ? "a file of requests" : "no file");
        return run(&o, i);
    }
    return cli_fail(BW_EXIT_USAGE, "%s%s%s; 'bankwise-gpu probe --list' names the experiments",
                    o.name ? "unknown experiment '" : "which experiment?", o.name ? o.name : "",
                    o.name ? "'" : "");
}
