/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the model costs: nanoseconds a request, by operation and by family. A benchmark
 * (`meson test --benchmark`); it fails only far from what a pattern of ten million requests needs.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdio.h>
#include <time.h>

#include "families.h"
#include "tally.h"

#define REQUESTS 1000
#define ROUNDS 30

/* A strided load must be priced in less, with room for a slow or busy machine. */
#define LIMIT_NS 250.0

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static bw_request requests[REQUESTS];
static volatile uint32_t kept; /* so that no call is optimised away */

/* The best of some rounds: what else runs on the machine only ever adds. */
static double time_costs(const bw_arch *arch)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int i = 0; i < REQUESTS; i++) {
            bw_cost cost;
            bw_cost_of(arch, &requests[i], &cost);
            kept += cost.wavefronts;
        }
        double ns = (now() - start) / REQUESTS;
        best = ns < best ? ns : best;
    }
    return best;
}

static void fill_strided(bw_op op)
{
    uint32_t bytes = bw_op_get(op)->bytes;
    for (uint32_t i = 0; i < REQUESTS; i++) {
        requests[i] = (bw_request){.op = op, .active = UINT32_MAX};
        for (uint32_t lane = 0; lane < 32; lane++)
            requests[i].addr[lane] = bytes * lane * (1 + i % 64);
    }
}

static double time_tally(const bw_arch *arch)
{
    bw_tally tally;
    bw_tally_init(&tally, arch);
    fill_strided(BW_OP_LD_32);
    double best = 1e9;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        double start = now();
        for (uint32_t i = 0; i < REQUESTS; i++)
            bw_tally_add(&tally, i, 0, 0, &requests[i], 1);
        double ns = (now() - start) / REQUESTS;
        best = ns < best ? ns : best;
    }
    bw_tally_finish(&tally);
    return best;
}

int main(void)
{
    const bw_arch *arch = bw_arch_find("sm_90");
    rng r = {1};
    double worst = 0;
    printf("nanoseconds a request            strided   mixed families\n");
    for (int op = 0; op < BW_OP_COUNT; op++) {
        fill_strided((bw_op)op);
        double strided = time_costs(arch);
        for (int i = 0; i < REQUESTS; i++)
            family_request(&r, (bw_op)op, &requests[i]);
        printf("%-30s %9.1f %9.1f\n", bw_op_get((bw_op)op)->name, strided, time_costs(arch));
        if (bw_op_get((bw_op)op)->kind == BW_KIND_LOAD && strided > worst)
            worst = strided;
    }
    printf("%-30s %9.1f\n", "a tally, requests alike", time_tally(arch));
    if (worst > LIMIT_NS)
        printf("too slow: a strided load took %.0f ns, the limit is %.0f\n", worst, LIMIT_NS);
    return worst > LIMIT_NS;
}
