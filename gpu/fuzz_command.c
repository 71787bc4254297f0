/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bankwise-gpu fuzz: random requests, measured and held against the model.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "families.h"
#include "fuzz.h"
#include "optable.h"
#include "parallel.h"
#include "reduce.h"
#include "stream.h"

typedef struct options {
    bool chosen[BW_OP_COUNT];
    bool all, list;
    const char *summary, *note;
    uint64_t count, seed, threads, device, limit, show;
    char command[512];
} options;

static const char usage[] =
    "usage: bankwise-gpu fuzz --op OP[,OP...]|all [--count N] [--seed N] [--summary FILE]\n\n"
    "Measures random requests and holds the cycles against the model. Mismatches are printed as\n"
    "request lines that 'bankwise predict' and 'bankwise-gpu run' take, each with its smallest\n"
    "form; exit code 1 if there is one.\n\n"
    "      --op OP,...     operations, or 'all' that clock64() counts exactly\n"
    "      --count N       requests of each operation (100000)\n"
    "      --seed N        where the sequence starts (1)\n"
    "      --summary FILE  counts and rates as JSON\n"
    "      --show N        mismatches of an operation to print and reduce (5)\n"
    "      --threads N     host threads (all cores)\n"
    "      --device N      the card to use (0)\n"
    "      --list          print the requests, measure nothing; needs no card\n"
    "      --limit BYTES   shared memory that --list may use (49152)\n"
    "      --note TEXT     a remark for the summary, such as 'commit: 0123abc'\n"
    "  -h, --help          this text\n";

static bool choose(options *o, const char *list)
{
    if (strcmp(list, "all") == 0) {
        o->all = true;
        return true;
    }
    for (const char *name = list; *name;) {
        size_t length = strcspn(name, ",");
        bw_op op = bw_op_find(name, length);
        if (op == BW_OP_COUNT) {
            cli_fail(0, "--op: unknown operation '%.*s'; 'bankwise-gpu info' lists them",
                     (int)length, name);
            return false;
        }
        o->chosen[op] = true;
        name += length + (name[length] == ',');
    }
    return true;
}

/* What the clock does not count exactly would be all mismatches: only a list may have it by name.
 */
static bool can_compare(const options *o)
{
    for (int op = 0; op < BW_OP_COUNT; op++)
        if (!o->list && o->chosen[op] && !bw_gpu_op_get((bw_op)op)->exact) {
            cli_fail(
                0,
                "--op: the clock does not count the wavefronts of %s exactly; a profiler does: "
                "see 'bankwise-gpu probe counters'",
                bw_op_get((bw_op)op)->name);
            return false;
        }
    return true;
}

/* With `all`, those whose cycles the clock counts exactly; a list may have the others as well. */
static void choose_all(options *o)
{
    for (int op = 0; op < BW_OP_COUNT; op++)
        o->chosen[op] = o->chosen[op] || (o->all && (o->list || bw_gpu_op_get((bw_op)op)->exact));
}

static int parse(int argc, char **argv, options *o)
{
    static const struct option longs[] = {
        {"op", 1, NULL, 'o'},      {"count", 1, NULL, 'c'}, {"seed", 1, NULL, 's'},
        {"summary", 1, NULL, 'S'}, {"show", 1, NULL, 'm'},  {"threads", 1, NULL, 't'},
        {"device", 1, NULL, 'd'},  {"list", 0, NULL, 'l'},  {"limit", 1, NULL, 'b'},
        {"note", 1, NULL, 'n'},    {"help", 0, NULL, 'h'},  {NULL, 0, NULL, 0}};
    bool any = false;
    *o = (options){.count = 100000, .seed = 1, .limit = 49152, .show = 5};
    cli_command(argc, argv, o->command, sizeof o->command);
    for (int c; (c = getopt_long(argc, argv, ":h", longs, NULL)) != -1;) {
        bool ok = true;
        switch (c) {
        case 'o': any = ok = choose(o, optarg); break;
        case 'c': ok = cli_number("--count", optarg, 1, UINT64_C(1000000000000), &o->count); break;
        case 's': ok = cli_number("--seed", optarg, 0, UINT64_MAX, &o->seed); break;
        case 'S': o->summary = optarg; break;
        case 'm': ok = cli_number("--show", optarg, 0, BW_FUZZ_KEPT, &o->show); break;
        case 't': ok = cli_number("--threads", optarg, 1, BW_MAX_THREADS, &o->threads); break;
        case 'd': ok = cli_number("--device", optarg, 0, 1023, &o->device); break;
        case 'l': o->list = true; break;
        case 'b': ok = cli_number("--limit", optarg, 4096, 1u << 24, &o->limit); break;
        case 'n': o->note = optarg; break;
        case 'h': fputs(usage, stdout); return BW_EXIT_DONE;
        default: return cli_bad_option(c, argv);
        }
        if (!ok)
            return BW_EXIT_USAGE;
    }
    if (optind < argc)
        return cli_fail(BW_EXIT_USAGE, "fuzz takes no file: what is '%s'?", argv[optind]);
    if (!any)
        return cli_fail(BW_EXIT_USAGE, "which operations? --op OP[,OP...] or --op all");
    choose_all(o);
    return can_compare(o) ? -1 : BW_EXIT_USAGE;
}

static int list_requests(const options *o)
{
    printf("# requests: %s\n", o->command);
    bw_stream_write_header(stdout, "");
    for (int op = 0; op < BW_OP_COUNT; op++)
        for (uint64_t i = 0; o->chosen[op] && i < o->count; i++) {
            bw_request request;
            bw_family_request((bw_op)op, o->seed, i, (uint32_t)o->limit, &request);
            bw_stream_write_request(stdout, &request);
            putchar('\n');
        }
    return cli_close(stdout, NULL) ? BW_EXIT_DONE : BW_EXIT_INTERNAL;
}

/* The architecture's rules by name; for a card newer than the table, its newest entry. */
static const bw_arch *arch_of(const bw_card *card)
{
    char name[16];
    snprintf(name, sizeof name, "sm_%d", bw_card_about(card)->cc);
    const bw_arch *arch = bw_arch_find(name);
    if (!arch) {
        arch = bw_arch_at(bw_arch_count() - 1);
        fprintf(stderr, "bankwise-gpu: note: the model does not know %s; comparing with %s\n", name,
                arch->name);
    }
    return arch;
}

static void print_request(const bw_request *request)
{
    bw_stream_write_request(stdout, request);
    putchar('\n');
}

/* Each as it was found, then as small as it goes. */
static bool print_findings(const options *o, const bw_meter *meter, const bw_arch *arch,
                           const bw_fuzz_report *report)
{
    bw_policy policy = BW_POLICY_CAREFUL;
    for (size_t i = 0; i < report->kept_count && i < o->show; i++) {
        const bw_fuzz_finding *found = &report->kept[i];
        bw_reduced reduced;
        printf("# predicted %u cycles, measured %.3f\n", found->predicted, found->measured.cycles);
        print_request(&found->request);
        if (!bw_reduce(meter, arch, &found->request, &policy, &reduced))
            return false;
        if (reduced.confirmed) {
            printf("# smallest: predicted %u cycles, measured %.3f\n", reduced.predicted,
                   reduced.measured.cycles);
            print_request(&reduced.request);
        }
        fflush(stdout);
    }
    return true;
}

static void print_report(const bw_fuzz_report *r)
{
    fprintf(stderr,
            "%-18s %11llu requests %9.0f/s  mean %6.2f max %4u cycles  %llu again  %llu unstable  "
            "error %.3f  %llu mismatches\n",
            bw_op_get(r->op)->name, (unsigned long long)r->requests,
            r->seconds > 0 ? (double)r->requests / r->seconds : 0,
            r->requests ? (double)r->cycles_sum / (double)r->requests : 0, r->cycles_max,
            (unsigned long long)r->again, (unsigned long long)r->unstable, r->error_max,
            (unsigned long long)r->mismatches);
}

static void summary_head(FILE *file, const options *o, bw_card *card, const bw_arch *arch)
{
    const bw_card_facts *facts = bw_card_about(card);
    char date[32];
    cli_date(date);
    fputs("{\n  \"schema\": \"bankwise.fuzz/1\",\n  \"program\": \"bankwise-gpu " BANKWISE_VERSION
          "\",\n  \"command\": ",
          file);
    cli_json_string(file, o->command);
    fputs(",\n  \"device\": ", file);
    cli_json_string(file, facts->name);
    fprintf(file, ",\n  \"arch\": \"sm_%d\", \"model\": \"%s\",\n  \"driver\": ", facts->cc,
            arch->name);
    cli_json_string(file, facts->driver);
    fprintf(file,
            ",\n  \"cuda\": \"%d.%d\",\n  \"clock_mhz\": %.0f,\n  \"date\": \"%s\",\n"
            "  \"seed\": %llu,\n  \"note\": ",
            facts->cuda_runtime / 1000, facts->cuda_runtime % 1000 / 10, bw_card_clock(card), date,
            (unsigned long long)o->seed);
    cli_json_string(file, o->note ? o->note : "");
    fputs(",\n  \"operations\": [", file);
}

static void summary_row(FILE *file, const bw_fuzz_report *r, bool first)
{
    fprintf(file,
            "%s\n    {\"op\": \"%s\", \"requests\": %llu, \"mismatches\": %llu, \"again\": %llu, "
            "\"unstable\": %llu, \"masked\": %llu, \"merged\": %llu, \"cycles_mean\": %.3f, "
            "\"cycles_max\": %u, \"error_max\": %.3f, \"seconds\": %.2f, "
            "\"requests_per_second\": %.0f}",
            first ? "" : ",", bw_op_get(r->op)->name, (unsigned long long)r->requests,
            (unsigned long long)r->mismatches, (unsigned long long)r->again,
            (unsigned long long)r->unstable, (unsigned long long)r->masked,
            (unsigned long long)r->merged,
            r->requests ? (double)r->cycles_sum / (double)r->requests : 0, r->cycles_max,
            r->error_max, r->seconds, r->seconds > 0 ? (double)r->requests / r->seconds : 0);
}

static void show_progress(void *context, uint64_t done)
{
    const options *o = context;
    fprintf(stderr, "\r%3.0f %% ", 100.0 * (double)done / (double)o->count);
    fflush(stderr);
}

static int fuzz_one(const options *o, const bw_meter *meter, const bw_arch *arch, bw_op op,
                    FILE *summary, bool first)
{
    static bw_fuzz_report report; /* too large for the stack */
    bw_fuzz_options how = {.arch = arch,
                           .count = o->count,
                           .seed = o->seed,
                           .threads = (unsigned)o->threads,
                           .timing = BW_TIMING_QUICK,
                           .again = BW_POLICY_CAREFUL,
                           .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
                           .context = (void *)(uintptr_t)o};
    if (!bw_fuzz(meter, op, &how, &report) || !print_findings(o, meter, arch, &report)) {
        const char *why = meter->error(meter->context);
        return cli_fail(BW_EXIT_INTERNAL, "%s: %s", bw_op_get(op)->name,
                        *why ? why : "the model refused a request of its own making");
    }
    print_report(&report);
    if (summary)
        summary_row(summary, &report, first);
    return report.mismatches ? BW_EXIT_FINDING : BW_EXIT_DONE;
}

static int fuzz_all(const options *o, bw_card *card, FILE *summary)
{
    const bw_arch *arch = arch_of(card);
    bw_meter meter = bw_card_meter(card);
    int code = BW_EXIT_DONE;
    bool first = true;
    if (summary)
        summary_head(summary, o, card, arch);
    for (int op = 0; op < BW_OP_COUNT && code <= BW_EXIT_FINDING; op++) {
        if (!o->chosen[op])
            continue;
        if (!bw_card_has(card, (bw_op)op)) {
            fprintf(stderr, "%-18s not on this card\n", bw_op_get((bw_op)op)->name);
            continue;
        }
        int one = fuzz_one(o, &meter, arch, (bw_op)op, summary, first);
        code = one > code ? one : code;
        first = false;
    }
    if (summary)
        fputs("\n  ]\n}\n", summary);
    return code;
}

int cli_fuzz(int argc, char **argv)
{
    static options o;
    bw_card *card;
    FILE *summary = NULL;
    int code = parse(argc, argv, &o);
    if (code >= 0)
        return code;
    if (o.list)
        return list_requests(&o);
    code = cli_open_card(o.device, &card);
    if (code != BW_EXIT_DONE)
        return code;
    if (o.summary && !(summary = cli_output(o.summary)))
        code = BW_EXIT_USAGE;
    if (code == BW_EXIT_DONE)
        code = fuzz_all(&o, card, summary);
    if (summary && !cli_close(summary, o.summary) && code <= BW_EXIT_FINDING)
        code = BW_EXIT_INTERNAL;
    bw_card_close(card);
    return code;
}
