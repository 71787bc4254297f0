/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bankwise-gpu probe: the experiments behind gpu/MEASURED.md.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "probe.h"
#include "stream.h"

static bool winner(bw_card *card, FILE *out, const cli_args *args)
{
    return bw_probe_winner(card, out, args->values[CLI_COUNT].number);
}

static bool cluster(bw_card *card, FILE *out, const cli_args *args)
{
    (void)args;
    return bw_probe_cluster(card, out);
}

static bool async(bw_card *card, FILE *out, const cli_args *args)
{
    (void)args;
    return bw_probe_async(card, out);
}

static bool ways(bw_card *card, FILE *out, const cli_args *args)
{
    (void)args;
    return bw_probe_ways(card, out);
}

static bool zero(bw_card *card, FILE *out, const cli_args *args)
{
    (void)args;
    return bw_probe_zero(card, out);
}

static bool stream(bw_card *card, FILE *out, const cli_args *args)
{
    (void)args;
    return bw_probe_stream(card, out);
}

static bool copies(bw_card *card, FILE *out, const cli_args *args)
{
    return bw_probe_copies(card, out, args->values[CLI_SEED].number,
                           args->values[CLI_COUNT].number);
}

static bool corners(bw_card *card, FILE *out, const cli_args *args)
{
    return bw_probe_corners(card, out, args->values[CLI_SEED].number,
                            args->values[CLI_COUNT].number);
}

static bool bulk(bw_card *card, FILE *out, const cli_args *args)
{
    (void)args;
    return bw_probe_bulk(card, out);
}

static bool wgmma(bw_card *card, FILE *out, const cli_args *args)
{
    return bw_probe_wgmma(card, out, args->values[CLI_SEED].number, args->values[CLI_COUNT].number);
}

static bool pages(bw_card *card, FILE *out, const cli_args *args)
{
    return bw_probe_pages(card, out, args->values[CLI_SEED].number, args->values[CLI_COUNT].number);
}

static bool far(bw_card *card, FILE *out, const cli_args *args)
{
    return bw_probe_far_random(card, out, args->values[CLI_SEED].number,
                               args->values[CLI_COUNT].number);
}

static bool meetings(bw_card *card, FILE *out, const cli_args *args)
{
    (void)args;
    return bw_probe_meetings(card, out);
}

static bool units(bw_card *card, FILE *out, const cli_args *args)
{
    (void)args;
    return bw_probe_units(card, out);
}

static bool share(bw_card *card, FILE *out, const cli_args *args)
{
    (void)args;
    return bw_probe_share_of_time(card, out);
}

static bool counters(bw_card *card, FILE *out, const cli_args *args);

static const struct {
    const char *name, *question, *method;
    bool takes_file;
    bool (*run)(bw_card *card, FILE *out, const cli_args *args);
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
    {"copies", "launches random cp.async through L1 and says their wavefronts",
     "one warp, up to 24 copies a launch; for a profiler's counter of wavefronts", false, copies},
    {"corners", "launches copies for what their law leaves open",
     "one warp, up to 24 copies a launch; for a profiler's counter of wavefronts", false, corners},
    {"bulk", "what tensor copies count as, by swizzle mode, and whether bulk copies hold up loads",
     "a launch each; for a profiler, and cycles a load", false, bulk},
    {"wgmma", "what matrix instructions cost, by type, shape and where operands lie",
     "2 or 4 warpgroups issue one instruction; cycles as slopes", false, wgmma},
    {"pages", "launches wide loads and copies past L1 and says what the Source page will",
     "one warp, 256 requests a launch; for a profiler's Source page", false, pages},
    {"far", "what random requests to another block's shared memory cost",
     "16 warps of one block of a cluster of two; cycles as slopes", false, far},
    {"meetings", "what atomics of several warps on the same places cost",
     "16 operations of each lane, a launch each; elapsed cycles, and for a profiler", false,
     meetings},
    {"units", "what bulk copies, mbarriers and remote accesses count as",
     "64 of each by one warp, a launch each; for a profiler", false, units},
    {"share", "from which share of the shared pipe on time follows conflicts",
     "8 loads and some additions a turn; cycles a turn", false, share},
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

static bool counters(bw_card *card, FILE *out, const cli_args *args)
{
    size_t count;
    bw_request *requests = read_file(card, bw_card_meter(card).limit, args->files[1], &count);
    bool ok = requests &&
              bw_probe_counters(card, out, requests, count, (size_t)args->values[CLI_BATCH].number,
                                (unsigned)args->values[CLI_OPERAND].number);
    free(requests);
    return ok;
}

static int run(const cli_args *args, size_t which)
{
    bw_card *card;
    if (!cli_can_write(args->values[CLI_OUTPUT].text))
        return BW_EXIT_USAGE;
    int code = cli_open_card(args->values[CLI_DEVICE].number, &card);
    if (code != BW_EXIT_DONE)
        return code;
    FILE *out = cli_output(args->values[CLI_OUTPUT].text);
    if (!out) {
        bw_card_close(card);
        return BW_EXIT_USAGE;
    }
    cli_manifest(out, card, probes[which].method, args->command, args->values[CLI_NOTE].text);
    bool ok = probes[which].run(card, out, args);
    if (!ok && *bw_card_why(card))
        cli_fail(0, "%s", bw_card_why(card));
    code = ok ? BW_EXIT_DONE : *bw_card_why(card) ? BW_EXIT_INTERNAL : BW_EXIT_USAGE;
    if (!cli_close(out, args->values[CLI_OUTPUT].text) && code == BW_EXIT_DONE)
        code = BW_EXIT_INTERNAL;
    bw_card_close(card);
    return code;
}

int cli_probe(int argc, char **argv)
{
    cli_args args;
    int code = cli_args_read(&args, CLI_PROBE, argc, argv);
    const char *name = args.files[0];
    if (code >= 0)
        return code;
    if (args.values[CLI_LIST].given)
        return list();
    for (size_t i = 0; name && i < PROBES; i++) {
        if (strcmp(name, probes[i].name) != 0)
            continue;
        if (probes[i].takes_file != (args.files[1] != NULL))
            return cli_fail(BW_EXIT_USAGE, "probe %s takes %s", name,
                            probes[i].takes_file ? "a file of requests" : "no file");
        return run(&args, i);
    }
    return cli_fail(BW_EXIT_USAGE, "%s%s%s; 'bankwise-gpu probe --list' names the experiments",
                    name ? "unknown experiment '" : "which experiment?", name ? name : "",
                    name ? "'" : "");
}
