/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bankwise-gpu info: the card, whether it can be measured exactly, and proof of what is measured.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cli.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "optable.h"
#include "sass.h"

typedef struct options {
    bool sass, json;
    uint64_t device;
} options;

/* Loads of 4 bytes, N-way for N = 1 … 32: what they cost is beyond doubt. */
typedef struct trial {
    bw_measured measured[BW_LANES];
    double error_max;  /* cycles from N */
    double spread_max; /* cycles        */
    bool exact;
} trial;

static const char usage[] =
    "usage: bankwise-gpu info [--sass] [--format text|json] [--device N]\n\n"
    "The card, its driver and clocks, and a trial: 4-byte loads of degree 1 to 32, whose cycles\n"
    "must come out as 1 to 32.\n\n"
    "      --sass         instead, prove with cuobjdump that each kernel holds the instruction it\n"
    "                     measures, as often as it should\n"
    "      --format FMT   text (default) or json\n"
    "      --device N     the card to use (0)\n"
    "  -h, --help         this text\n";

static int parse(int argc, char **argv, options *o)
{
    static const struct option longs[] = {{"sass", 0, NULL, 's'},
                                          {"format", 1, NULL, 'f'},
                                          {"device", 1, NULL, 'd'},
                                          {"help", 0, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    *o = (options){0};
    for (int c; (c = getopt_long(argc, argv, ":h", longs, NULL)) != -1;) {
        switch (c) {
        case 's': o->sass = true; break;
        case 'f':
            o->json = strcmp(optarg, "json") == 0;
            if (!o->json && strcmp(optarg, "text") != 0)
                return cli_fail(BW_EXIT_USAGE, "--format wants text or json, not '%s'", optarg);
            break;
        case 'd':
            if (!cli_number("--device", optarg, 0, 1023, &o->device))
                return BW_EXIT_USAGE;
            break;
        case 'h': fputs(usage, stdout); return BW_EXIT_DONE;
        default: return cli_bad_option(c, argv);
        }
    }
    if (o->sass && o->json)
        return cli_fail(BW_EXIT_USAGE, "--sass writes text only; leave --format out");
    if (optind < argc)
        return cli_fail(BW_EXIT_USAGE, "info takes no argument: what is '%s'?", argv[optind]);
    return -1;
}

static bool try_card(bw_card *card, trial *t)
{
    bw_meter meter = bw_card_meter(card);
    bw_policy policy = BW_POLICY_CAREFUL;
    bw_request requests[BW_LANES];
    memset(t, 0, sizeof *t);
    for (unsigned n = 1; n <= BW_LANES; n++) {
        requests[n - 1] = (bw_request){.op = BW_OP_LD_32, .active = UINT32_MAX};
        /* n rows of the first bank, and the other lanes with the first of them. */
        for (unsigned lane = 0; lane < BW_LANES; lane++)
            requests[n - 1].addr[lane] = lane < n ? lane * 128 : 0;
    }
    if (!bw_measure(&meter, BW_OP_LD_32, requests, BW_LANES, &policy, t->measured)) {
        cli_fail(0, "%s", meter.error(meter.context));
        return false;
    }
    for (unsigned n = 1; n <= BW_LANES; n++) {
        t->error_max = fmax(t->error_max, fabs(t->measured[n - 1].cycles - n));
        t->spread_max = fmax(t->spread_max, t->measured[n - 1].spread);
    }
    t->exact = t->error_max < 0.25 && t->spread_max < 0.5;
    return true;
}

static void print_text(bw_card *card, const trial *t)
{
    const bw_card_facts *f = bw_card_about(card);
    bw_meter meter = bw_card_meter(card);
    printf("card             %s (sm_%d), %d SMs, PCI %s\n", f->name, f->cc, f->sms, f->pci);
    printf("driver           %s, for CUDA %d.%d; built with CUDA %d.%d\n", f->driver,
           f->cuda_driver / 1000, f->cuda_driver % 1000 / 10, f->cuda_runtime / 1000,
           f->cuda_runtime % 1000 / 10);
    printf("SM clock         %.0f MHz measured, %d MHz at the most; memory %d MHz\n",
           bw_card_clock(card), f->sm_mhz, f->memory_mhz);
    printf("shared memory    %d bytes for a block at the most (%u of them for requests), %d for "
           "an SM\n",
           f->shared_block, meter.limit, f->shared_sm);
    printf("memory           %zu MiB, %zu MiB free; ECC %s\n", f->memory_bytes >> 20,
           f->memory_free >> 20, f->ecc ? "on" : "off");
    if (f->shared_with_display)
        puts("display          attached: long runs may be ended by the system");
    printf("trial            4-byte loads of degree 1 to 32: off by %.3f cycles at the most, "
           "spread %.3f\n",
           t->error_max, t->spread_max);
    printf("exact            %s\n",
           t->exact ? "yes: cycles can be rounded and compared"
                    : "NO: another program may be using the card, or its rules differ");
    fputs("operations      ", stdout);
    for (int op = 0, column = 16; op < BW_OP_COUNT; op++) {
        const char *name = bw_op_get((bw_op)op)->name;
        if (!bw_card_has(card, (bw_op)op))
            continue;
        if ((column += (int)strlen(name) + 1) > 80) {
            fputs("\n                ", stdout);
            column = 16 + (int)strlen(name) + 1;
        }
        printf(" %s", name);
    }
    putchar('\n');
}

static void print_json(bw_card *card, const trial *t)
{
    const bw_card_facts *f = bw_card_about(card);
    bw_meter meter = bw_card_meter(card);
    fputs("{\n  \"schema\": \"bankwise.card/1\",\n  \"name\": ", stdout);
    cli_json_string(stdout, f->name);
    printf(",\n  \"arch\": \"sm_%d\", \"sms\": %d, \"pci\": \"%s\",\n  \"driver\": ", f->cc, f->sms,
           f->pci);
    cli_json_string(stdout, f->driver);
    printf(",\n  \"cuda_driver\": %d, \"cuda_runtime\": %d,\n", f->cuda_driver, f->cuda_runtime);
    printf("  \"sm_mhz\": %.0f, \"sm_mhz_max\": %d, \"memory_mhz\": %d,\n", bw_card_clock(card),
           f->sm_mhz, f->memory_mhz);
    printf("  \"shared_block\": %d, \"shared_requests\": %u, \"shared_sm\": %d, "
           "\"shared_reserved\": %d,\n",
           f->shared_block, meter.limit, f->shared_sm, f->shared_reserved);
    printf("  \"l2_bytes\": %d, \"memory_bytes\": %zu, \"ecc\": %s, \"display\": %s,\n",
           f->l2_bytes, f->memory_bytes, f->ecc ? "true" : "false",
           f->shared_with_display ? "true" : "false");
    printf("  \"trial\": {\"error_max\": %.3f, \"spread_max\": %.3f, \"cycles\": [", t->error_max,
           t->spread_max);
    for (unsigned n = 0; n < BW_LANES; n++)
        printf("%s%.3f", n ? ", " : "", t->measured[n].cycles);
    printf("]},\n  \"exact\": %s\n}\n", t->exact ? "true" : "false");
}

/* cuobjdump's output on this very program, for the architecture of the card; NULL where there is
 * none. */
static FILE *dump_sass(int cc)
{
    char self[4096], command[8192];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0 || memchr(self, '\'', (size_t)length))
        return NULL;
    self[length] = '\0';
    snprintf(command, sizeof command,
             "PATH=\"$PATH:/usr/local/cuda/bin\"; command -v cuobjdump >/dev/null 2>&1 && "
             "cuobjdump --dump-sass -arch sm_%d '%s'",
             cc, self);
    return popen(command, "r");
}

static int prove(const bw_card *card)
{
    bw_sass_count counts[BW_OP_COUNT];
    int cc = bw_card_about(card)->cc, wrong = 0, found = 0;
    FILE *text = dump_sass(cc);
    if (!text)
        return cli_fail(BW_EXIT_INTERNAL, "--sass: cannot run cuobjdump");
    bw_sass_read(text, counts);
    int status = pclose(text);
    for (int op = 0; op < BW_OP_COUNT; op++)
        found += counts[op].time >= 0;
    if (status != 0 || found == 0) {
        fprintf(stderr,
                "bankwise-gpu: skipped: --sass needs cuobjdump of the CUDA Toolkit, and machine "
                "code for sm_%d in this program\n",
                cc);
        return BW_EXIT_SKIPPED;
    }
    printf("%-18s %-22s %5s %5s  %s\n", "operation", "instruction", "time", "wait", "PTX");
    for (int op = 0; op < BW_OP_COUNT; op++) {
        const bw_gpu_op *row = bw_gpu_op_get((bw_op)op);
        if (!bw_card_has(card, (bw_op)op))
            continue;
        bool right = bw_sass_right((bw_op)op, counts[op].time) &&
                     (!row->answers || bw_sass_right((bw_op)op, counts[op].wait));
        wrong += !right;
        printf("%-18s %-22s %5d ", bw_op_get((bw_op)op)->name, row->sass, counts[op].time);
        if (row->answers)
            printf("%5d", counts[op].wait);
        else
            fputs("    -", stdout);
        printf("  %s%s\n", row->ptx, right ? "" : "  WRONG");
    }
    printf("%d operations, %d wrong; each instruction stands %d times in the body that is timed\n",
           found, wrong, BW_ISSUES);
    return wrong ? BW_EXIT_FINDING : BW_EXIT_DONE;
}

int cli_info(int argc, char **argv)
{
    options o;
    trial t;
    bw_card *card;
    int code = parse(argc, argv, &o);
    if (code >= 0)
        return code;
    code = cli_open_card(o.device, &card);
    if (code != BW_EXIT_DONE)
        return code;
    if (o.sass)
        code = prove(card);
    else if (!try_card(card, &t))
        code = BW_EXIT_INTERNAL;
    else if (o.json)
        print_json(card, &t);
    else
        print_text(card, &t);
    bw_card_close(card);
    return code;
}
