/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replays recordings of bankwise-gpu against the model. With a column `cycles`, every row of an
 * operation that the clock counts exactly must agree, and enough of them must be there; with a
 * column `hw_wavefronts`, every row that the hardware counter and the model both know. A TAP test
 * for each file.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bankwise.h"
#include "optable.h"
#include "stream.h"

/* A recording with fewer rows of an operation than this proves little. */
#define LEAST_ROWS 50u

typedef struct tally {
    unsigned rows[BW_OP_COUNT], wrong, unstable;
    bool clocked; /* there is a column `cycles` */
} tally;

/* Loops on 8 bytes go by values where lanes of both halves of the warp share an address, and the
 * model knows none: test_loops.c has these. Copies past L1 are not counted by the hardware. */
static bool counter_knows(const bw_request *request)
{
    const bw_op_info *info = bw_op_get(request->op);
    for (unsigned a = 0; a < 16; a++)
        for (unsigned b = 16; b < BW_LANES; b++)
            if (info->kind == BW_KIND_CAS_LOOP && info->bytes == 8 && request->active >> a & 1 &&
                request->active >> b & 1 && request->addr[a] == request->addr[b])
                return false;
    return info->kind != BW_KIND_ASYNC_CG;
}

static void look_at_counters(const bw_stream_reader *reader, const bw_stream_row *row,
                             const bw_arch *arch, tally *t)
{
    static const char *const names[] = {"hw_wavefronts", "hw_conflicts"};
    bw_ncu ncu = {0};
    if (!counter_knows(&row->request))
        return;
    t->rows[row->request.op]++;
    bool right = bw_ncu_of(arch, &row->request, &ncu) == BW_OK;
    for (int i = 0; i < 2; i++) {
        int column = bw_stream_column(reader, names[i]);
        long measured = column < 0 ? -1 : lround(strtod(row->fields[column], NULL));
        right = right && measured == (long)(i ? ncu.conflicts : ncu.wavefronts);
    }
    t->wrong += !right;
    if (!right)
        printf("# line %u: %s: the counters say otherwise\n", row->line,
               bw_op_get(row->request.op)->name);
}

static void look(const bw_stream_reader *reader, const bw_stream_row *row, const bw_arch *arch,
                 tally *t)
{
    int cycles = bw_stream_column(reader, "cycles"), status = bw_stream_column(reader, "status");
    bw_cost cost;
    t->clocked = t->clocked || cycles >= 0;
    if (bw_stream_column(reader, "hw_wavefronts") >= 0) {
        look_at_counters(reader, row, arch, t);
        return;
    }
    if (!bw_gpu_op_get(row->request.op)->exact)
        return;
    if (cycles < 0 || status < 0 || strcmp(row->fields[status], "ok") != 0) {
        t->unstable++;
        return;
    }
    double measured = strtod(row->fields[cycles], NULL);
    t->rows[row->request.op]++;
    if (bw_cost_of(arch, &row->request, &cost) == BW_OK && llround(measured) == cost.cycles)
        return;
    t->wrong++;
    printf("# line %u: %s: measured %.3f, predicted %u\n", row->line,
           bw_op_get(row->request.op)->name, measured, cost.cycles);
}

/* The architecture that "# device: NAME (sm_90), …" names, or NULL. */
static const bw_arch *arch_of(const bw_stream_reader *reader)
{
    const char *device = bw_stream_meta(reader, "device");
    const char *open = device ? strstr(device, "(sm_") : NULL;
    char name[16] = "";
    if (open)
        snprintf(name, sizeof name, "%.*s", (int)strcspn(open + 1, ")"), open + 1);
    return bw_arch_find(name);
}

static bool replay(const char *path)
{
    tally t = {0};
    const bw_arch *arch = NULL;
    FILE *file = fopen(path, "r");
    if (!file) {
        printf("# cannot read %s\n", path);
        return false;
    }
    bw_stream_reader *reader = bw_stream_open(file, path);
    bw_stream_row row;
    int got;
    while ((got = bw_stream_next(reader, &row)) > 0) {
        arch = arch ? arch : arch_of(reader);
        if (!arch)
            break;
        look(reader, &row, arch, &t);
    }
    if (got < 0)
        printf("# %s\n", bw_stream_error(reader));
    bw_stream_close(reader);
    fclose(file);
    unsigned total = 0, thin = 0;
    for (int op = 0; op < BW_OP_COUNT; op++) {
        total += t.rows[op];
        thin += t.clocked && bw_gpu_op_get((bw_op)op)->exact && t.rows[op] < LEAST_ROWS;
    }
    printf("# %s: %u rows, %u wrong, %u unstable, %u operations with too few\n", path, total,
           t.wrong, t.unstable, thin);
    return got == 0 && arch && total && !t.wrong && !t.unstable && !thin;
}

int main(int argc, char **argv)
{
    bool all = argc > 1;
    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        bool ok = replay(argv[i]);
        printf("%sok %d - %s\n", ok ? "" : "not ", i,
               strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i]);
        all = all && ok;
    }
    return !all;
}
