/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bankwise-gpu fuzz: random requests, measured and held against the model.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "families.h"
#include "fuzz.h"
#include "optable.h"
#include "parallel.h"
#include "reduce.h"
#include "stream.h"

/* What the clock does not count exactly would be all mismatches: only a list may have it by name.
 */
static bool can_compare(const cli_args *args)
{
    for (int op = 0; op < BW_OP_COUNT; op++)
        if (!args->values[CLI_LIST].given && args->ops[op] && !bw_gpu_op_get((bw_op)op)->exact) {
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
static void choose_all(cli_args *args)
{
    for (int op = 0; op < BW_OP_COUNT; op++)
        args->ops[op] =
            args->ops[op] ||
            (args->all_ops && (args->values[CLI_LIST].given || bw_gpu_op_get((bw_op)op)->exact));
}

static int list_requests(const cli_args *args)
{
    printf("# requests: %s\n", args->command);
    bw_stream_write_header(stdout, "");
    for (int op = 0; op < BW_OP_COUNT; op++)
        for (uint64_t i = 0; args->ops[op] && i < args->values[CLI_COUNT].number; i++) {
            bw_request request;
            bw_family_request((bw_op)op, args->values[CLI_SEED].number, i,
                              (uint32_t)args->values[CLI_LIMIT].number, &request);
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
static bool print_findings(const cli_args *args, const bw_meter *meter, const bw_arch *arch,
                           const bw_fuzz_report *report)
{
    bw_policy policy = BW_POLICY_CAREFUL;
    for (size_t i = 0; i < report->kept_count && i < args->values[CLI_SHOW].number; i++) {
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

static void summary_head(FILE *file, const cli_args *args, bw_card *card, const bw_arch *arch)
{
    const bw_card_facts *facts = bw_card_about(card);
    char date[32];
    cli_date(date);
    fputs("{\n  \"schema\": \"bankwise.fuzz/1\",\n  \"program\": \"bankwise-gpu " BANKWISE_VERSION
          "\",\n  \"command\": ",
          file);
    cli_json_string(file, args->command);
    fputs(",\n  \"device\": ", file);
    cli_json_string(file, facts->name);
    fprintf(file, ",\n  \"arch\": \"sm_%d\", \"model\": \"%s\",\n  \"driver\": ", facts->cc,
            arch->name);
    cli_json_string(file, facts->driver);
    fprintf(file,
            ",\n  \"cuda\": \"%d.%d\",\n  \"clock_mhz\": %.0f,\n  \"date\": \"%s\",\n"
            "  \"seed\": %llu,\n  \"note\": ",
            facts->cuda_runtime / 1000, facts->cuda_runtime % 1000 / 10, bw_card_clock(card), date,
            (unsigned long long)args->values[CLI_SEED].number);
    cli_json_string(file, args->values[CLI_NOTE].text ? args->values[CLI_NOTE].text : "");
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
    const cli_args *args = context;
    fprintf(stderr, "\r%3.0f %% ", 100.0 * (double)done / (double)args->values[CLI_COUNT].number);
    fflush(stderr);
}

static int fuzz_one(const cli_args *args, const bw_meter *meter, const bw_arch *arch, bw_op op,
                    FILE *summary, bool first)
{
    static bw_fuzz_report report; /* too large for the stack */
    bw_fuzz_options how = {.arch = arch,
                           .count = args->values[CLI_COUNT].number,
                           .seed = args->values[CLI_SEED].number,
                           .threads = (unsigned)args->values[CLI_THREADS].number,
                           .timing = BW_TIMING_QUICK,
                           .again = BW_POLICY_CAREFUL,
                           .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
                           .context = (void *)(uintptr_t)args};
    if (!bw_fuzz(meter, op, &how, &report) || !print_findings(args, meter, arch, &report)) {
        const char *why = meter->error(meter->context);
        return cli_fail(BW_EXIT_INTERNAL, "%s: %s", bw_op_get(op)->name,
                        *why ? why : "the model refused a request of its own making");
    }
    print_report(&report);
    if (summary)
        summary_row(summary, &report, first);
    return report.mismatches ? BW_EXIT_FINDING : BW_EXIT_DONE;
}

static int fuzz_all(const cli_args *args, bw_card *card, FILE *summary)
{
    const bw_arch *arch = arch_of(card);
    bw_meter meter = bw_card_meter(card);
    int code = BW_EXIT_DONE;
    bool first = true;
    if (summary)
        summary_head(summary, args, card, arch);
    for (int op = 0; op < BW_OP_COUNT && code <= BW_EXIT_FINDING; op++) {
        if (!args->ops[op])
            continue;
        if (!bw_card_has(card, (bw_op)op)) {
            fprintf(stderr, "%-18s not on this card\n", bw_op_get((bw_op)op)->name);
            continue;
        }
        int one = fuzz_one(args, &meter, arch, (bw_op)op, summary, first);
        code = one > code ? one : code;
        first = false;
    }
    if (summary)
        fputs("\n  ]\n}\n", summary);
    return code;
}

/* What to do with the command line: -1 to go on, or the exit code. */
static int choose(cli_args *args, int argc, char **argv)
{
    int code = cli_args_read(args, CLI_FUZZ, argc, argv);
    if (code >= 0)
        return code;
    if (!args->values[CLI_OPERATIONS].given)
        return cli_fail(BW_EXIT_USAGE, "which operations? --op OP[,OP...] or --op all");
    choose_all(args);
    return can_compare(args) ? -1 : BW_EXIT_USAGE;
}

int cli_fuzz(int argc, char **argv)
{
    cli_args args;
    bw_card *card;
    FILE *summary = NULL;
    int code = choose(&args, argc, argv);
    const char *path = args.values[CLI_SUMMARY].text;
    if (code >= 0)
        return code;
    if (args.values[CLI_LIST].given)
        return list_requests(&args);
    if (!cli_can_write(path))
        return BW_EXIT_USAGE;
    code = cli_open_card(args.values[CLI_DEVICE].number, &card);
    if (code != BW_EXIT_DONE)
        return code;
    if (path && !(summary = cli_output(path)))
        code = BW_EXIT_USAGE;
    if (code == BW_EXIT_DONE)
        code = fuzz_all(&args, card, summary);
    if (summary && !cli_close(summary, path) && code <= BW_EXIT_FINDING)
        code = BW_EXIT_INTERNAL;
    bw_card_close(card);
    return code;
}
