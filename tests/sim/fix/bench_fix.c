/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long the search takes: tiles of up to 256 x 256, all pads to 64, all swizzles, for the stores
 * and loads of one block. A benchmark; it fails where a tile takes longer than LIMIT_MS.
 */
#include <stdio.h>
#include <time.h>

#include "search.h"

#define LIMIT_MS 100.0
#define ROWS_OF_THREADS 8

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

typedef struct shape {
    const char *name;
    bw_op in, out;
    uint32_t elem;
    bool chance; /* columns read in a scrambled order: nothing merges */
} shape;

/* Rows in, columns out, as in a transposition: element (r, c) of an n x n tile. */
static void record(bw_traffic *t, const shape *s, uint32_t n)
{
    uint32_t in_bytes = bw_op_get(s->in)->bytes, out_bytes = bw_op_get(s->out)->bytes;
    bw_request r = {.op = s->in, .active = UINT32_MAX};
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t at = 0; at < n * s->elem; at += 32 * in_bytes) {
            for (uint32_t lane = 0; lane < 32; lane++)
                r.addr[lane] = row * n * s->elem + (at + lane * in_bytes) % (n * s->elem);
            bw_traffic_add(t, 0, 0, &r, 1);
        }
    r.op = s->out;
    for (uint32_t column = 0; column < n * s->elem; column += out_bytes)
        for (uint32_t from = 0; from < n; from += 32) {
            for (uint32_t lane = 0; lane < 32; lane++) {
                uint32_t row = from + lane;
                if (s->chance)
                    row = (row * 37 + column * 11 + lane * lane) % n;
                r.addr[lane] = row * n * s->elem + column;
            }
            bw_traffic_add(t, 0, 1, &r, 1);
        }
}

static double run(const shape *s, uint32_t n)
{
    bw_array a = {.name = "tile",
                  .elem = s->elem,
                  .align = 16,
                  .dims = 2,
                  .dim = {n, n},
                  .bytes = n * n * s->elem};
    bw_traffic t = {.arch = bw_arch_find("sm_90")};
    bw_search_options options = {.max_pad = 64};
    bw_search found;
    bw_traffic_instance(&t, &a);
    record(&t, s, n);
    double start = now_ms();
    bw_traffic_seal(&t);
    bw_search_layouts(&found, &t, &options);
    double ms = now_ms() - start;
    printf("%-16s %3u x %-3u  %6llu requests, %5zu distinct  %5llu layouts  %7.2f ms\n", s->name, n,
           n, (unsigned long long)t.total, t.lists[BW_MERGE_NONE].count,
           (unsigned long long)found.tried, ms);
    bw_traffic_finish(&t);
    return ms;
}

int main(void)
{
    static const shape shapes[] = {
        {"float", BW_OP_ST_32, BW_OP_LD_32, 4, false},
        {"float4 out", BW_OP_ST_32, BW_OP_LD_128, 4, false},
        {"half2 in", BW_OP_ST_32, BW_OP_LD_16, 2, false},
        {"double", BW_OP_ST_64, BW_OP_LD_64, 8, false},
        {"float scrambled", BW_OP_ST_32, BW_OP_LD_32, 4, true},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint32_t n = 32; n <= 256; n *= 2) {
            double ms = run(&shapes[i], n);
            good &= ms < LIMIT_MS;
        }
    if (!good)
        printf("too slow: more than %.0f ms\n", LIMIT_MS);
    return !good;
}
