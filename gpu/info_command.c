/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bankwise-gpu info: the card, whether it can be measured exactly, and proof of what is measured.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "optable.h"
#include "sass.h"

/* Loads of 4 bytes, N-way for N = 1 … 32: what they cost is beyond doubt. */
typedef struct trial {
    bw_measured measured[BW_LANES];
    double error_max;  /* cycles from N */
    double spread_max; /* cycles        */
    bool exact;
} trial;

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
        printf("%-18s %-22.*s %5d ", bw_op_get((bw_op)op)->name, (int)strcspn(row->sass, " "),
               row->sass, counts[op].time);
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
    cli_args args;
    trial t;
    bw_card *card;
    int code = cli_args_read(&args, CLI_INFO, argc, argv);
    bool json = args.values[CLI_FORMAT].number == 1, sass = args.values[CLI_SASS].given;
    if (code >= 0)
        return code;
    if (sass && json)
        return cli_fail(BW_EXIT_USAGE, "--sass writes text only; leave --format out");
    code = cli_open_card(args.values[CLI_DEVICE].number, &card);
    if (code != BW_EXIT_DONE)
        return code;
    if (sass)
        code = prove(card);
    else if (!try_card(card, &t))
        code = BW_EXIT_INTERNAL;
    else if (json)
        print_json(card, &t);
    else
        print_text(card, &t);
    bw_card_close(card);
    return code;
}
