/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast a recording is read: 100,000 rows, written to a temporary file first. A benchmark; fails
 * above the 0.3 s that reading may take.
 */
#include <stdio.h>
#include <time.h>

#include "stream.h"

#define ROWS 100000u
#define LIMIT_S 0.3

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void write_rows(FILE *file)
{
    bw_stream_write_header(file, ",cycles");
    for (uint32_t n = 0; n < ROWS; n++) {
        bw_request request = {.op = (bw_op)(n / 1000 % BW_OP_COUNT), .active = UINT32_MAX};
        for (uint32_t i = 0; i < BW_LANES; i++)
            request.addr[i] = (n * 7 + i * 33) % 14000 * 16;
        bw_stream_write_request(file, &request);
        fputs(",1.001\n", file);
    }
}

static unsigned read_rows(FILE *file)
{
    bw_stream_reader *reader = bw_stream_open(file, "bench");
    bw_stream_row row;
    unsigned rows = 0;
    rewind(file);
    while (bw_stream_next(reader, &row) == 1)
        rows++;
    bw_stream_close(reader);
    return rows;
}

int main(void)
{
    FILE *file = tmpfile();
    double best = 1e9;
    if (!file) {
        perror("bench_stream: tmpfile");
        return 1;
    }
    write_rows(file);
    for (int i = 0; i < 5; i++) {
        double start = now();
        if (read_rows(file) != ROWS) {
            fprintf(stderr, "bench_stream: rows were lost\n");
            return 1;
        }
        double seconds = now() - start;
        best = seconds < best ? seconds : best;
    }
    printf("%u rows in %.3f s, %.0f rows/s\n", ROWS, best, ROWS / best);
    fclose(file);
    return best > LIMIT_S;
}
