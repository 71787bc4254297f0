/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What wgmma takes of the pipe of shared memory, against what a card counted and timed.
 *
 * argv[1] is the folder of the recordings.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bankwise.h"
#include "tap.h"

#define WARPS 4 /* of a warpgroup: the counters are for each */
#define COLUMNS 32

static const char *folder;
static const bw_arch *arch;

static FILE *open_recording(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    return file;
}

/* Cuts a line at its commas. */
static unsigned split(char *line, char *cells[COLUMNS])
{
    unsigned count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *cell = strtok(line, ","); cell && count < COLUMNS; cell = strtok(NULL, ","))
        cells[count++] = cell;
    return count;
}

/* A configuration is named like f16f32_n64_SS_t00 or f16f32_n8_RS_t00_sp. */
static bw_request request_of(const char *name)
{
    const char *n = strstr(name, "_n");
    bool shared = strstr(name, "_SS") != NULL, sparse = strstr(name, "_sp") != NULL;
    bw_request request = {.op = sparse ? (shared ? BW_OP_WGMMA_SP_SS : BW_OP_WGMMA_SP_RS)
                                       : (shared ? BW_OP_WGMMA_SS : BW_OP_WGMMA_RS),
                          .active = UINT32_MAX};
    ck_assert_msg(n && (shared || strstr(name, "_RS")), "%s", name);
    request.columns = (uint32_t)strtoul(n + 2, NULL, 10);
    return request;
}

static void check_cycles(const char *name, double cycles)
{
    bw_request request = request_of(name);
    bw_cost cost;
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_OK);
    double off = cycles - cost.cycles;
    bool shared = request.op == BW_OP_WGMMA_SS || request.op == BW_OP_WGMMA_SP_SS;
    /* With A in registers the clock wavers: 79.0, 79.1, 85.0 and 85.0 for the 80 of 160 columns. */
    double most = shared ? 0.3 : request.columns == 160 ? 5.1 : 1.1;
    ck_assert_msg(off > -most && off < most, "%s: %f, not %u", name, cycles, cost.cycles);
}

START_TEST(test_counters)
{
    static const char counter[] = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum";
    char line[4096], *cells[COLUMNS];
    unsigned at = 0, conflicts = 0, count, rows = 0;
    FILE *file = open_recording("wgmma.csv");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    count = split(line, cells);
    for (unsigned i = 0; i < count; i++) {
        at = strcmp(cells[i], counter) == 0 ? i : at;
        conflicts = strstr(cells[i], "conflicts") && strstr(cells[i], "op_gmma") ? i : conflicts;
    }
    ck_assert(at && conflicts);
    while (fgets(line, sizeof line, file)) {
        ck_assert_uint_eq(split(line, cells), count);
        bw_request request = request_of(cells[0]);
        bw_cost cost;
        ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_OK);
        ck_assert_msg(lround(WARPS * strtod(cells[at], NULL)) == (long)cost.wavefronts,
                      "%s: %s a warp, not %u a warpgroup", cells[0], cells[at], cost.wavefronts);
        ck_assert(strtod(cells[conflicts], NULL) == 0);
        check_cycles(cells[0], strtod(cells[12], NULL));
        rows++;
    }
    fclose(file);
    ck_assert_uint_eq(rows, 639);
}
END_TEST

START_TEST(test_clock)
{
    static const char *const files[] = {"wgmma-clock1.csv", "wgmma-clock2.csv", "wgmma-clock3.csv"};
    char line[4096], *cells[COLUMNS];
    unsigned rows = 0;
    for (int i = 0; i < 3; i++) {
        FILE *file = open_recording(files[i]);
        while (fgets(line, sizeof line, file)) {
            ck_assert_uint_eq(split(line, cells), 13);
            check_cycles(cells[0], strtod(cells[12], NULL));
            rows++;
        }
        fclose(file);
    }
    ck_assert_uint_eq(rows, 387);
}
END_TEST

static bool no_front(void *context, const bw_wavefront *front)
{
    (void)context, (void)front;
    ck_abort_msg("a wavefront whose words nobody knows");
    return false;
}

START_TEST(test_columns)
{
    bw_request request = {.op = BW_OP_WGMMA_SS, .active = UINT32_MAX};
    bw_cost cost;
    for (uint32_t n = 0; n <= 300; n++) {
        request.columns = n;
        bw_status want = n >= 8 && n <= 256 && n % 8 == 0 ? BW_OK : BW_INVALID;
        ck_assert_int_eq(bw_cost_of(arch, &request, &cost), want);
    }
    request.columns = 64;
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_OK);
    ck_assert_uint_eq(cost.wavefronts, 32);
    ck_assert_uint_eq(cost.excess_layout + cost.excess_serial, 0);
    ck_assert_int_eq(bw_schedule(arch, &request, no_front, NULL), BW_UNSUPPORTED);
    ck_assert_int_eq(bw_cost_of(bw_arch_find("sm_89"), &request, &cost), BW_UNSUPPORTED);
}
END_TEST

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    folder = argv[1];
    arch = bw_arch_find(BW_DEFAULT_ARCH);
    TCase *tc = tcase_create("wgmma");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, test_counters);
    tcase_add_test(tc, test_clock);
    tcase_add_test(tc, test_columns);
    return tap_run(tc);
}
