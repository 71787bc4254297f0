/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What execution costs: warp instructions a second on a matrix product, every block executed and
 * priced, with data and without; and the time of the whole grid with blocks folded. Before each, a
 * loop of a fixed length, by which a slow or busy machine is known. A benchmark (`meson test
 * --benchmark`); it fails only far from what it should be.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <time.h>

#include "launches.h"
#include "tally.h"

/* Half of what is expected of one core: the machine may be slow or busy. */
#define LEAST_PER_SECOND 10e6
#define MATRIX 512u
#define ROUNDS 3
#define REFERENCE_ROUNDS 20000000

/* Of the processor, so that what else runs on the machine counts little. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Million rounds a second of a loop in which each round waits for the one before. */
static double reference(void)
{
    uint64_t x = 88172645463325252u;
    double begin = now();
    for (int k = 0; k < REFERENCE_ROUNDS; k++)
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    double took = now() - begin;
    if (x == 0) /* never: but the compiler must compute it */
        puts("");
    return REFERENCE_ROUNDS / took / 1e6;
}

typedef struct kernel_row {
    const char *text, *name;
    uint32_t block[3], grid[3];
    bool product; /* parameters of MatrixMulCUDA: out, a, b, wA, wB; else of g01_product: c, a, b, n
                   */
} kernel_row;

static const kernel_row rows[] = {
    {"ncu-kernels.sass", "MatrixMulCUDA", {32, 32, 1}, {MATRIX / 32, MATRIX / 32, 1}, true},
    {"grids.sass", "g01_product", {16, 16, 1}, {MATRIX / 16, MATRIX / 16, 1}, false},
};

/* Best of some rounds: steps a second. */
static double measure(const bw_sass *sass, size_t kernel, const kernel_row *row, bool data,
                      bool fold, bool price, double *seconds, uint64_t *steps)
{
    uint8_t block[32];
    const uint32_t sizes[2] = {MATRIX, MATRIX};
    size_t bytes = (size_t)MATRIX * MATRIX * 4;
    bw_machine_buffer buffers[3];
    for (uint32_t k = 0; k < 3; k++) {
        uint64_t pointer = bw_machine_pointer(k);
        memcpy(block + 8 * k, &pointer, 8);
        buffers[k] = (bw_machine_buffer){pointer, bytes, calloc(1, bytes), NULL};
    }
    memcpy(block + 24, sizes, 8);
    bw_machine_param param = {0, row->product ? 32 : 28, block};
    *seconds = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        bw_tally tally;
        bw_diags diags = {0};
        bw_tally_init(&tally, bw_arch_find("sm_90"));
        bw_machine_launch launch = {.params = &param,
                                    .param_count = 1,
                                    .buffers = buffers,
                                    .buffer_count = data ? 3 : 0,
                                    .no_fold = !fold,
                                    .sink = price ? bw_machine_tally : NULL,
                                    .context = &tally};
        memcpy(launch.block, row->block, sizeof launch.block);
        memcpy(launch.grid, row->grid, sizeof launch.grid);
        double begin = now();
        bw_machine_result r = bw_machine_run(sass, kernel, &launch, &diags);
        double took = now() - begin;
        bw_diags_print(&diags, stderr, false);
        *seconds = took < *seconds ? took : *seconds;
        *steps = r.steps;
        if (r.status != BW_MACHINE_OK)
            exit(1);
        bw_machine_result_finish(&r);
        bw_diags_finish(&diags);
        bw_tally_finish(&tally);
    }
    for (uint32_t k = 0; k < 3; k++)
        free(buffers[k].bytes);
    return (double)*steps / *seconds;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        bool data, fold, price;
    } ways[] = {
        {"every block, no data, no prices", false, false, false},
        {"every block, no data", false, false, true},
        {"every block, data", true, false, true},
        {"equal blocks once", false, true, true},
    };
    double least = 1e12;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        size_t len;
        char *text = read_file(argc > 1 ? argv[1] : ".", rows[k].text, &len);
        bw_source source = {rows[k].text, text, len, NULL};
        bw_diags diags = {0};
        bw_sass *sass = bw_sass_read(&source, &diags);
        long kernel = sass ? bw_sass_find(sass, rows[k].name, &diags) : -1;
        bw_diags_print(&diags, stderr, false);
        if (kernel < 0)
            return 1;
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            double seconds, loop = reference();
            uint64_t steps;
            double speed = measure(sass, (size_t)kernel, &rows[k], ways[w].data, ways[w].fold,
                                   ways[w].price, &seconds, &steps);
            printf("%-16s %-34s %7.1f million warp instructions/s %8.4f s for %llu; loop %.0f\n",
                   rows[k].name, ways[w].name, speed / 1e6, seconds, (unsigned long long)steps,
                   loop);
            if (!ways[w].fold && speed < least)
                least = speed;
        }
        bw_sass_destroy(sass);
        bw_diags_finish(&diags);
        free(text);
    }
    if (least < LEAST_PER_SECOND)
        printf("too slow: the limit is %.0f million\n", LEAST_PER_SECOND / 1e6);
    return least < LEAST_PER_SECOND;
}
