/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The compare-and-swap loops, against hardware counters (gpu-loops.csv).
 *
 * The model does not know values. Here a warp's loop is run on values, by these rules:
 *   - in each round the remaining lanes load, at the price of a load of their width; a minimum or
 *     maximum that would not improve leaves the loop;
 *   - each half of the warp with 8-byte operands (the whole warp with 4-byte ones) that has lanes
 *     left swaps, at the price of 2; the halves one after the other, lanes in their order, at most
 *     one lane for each bank; a swap succeeds if the memory still holds what the lane loaded.
 * Every recorded sum must come out exactly. Where no two lanes of different halves share an
 * address, and a minimum or maximum improves something, the model must say the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bankwise.h"
#include "families.h"

#define MEMORY 8192u

/* Two issues bring memory into the state in which it stays, or which alternates; two are counted.
 */
enum { WARM_UP = 2, ISSUES = 4 };

typedef struct machine {
    const bw_arch *arch;
    const char *name; /* of the operation, without "atom." or "red." */
    unsigned operand; /* as in the recording */
    unsigned issue;
    uint64_t memory[MEMORY / 4]; /* one value at each address; 8-byte ones at even places */
} machine;

/* What `lane` would write over `old`; *done where it need not. */
static uint64_t combine(const machine *m, uint64_t old, unsigned lane, bool *done)
{
    int64_t better = m->operand * ((int64_t)m->issue * BW_LANES + lane + 1);
    int sign = m->issue & 1 ? -(int)m->operand : (int)m->operand;
    *done = false;
    if (strcmp(m->name, "min.u64") == 0) {
        *done = ~(uint64_t)better >= old;
        return ~(uint64_t)better;
    }
    if (strcmp(m->name, "min.s64") == 0) {
        *done = -better >= (int64_t)old;
        return (uint64_t)-better;
    }
    if (strcmp(m->name, "max.u64") == 0 || strcmp(m->name, "max.s64") == 0) {
        *done = better <= (int64_t)old;
        return (uint64_t)better;
    }
    if (strcmp(m->name, "and.b64") == 0)
        return old & m->operand;
    if (strcmp(m->name, "or.b64") == 0)
        return old | m->operand;
    if (strcmp(m->name, "xor.b64") == 0)
        return old ^ m->operand;
    if (strcmp(m->name, "add.u64") == 0)
        return old + m->operand;
    /* Floating-point sums: which number stands for which value does not matter. */
    return old + (uint64_t)(int64_t)sign;
}

static uint32_t load_price(const machine *m, const bw_request *request, uint32_t lanes)
{
    bw_request load = *request;
    bw_cost cost;
    load.op = bw_op_get(request->op)->bytes == 8 ? BW_OP_LD_64 : BW_OP_LD_32;
    load.active = lanes;
    bw_cost_of(m->arch, &load, &cost);
    return cost.wavefronts;
}

/* One round: takes lanes that are done out of *left and returns its wavefronts. */
static uint32_t run_round(machine *m, const bw_request *request, uint32_t *left)
{
    const unsigned bytes = bw_op_get(request->op)->bytes, part = bytes == 8 ? 16 : 32;
    uint64_t loaded[BW_LANES], wanted[BW_LANES];
    uint32_t price = load_price(m, request, *left);
    for (unsigned lane = 0; lane < BW_LANES; lane++) {
        bool done = false;
        if (!(*left >> lane & 1))
            continue;
        loaded[lane] = m->memory[request->addr[lane] / 4];
        wanted[lane] = combine(m, loaded[lane], lane, &done);
        if (done)
            *left &= ~(1u << lane);
    }
    for (unsigned first = 0; first < BW_LANES; first += part) {
        uint32_t taken = 0, trying = *left & (part == 32 ? UINT32_MAX : 0xffffu << first);
        price += trying ? 2 : 0;
        for (unsigned lane = first; lane < first + part; lane++) {
            uint32_t bank = 1u << request->addr[lane] / bytes % (128 / bytes);
            uint64_t *place = &m->memory[request->addr[lane] / 4];
            if (!(trying >> lane & 1) || taken & bank)
                continue;
            taken |= bank;
            if (*place == loaded[lane]) {
                *place = wanted[lane];
                *left &= ~(1u << lane);
            }
        }
    }
    return price;
}

/* Wavefronts of an issue, times ISSUES - WARM_UP. */
static uint32_t run_request(machine *m, const bw_request *request)
{
    uint32_t total = 0;
    memset(m->memory, strcmp(m->name, "min.u64") == 0 ? 0xff : 0, sizeof m->memory);
    for (m->issue = 0; m->issue < ISSUES; m->issue++)
        for (uint32_t left = request->active; left;) {
            uint32_t price = run_round(m, request, &left);
            total += m->issue >= WARM_UP ? price : 0;
        }
    return total;
}

static bool halves_share(const bw_request *request)
{
    for (unsigned a = 0; a < 16; a++)
        for (unsigned b = 16; b < BW_LANES; b++)
            if (request->active >> a & 1 && request->active >> b & 1 &&
                request->addr[a] == request->addr[b])
                return true;
    return false;
}

/* Minima and maxima that all lanes leave after the load. */
static bool improves_nothing(const machine *m)
{
    return !m->operand && (strncmp(m->name, "min", 3) == 0 || strncmp(m->name, "max", 3) == 0);
}

typedef struct row {
    char op[32];
    unsigned operand, limit, first, count, wavefronts;
    unsigned long long seed;
} row;

static unsigned rows, wrong, strange;

static void check_row(const row *r, const bw_arch *arch)
{
    static machine m;
    bw_op op = bw_op_find(r->op, strlen(r->op));
    uint32_t total = 0;
    m.arch = arch;
    m.name = strchr(r->op, '.') + 1;
    m.operand = r->operand;
    for (unsigned i = 0; i < r->count; i++) {
        bw_request request;
        bw_cost cost;
        bw_family_request(op, r->seed, r->first + i, r->limit, &request);
        uint32_t price = run_request(&m, &request);
        bw_cost_of(arch, &request, &cost);
        total += price;
        if (price != 2 * cost.wavefronts && !halves_share(&request) && !improves_nothing(&m))
            strange++;
    }
    rows++;
    if (total == 2 * r->wavefronts)
        return;
    wrong++;
    printf("# %s operand %u from %u: measured %u, computed %.1f\n", r->op, r->operand, r->first,
           r->wavefronts, total / 2.0);
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    const bw_arch *arch = bw_arch_find("sm_90");
    char line[4096];
    row r;
    puts("1..3");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "%31[a-z0-9.],%u,%llu,%u,%u,%u,%u", r.op, &r.operand, &r.seed, &r.limit,
                   &r.first, &r.count, &r.wavefronts) == 7)
            check_row(&r, arch);
    if (file)
        fclose(file);
    printf("%sok 1 - %u sums were recorded\n", rows >= 300 ? "" : "not ", rows);
    printf("%sok 2 - %u sums are wrong\n", wrong ? "not " : "", wrong);
    printf("%sok 3 - the model differs on %u requests whose halves share nothing\n",
           strange ? "not " : "", strange);
    return rows < 300 || wrong || strange;
}
