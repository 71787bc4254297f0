/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The law of copies through L1 against what a card counted and timed, launch by launch, and its
 * rules on requests made by hand.
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

static const char *folder;
static const bw_arch *arch;
static bw_copy_state state;

/* ---- reading ---- */

/* A row of a file of requests: "launch,kind,op,wait,big,n,sub,mask,warm,a0,…,a31,s0,…,s31". */
typedef struct row {
    unsigned launch;
    char kind[24];
    bw_op op;
    uint32_t mask, warm; /* lanes that copy; lanes whose source was loaded before */
    uint32_t to[32];
    uint64_t from[32];
} row;

static FILE *unpack(const char *name)
{
    char command[4096];
    snprintf(command, sizeof command, "xz -dc '%s/%s'", folder, name);
    FILE *file = popen(command, "r");
    ck_assert_ptr_nonnull(file);
    return file;
}

static uint64_t number(char **at, int base)
{
    uint64_t value = strtoull(*at, at, base);
    *at += **at == ',';
    return value;
}

static bool next_row(FILE *file, row *r)
{
    static const bw_op ops[] = {BW_OP_CP_ASYNC_4, BW_OP_CP_ASYNC_8, BW_OP_CP_ASYNC_16_CA,
                                BW_OP_CP_ASYNC_16};
    char line[4096], *at = line;
    do
        if (!fgets(line, sizeof line, file))
            return false;
    while (line[0] < '0' || line[0] > '9'); /* the header */
    r->launch = (unsigned)number(&at, 10);
    size_t length = strcspn(at, ",");
    snprintf(r->kind, sizeof r->kind, "%.*s", (int)length, at);
    at += length + 1;
    uint64_t op = number(&at, 10);
    ck_assert_uint_lt(op, 4);
    r->op = ops[op];
    for (int skipped = 0; skipped < 4; skipped++) /* wait, big, n, sub */
        number(&at, 10);
    r->mask = (uint32_t)number(&at, 16);
    r->warm = (uint32_t)number(&at, 16);
    for (int i = 0; i < 32; i++)
        r->to[i] = (uint32_t)number(&at, 10);
    for (int i = 0; i < 32; i++)
        r->from[i] = number(&at, 10);
    return true;
}

static void sources_of(const row *r, bw_sources *sources)
{
    *sources = (bw_sources){.placed = true};
    for (int i = 0; i < 32; i++) {
        sources->addr[i] = r->from[i];
        sources->bytes[i] = bw_op_get(r->op)->bytes;
    }
}

static bw_request request_of(const row *r, const bw_sources *sources)
{
    bw_request request = {.op = r->op, .active = r->mask, .sources = sources};
    memcpy(request.addr, r->to, sizeof r->to);
    return request;
}

/* The cost of a copy after those before it in its launch. */
static bw_cost price(const row *r)
{
    bw_sources sources;
    bw_cost cost;
    sources_of(r, &sources);
    bw_request load = request_of(r, &sources), copy = load;
    load.active = r->warm;
    bw_copy_touch(&state, &load, &sources);
    bw_copy_touch(&state, &copy, &sources);
    ck_assert_int_eq(bw_cost_of(arch, &copy, &cost), BW_OK);
    return cost;
}

/* ---- counters ---- */

#define LAUNCHES 4096

typedef struct launch {
    char kind[24];
    long net, predicted; /* the counter less what a launch costs by itself; the model's sum */
    unsigned copies, passes;
} launch;

static launch launches[LAUNCHES];

static void read_counts(void)
{
    char path[4096], line[1024];
    snprintf(path, sizeof path, "%s/cpA.counts.csv", folder);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    while (fgets(line, sizeof line, file)) {
        unsigned at;
        char kind[24];
        long net;
        if (sscanf(line, "%u,%23[^,],%*[^,],%*d,%*d,%*d,%*d,%*d,%ld", &at, kind, &net) == 3) {
            ck_assert_uint_lt(at, LAUNCHES);
            launches[at].net = net;
            memcpy(launches[at].kind, kind, sizeof kind);
        }
    }
    fclose(file);
}

/* Launches that calibrate, and copies past L1, of which the counter sees nothing. */
static bool is_counted(const char *kind)
{
    return *kind && strncmp(kind, "cal", 3) != 0 && strcmp(kind, "cg") != 0;
}

static void predict_launches(void)
{
    row r;
    unsigned last = LAUNCHES;
    FILE *file = unpack("cpA.requests.csv.xz");
    while (next_row(file, &r)) {
        launch *at = &launches[r.launch];
        ck_assert_msg(strcmp(at->kind, r.kind) == 0, "launch %u is %s, not %s", r.launch, r.kind,
                      at->kind);
        if (!is_counted(r.kind))
            continue;
        if (r.launch != last)
            bw_copy_start(&state, false);
        last = r.launch;
        bw_cost cost = price(&r);
        at->predicted += cost.wavefronts;
        at->copies++;
        at->passes = cost.passes > at->passes ? cost.passes : at->passes;
    }
    ck_assert_int_eq(pclose(file), 0);
}

/* The three that differ have one wavefront more, and hits and misses over more than eight passes.
 */
START_TEST(test_counters)
{
    unsigned seen = 0, agreed = 0, copies = 0;
    memset(launches, 0, sizeof launches);
    read_counts();
    predict_launches();
    for (unsigned i = 0; i < LAUNCHES; i++) {
        const launch *at = &launches[i];
        if (!is_counted(at->kind))
            continue;
        seen++;
        copies += at->copies;
        agreed += at->net == at->predicted;
        if (at->net != at->predicted) {
            printf("# launch %u, %s: counted %ld, predicted %ld, %u passes\n", i, at->kind, at->net,
                   at->predicted, at->passes);
            ck_assert_int_eq(at->net, at->predicted + 1);
            ck_assert_uint_gt(at->passes, 8);
        }
    }
    printf("# %u of %u launches, %u copies\n", agreed, seen, copies);
    ck_assert_uint_eq(seen, 1636);
    ck_assert_uint_eq(agreed, 1633);
}
END_TEST

/* ---- the clock ---- */

/* With all sources in L1 the clock shows a little more than the longer of both. */
START_TEST(test_clock)
{
    char path[4096], line[256];
    unsigned seen = 0, close = 0;
    row r;
    snprintf(path, sizeof path, "%s/cpC.clock.csv", folder);
    FILE *clock = fopen(path, "rb"), *file = unpack("cpC.requests.csv.xz");
    ck_assert_msg(clock != NULL, "cannot open %s", path);
    while (fgets(line, sizeof line, clock)) {
        unsigned at;
        double cycles;
        if (sscanf(line, "%u,%lf", &at, &cycles) != 2)
            continue;
        ck_assert(next_row(file, &r));
        ck_assert_uint_eq(r.launch, at);
        bw_copy_start(&state, true);
        bw_cost cost = price(&r);
        double floor = cost.passes + 1.1, expected = cost.wavefronts + 0.7;
        expected = expected > floor ? expected : floor;
        ck_assert_uint_eq(cost.cycles,
                          cost.passes > cost.wavefronts ? cost.passes : cost.wavefronts);
        seen++;
        close += fabs(cycles - expected) < 0.3;
        ck_assert_msg(cycles > expected - 0.2 && cycles < expected + 1.5, "%u: %f, not %f", at,
                      cycles, expected);
    }
    fclose(clock);
    pclose(file);
    printf("# %u of %u within 0.3\n", close, seen);
    ck_assert_uint_eq(seen, 1500);
    ck_assert_uint_ge(close, 1234);
}
END_TEST

/* ---- by hand ---- */

/* 32 lanes of 16 bytes in rows of `count` lanes, the rows `pitch` bytes apart in global memory and
 * without a gap in shared memory. */
static bw_cost rows_of(unsigned count, uint64_t pitch, bool cached)
{
    bw_sources sources = {.placed = true, .cached = cached ? UINT32_MAX : 0};
    bw_request request = {.op = BW_OP_CP_ASYNC_16_CA, .active = UINT32_MAX, .sources = &sources};
    bw_cost cost;
    for (unsigned i = 0; i < 32; i++) {
        request.addr[i] = 16 * i;
        sources.addr[i] = i / count * pitch + i % count * 16;
        sources.bytes[i] = 16;
    }
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_OK);
    return cost;
}

START_TEST(test_rows)
{
    bw_cost whole = rows_of(32, 0, false);
    ck_assert_uint_eq(whole.wavefronts, 4);
    ck_assert_uint_eq(whole.passes, 1);
    ck_assert(!whole.at_least);
    bw_cost far = rows_of(4, 1024, false), near = rows_of(4, 64, false);
    ck_assert_uint_eq(near.wavefronts, 4);
    ck_assert_uint_gt(far.wavefronts, near.wavefronts);
    ck_assert_uint_eq(far.excess_layout, far.wavefronts - 4);
    ck_assert_uint_eq(far.excess_serial, 0);
    /* In L1 there are no tag passes, but rows of 64 bytes at 1024 share source banks by pairs. */
    ck_assert_uint_eq(rows_of(4, 1024, true).wavefronts, 8);
}
END_TEST

START_TEST(test_one_source)
{
    bw_sources sources = {.placed = true};
    bw_request request = {.op = BW_OP_CP_ASYNC_4, .active = UINT32_MAX, .sources = &sources};
    bw_cost cost;
    for (unsigned i = 0; i < 32; i++) {
        request.addr[i] = 4 * i;
        sources.bytes[i] = 4;
    }
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_OK);
    ck_assert_uint_eq(cost.wavefronts, 32); /* one word for all: lane by lane */
    ck_assert_uint_eq(cost.excess_serial, 31);
    memset(sources.bytes, 0, sizeof sources.bytes);
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_OK);
    ck_assert_uint_eq(cost.wavefronts, 1); /* zeros come from nowhere */
    ck_assert_uint_eq(cost.passes, 0);
    sources.bytes[5] = 4;
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_OK);
    ck_assert_uint_eq(cost.wavefronts, 2);
    ck_assert_uint_eq(cost.excess_serial, 1);
    request.sources = NULL;
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_OK);
    ck_assert(cost.at_least);
    ck_assert_uint_eq(cost.wavefronts, 1);
}
END_TEST

START_TEST(test_bad_sources)
{
    bw_sources sources = {.placed = true};
    bw_request request = {.op = BW_OP_CP_ASYNC_8, .active = 1, .sources = &sources};
    bw_cost cost;
    sources.addr[0] = 4;
    sources.bytes[0] = 8;
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_MISALIGNED);
    sources.bytes[0] = 0; /* it is not read */
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_OK);
    sources.bytes[0] = 9;
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_INVALID);
}
END_TEST

START_TEST(test_state)
{
    bw_sources sources = {.placed = true};
    bw_request request = {.op = BW_OP_CP_ASYNC_4, .active = 0xff, .sources = &sources};
    for (unsigned i = 0; i < 8; i++) {
        sources.addr[i] = 4096 + 32 * i; /* two lines */
        sources.bytes[i] = 4;
    }
    bw_copy_start(&state, false);
    bw_copy_touch(&state, &request, &sources);
    ck_assert_uint_eq(sources.cached, 0);
    bw_copy_touch(&state, &request, &sources);
    ck_assert_uint_eq(sources.cached, 0xff);
    sources.addr[0] += 256; /* another line, of which one sector is asked for */
    bw_copy_touch(&state, &request, &sources);
    ck_assert_uint_eq(sources.cached, 0xfe);
    sources.addr[1] = sources.addr[0] + 32; /* the line is there, but not that sector: all miss */
    bw_copy_touch(&state, &request, &sources);
    ck_assert_uint_eq(sources.cached, 0xfc);
    for (unsigned i = 0; i < 3 * BW_COPY_LINES; i++) { /* it never fills up */
        sources.addr[0] = (uint64_t)i << 7;
        bw_copy_touch(&state, &request, &sources);
        ck_assert_uint_le(state.lines, BW_COPY_LINES);
    }
    bw_copy_start(&state, true);
    bw_copy_touch(&state, &request, &sources);
    ck_assert_uint_eq(sources.cached, 0xff);
}
END_TEST

/* Where arrays lie changes sets, and nothing else. */
START_TEST(test_places)
{
    bw_sources sources = {.placed = false};
    bw_request request = {.op = BW_OP_CP_ASYNC_4, .active = UINT32_MAX, .sources = &sources};
    uint32_t wavefronts[BW_PLACES], least = UINT32_MAX, most = 0;
    bw_cost cost;
    for (unsigned i = 0; i < 32; i++) {
        request.addr[i] = 4 * i;
        sources.addr[i] = ((uint64_t)3 << BW_ARRAY_SHIFT) + 4096 * i + 4 * i;
        sources.bytes[i] = 4;
    }
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_OK);
    ck_assert_int_eq(bw_copy_places(arch, &request, wavefronts), BW_OK);
    ck_assert_uint_eq(wavefronts[0], cost.wavefronts);
    for (unsigned i = 0; i < BW_PLACES; i++) {
        least = wavefronts[i] < least ? wavefronts[i] : least;
        most = wavefronts[i] > most ? wavefronts[i] : most;
    }
    ck_assert_uint_ge(least, 8); /* 32 lines in four sets */
    ck_assert_uint_le(most, 32);
    ck_assert_uint_lt(least, most);
    sources.placed = true;
    ck_assert_int_eq(bw_copy_places(arch, &request, wavefronts), BW_OK);
    for (unsigned i = 0; i < BW_PLACES; i++)
        ck_assert_uint_eq(wavefronts[i], cost.wavefronts);
}
END_TEST

/* ---- the schedule plays what is counted ---- */

typedef struct watch {
    const bw_request *request;
    unsigned visits;
    uint32_t lanes;
    bool wrong; /* asserted once: Check notes every assertion, which takes time */
} watch;

/* A bank gives or takes the words of one lane, and nobody is served twice. */
static bool watch_front(void *context, const bw_wavefront *front)
{
    watch *w = context;
    unsigned words = bw_op_get(w->request->op)->bytes / 4;
    w->wrong |= front->index != w->visits++ || (w->lanes & front->lanes) != 0;
    w->lanes |= front->lanes;
    for (unsigned bank = 0; bank < 32; bank++) {
        uint32_t to = front->bank_lanes[bank], from = front->source_lanes[bank];
        w->wrong |= (to & (to - 1)) != 0 || (from & (from - 1)) != 0;
        w->wrong |= ((to | from) & ~front->lanes) != 0;
        for (unsigned lane = 0; lane < 32; lane++)
            w->wrong |=
                (from >> lane & 1) && (bank - w->request->sources->addr[lane] / 4) % 32 >= words;
    }
    return true;
}

START_TEST(test_schedule)
{
    row r;
    FILE *file = unpack("cpC.requests.csv.xz");
    while (next_row(file, &r)) {
        bw_sources sources;
        bw_cost cost;
        sources_of(&r, &sources);
        sources.cached = r.launch * 0x9e3779b9u;
        sources.bytes[r.launch % 32] = 0;
        bw_request request = request_of(&r, &sources);
        watch w = {.request = &request};
        ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_OK);
        ck_assert_int_eq(bw_schedule(arch, &request, watch_front, &w), BW_OK);
        ck_assert(!w.wrong);
        ck_assert_uint_eq(w.visits, cost.wavefronts);
        ck_assert_uint_eq(w.lanes, request.active);
        ck_assert_uint_eq(cost.wavefronts, cost.ideal + cost.excess_layout + cost.excess_serial);
        ck_assert_uint_le(cost.excess_serial, cost.wavefronts - cost.ideal);
    }
    pclose(file);
}
END_TEST

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    folder = argv[1];
    arch = bw_arch_find(BW_DEFAULT_ARCH);
    TCase *tc = tcase_create("async");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, test_counters);
    tcase_add_test(tc, test_clock);
    tcase_add_test(tc, test_rows);
    tcase_add_test(tc, test_one_source);
    tcase_add_test(tc, test_bad_sources);
    tcase_add_test(tc, test_state);
    tcase_add_test(tc, test_places);
    tcase_add_test(tc, test_schedule);
    return tap_run(tc);
}
