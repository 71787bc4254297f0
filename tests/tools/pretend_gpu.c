/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that behaves like `bankwise-gpu run` and has no card: it answers with the naive model
 * of the tests, which shares no code with the program's. What it writes says so in its first line.
 * For tests of `bankwise measure` only.
 *
 * $PRETEND makes it misbehave:
 *     nocard, refuse, fail, crash    end so, as bankwise-gpu would
 *     garbage                        write something that is no recording
 *     over, under                    every third request takes one cycle less, or more
 *     unstable                       every third request has values that disagree
 *     short                          every third request is missing
 *     counter                        also write hw_wavefronts
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive.h"
#include "stream.h"

static bool is(const char *what)
{
    const char *mode = getenv("PRETEND");
    return mode && strcmp(mode, what) == 0;
}

static bool clock_counts(bw_op op)
{
    bw_op_kind kind = bw_op_get(op)->kind;
    return kind != BW_KIND_CAS_LOOP && kind != BW_KIND_ASYNC && kind != BW_KIND_ASYNC_CG;
}

static void answer(const bw_request *request, unsigned n)
{
    bw_cost cost;
    bool third = n % 3 == 0, exact = clock_counts(request->op);
    naive_cost(BW_RULES_MODERN, request, &cost);
    double cycles = exact ? cost.cycles : 17 + 3.4 * cost.wavefronts;
    cycles += (n % 7) * 0.01; /* a real clock is not exact */
    cycles += third && is("under") ? 1 : third && is("over") ? -1 : 0;
    bool unstable = third && is("unstable");
    if (third && is("short"))
        return;
    bw_stream_write_request(stdout, request);
    printf(",%.3f,%.3f,%.0f,%s", cycles, unstable ? 1.5 : 0.01, cycles,
           unstable ? "unstable"
           : exact  ? "ok"
                    : "inexact");
    if (is("counter"))
        printf(",%u", cost.wavefronts);
    putchar('\n');
}

static int answer_all(void)
{
    bw_stream_reader *reader = bw_stream_open(stdin, "standard input");
    bw_stream_row row;
    unsigned n = 0;
    int got;
    puts("# SYNTHETIC: made by a test from a model, measured by nobody");
    puts("# device: pretended NVIDIA H200 (sm_90)");
    puts("# driver: none");
    puts("# date: 2026-01-31T12:00:00Z");
    bw_stream_write_header(stdout, is("counter") ? ",cycles,cycles_spread,wavefronts,status,"
                                                   "hw_wavefronts"
                                                 : ",cycles,cycles_spread,wavefronts,status");
    while ((got = bw_stream_next(reader, &row)) == 1)
        answer(&row.request, n++);
    if (got < 0)
        fprintf(stderr, "bankwise-gpu: error: %s\n", bw_stream_error(reader));
    bw_stream_close(reader);
    return got < 0 ? 2 : 0;
}

int main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "run") != 0)
        return 2;
    if (is("nocard")) {
        fputs("bankwise-gpu: skipped: no card: the driver finds none\n", stderr);
        return 77;
    }
    if (is("refuse")) {
        fputs("bankwise-gpu: error: -:40: stmatrix.x1 needs sm_90 or later\n", stderr);
        return 2;
    }
    if (is("fail")) {
        fputs("bankwise-gpu: error: the card fell off the bus\n", stderr);
        return 3;
    }
    if (is("crash"))
        abort();
    if (is("garbage")) {
        puts("this is no recording");
        return 0;
    }
    return answer_all();
}
