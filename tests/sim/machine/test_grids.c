/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernels of several blocks, from their text: each instruction's counts as Nsight Compute counted
 * them on the card, with blocks folded and with every block executed. The text of the same kernels
 * for other architectures must make as many requests of the same cost.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "launches.h"
#include "tally.h"
#include "tap.h"

/* What cannot be equal in every column, and why. */
enum {
    TIMING = 1, /* threads contend, or blocks wait: how often loops go round varies */
};

/* As the main functions of grids.cu and ncu-kernels.cu launch them. In `arguments` letters are
 * pointers: o, p buffers without content that matters, a the random keys, k those from 2048 on, b
 * zeroes but for a first 1; numbers are ints, those with a point floats. */
static const struct launch_row {
    const char *page, *name;
    uint32_t block[3], grid[3];
    const char *arguments;
    bool data; /* the run needs to know what buffers hold */
    int except;
    uint64_t most_run; /* blocks that are executed at most where equal ones are folded */
} rows[] = {
    {"grids", "g01_product", {16, 16, 1}, {7, 7, 1}, "o p p 100", false, 0, 4},
    {"grids", "g02_histogram", {256, 1, 1}, {6, 1, 1}, "o a 10000", true, 0, 6},
    {"grids", "g03_sort", {256, 1, 1}, {4, 1, 1}, "a", true, 0, 4},
    {"grids", "g04_strides", {64, 1, 1}, {9, 1, 1}, "o", false, 0, 9},
    {"grids", "g05_guarded", {128, 1, 1}, {11, 1, 1}, "o p 1300", false, 0, 2},
    {"grids", "g06_table", {128, 1, 1}, {5, 1, 1}, "o k", true, TIMING, 5},
    {"grids", "g07_chain", {32, 1, 1}, {4, 1, 1}, "b o", true, TIMING, 4},
    {"grids", "g08_roles", {64, 1, 1}, {3, 5, 1}, "o", false, 0, 4},
    {"ncu-kernels", "transpose(", {32, 8, 1}, {1, 1, 1}, "o p 1024", false, 0, 1},
    {"ncu-kernels", "transpose_padded", {32, 8, 1}, {1, 1, 1}, "o p 1024", false, 0, 1},
    {"ncu-kernels",
     "sgemmVectorize",
     {256, 1, 1},
     {1, 1, 1},
     "128 128 64 1.0 p p 0.0 o",
     false,
     0,
     1},
    {"ncu-kernels", "MatrixMulCUDA", {32, 32, 1}, {2, 2, 1}, "o p p 64 64", false, 0, 1},
    {"ncu-kernels", "prescan(", {512, 1, 1}, {1, 1, 1}, "o p 1024", false, 0, 1},
    {"ncu-kernels", "prescan_padded", {512, 1, 1}, {1, 1, 1}, "o p 1024", false, 0, 1},
    {"ncu-kernels", "pipelined_sum(", {128, 1, 1}, {4, 1, 1}, "p o 8", false, 0, 1},
    {"ncu-kernels", "pipelined_sum_asm", {128, 1, 1}, {1, 1, 1}, "p o 8", false, 0, 1},
    {"ncu-kernels", "reduce1", {256, 1, 1}, {4, 1, 1}, "p o", false, 0, 1},
    {"ncu-kernels", "histogram(", {256, 1, 1}, {1, 1, 1}, "o 4096", false, 0, 1},
};
#define ROWS (sizeof rows / sizeof *rows)
#define INTS (1u << 16)

static const char *recorded;

/* ---- one launch ---- */

typedef struct run {
    bw_diags diags;
    bw_machine_result result;
    bw_tally tally;
    int32_t *buffers[4]; /* a, b, o, p */
} run;

static void fill(run *r)
{
    uint64_t x = 88172645463325252u;
    for (int k = 0; k < 4; k++)
        r->buffers[k] = calloc(INTS, 4);
    for (uint32_t i = 0; i < INTS; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        r->buffers[0][i] = (int32_t)(x >> 40);
    }
    r->buffers[1][0] = 1;
}

/* Fills the parameter block; returns its size. */
static uint32_t put_arguments(const char *arguments, uint8_t *block)
{
    uint32_t at = 0;
    for (const char *p = arguments; *p; p += strcspn(p, " "), p += *p == ' ') {
        const char *letter = strchr("abopk", *p);
        if (letter) {
            uint64_t pointer = bw_machine_pointer(*p == 'k' ? 0 : (uint32_t)(letter - "abopk"));
            pointer += *p == 'k' ? 8192 : 0;
            at = (at + 7) & ~7u;
            memcpy(block + at, &pointer, 8);
            at += 8;
            continue;
        }
        int32_t number = atoi(p);
        float real = (float)atof(p);
        memcpy(block + at, memchr(p, '.', strcspn(p, " ")) ? (void *)&real : (void *)&number, 4);
        at += 4;
    }
    return at;
}

static void execute(const bw_sass *sass, long kernel, const struct launch_row *row,
                    const bw_arch *arch, bool no_fold, run *r)
{
    uint8_t block[64] = {0};
    *r = (run){0};
    fill(r);
    bw_machine_param param = {0, put_arguments(row->arguments, block), block};
    bw_machine_buffer buffers[4];
    for (uint32_t k = 0; k < 4; k++)
        buffers[k] =
            (bw_machine_buffer){bw_machine_pointer(k), 4 * INTS, (uint8_t *)r->buffers[k], NULL};
    bw_machine_launch launch = {.arch = arch,
                                .params = &param,
                                .param_count = 1,
                                .buffers = buffers,
                                .buffer_count = row->data ? 4 : 0,
                                .no_fold = no_fold,
                                .sink = bw_machine_tally,
                                .context = &r->tally};
    memcpy(launch.block, row->block, sizeof launch.block);
    memcpy(launch.grid, row->grid, sizeof launch.grid);
    bw_tally_init(&r->tally, arch);
    r->result = bw_machine_run(sass, (size_t)kernel, &launch, &r->diags);
    bw_diags_print(&r->diags, stderr, false);
    for (size_t k = 0; k < r->result.need_count; k++)
        printf("# need %d at instruction %u, from %d at %u\n", r->result.needs[k].kind,
               r->result.needs[k].ins, r->result.needs[k].origin.kind,
               r->result.needs[k].origin.ins);
    fflush(stdout);
    ck_assert_int_eq(r->result.status, BW_MACHINE_OK);
    ck_assert_int_eq(r->tally.status, BW_OK);
}

static void finish(run *r)
{
    bw_diags_finish(&r->diags);
    bw_machine_result_finish(&r->result);
    bw_tally_finish(&r->tally);
    for (int k = 0; k < 4; k++)
        free(r->buffers[k]);
}

static bw_sass *read_text(const char *name, const char *ending, bw_source *source)
{
    char path[200];
    size_t len;
    snprintf(path, sizeof path, "sm_90-h200/machine/%s%s", name, ending);
    char *text = read_file(recorded, path, &len);
    *source = (bw_source){"text", text, len, NULL};
    bw_diags diags = {0};
    bw_sass *sass = bw_sass_read(source, &diags);
    bw_diags_print(&diags, stderr, false);
    bw_diags_finish(&diags);
    ck_assert_ptr_nonnull(sass);
    return sass;
}

static long find(const bw_sass *sass, const char *name)
{
    bw_diags diags = {0};
    long index = bw_sass_find(sass, name, &diags);
    bw_diags_print(&diags, stderr, false);
    bw_diags_finish(&diags);
    ck_assert_int_ge(index, 0);
    return index;
}

/* ---- against the card ---- */

static unsigned compare(const bw_sass_kernel *page, const run *r, int except)
{
    unsigned differences = 0;
    static const bw_counts none;
    for (size_t i = 0; i < page->count; i++) {
        const bw_sass_counts *p = &page->ins[i].profiled;
        const bw_machine_counts *c = &r->result.counts[i];
        const bw_counts *t = i < r->tally.count ? &r->tally.rows[i].counts : &none;
        bool counts = p->executed == c->executed && p->threads == c->threads;
        bool waves = p->wavefronts == t->ncu_sass_wavefronts;
        if (except & TIMING || (counts && waves && p->ideal == t->ncu_sass_ideal))
            continue;
        differences++;
        printf("# %04x %-50s executed %llu %llu threads %llu %llu wavefronts %llu %llu ideal %llu "
               "%llu\n",
               page->ins[i].address, page->ins[i].text, (unsigned long long)p->executed,
               (unsigned long long)c->executed, (unsigned long long)p->threads,
               (unsigned long long)c->threads, (unsigned long long)p->wavefronts,
               (unsigned long long)t->ncu_sass_wavefronts, (unsigned long long)p->ideal,
               (unsigned long long)t->ncu_sass_ideal);
    }
    fflush(stdout);
    return differences;
}

static void replay(const struct launch_row *row, bool no_fold)
{
    bw_source source;
    bw_sass *page = read_text(row->page, ".src.csv", &source);
    long kernel = find(page, row->name);
    run r;
    execute(page, kernel, row, bw_arch_find("sm_90"), no_fold, &r);
    ck_assert_uint_eq(compare(bw_sass_at(page, (size_t)kernel), &r, row->except), 0);
    if (no_fold)
        ck_assert_uint_eq(r.result.blocks_run, r.result.blocks);
    else
        ck_assert_uint_le(r.result.blocks_run, row->most_run);
    finish(&r);
    bw_sass_destroy(page);
    free((char *)(uintptr_t)source.text);
}

START_TEST(test_folded)
{
    replay(&rows[_i], false);
}
END_TEST

START_TEST(test_every_block)
{
    replay(&rows[_i], true);
}
END_TEST

/* ---- results, and other architectures ---- */

/* The sorted keys, the histogram's sums and the lengths of searches are what C computes. */
START_TEST(test_results)
{
    bw_source source;
    bw_sass *sass = read_text("grids", ".sass", &source);
    run r, keys = {0};
    fill(&keys);
    execute(sass, find(sass, "g03_sort"), &rows[2], bw_arch_find("sm_90"), false, &r);
    for (int block = 0; block < 4; block++)
        for (int i = 1; i < 256; i++)
            ck_assert_int_le(r.buffers[0][block * 256 + i - 1], r.buffers[0][block * 256 + i]);
    finish(&r);
    execute(sass, find(sass, "g02_histogram"), &rows[1], bw_arch_find("sm_90"), false, &r);
    int32_t bins[256] = {0};
    for (int i = 0; i < 10000; i++)
        bins[((const uint8_t *)keys.buffers[0])[i]]++;
    ck_assert_mem_eq(bins, r.buffers[2], sizeof bins);
    finish(&r);
    execute(sass, find(sass, "g07_chain"), &rows[6], bw_arch_find("sm_90"), false, &r);
    for (int block = 0; block < 4; block++)
        ck_assert_int_eq(r.buffers[2][block * 32 + 5], block + 1);
    finish(&r);
    finish(&keys);
    bw_sass_destroy(sass);
    free((char *)(uintptr_t)source.text);
}
END_TEST

/* Another compiler's choice of instructions is another count, but what is stored is the same. */
START_TEST(test_other_architectures)
{
    static const char *const archs[] = {"sm_80", "sm_100", "sm_120"};
    char ending[20];
    snprintf(ending, sizeof ending, ".%s.txt", archs[_i]);
    bw_source source, own_source;
    bw_sass *sass = read_text("grids", ending, &source),
            *own = read_text("grids", ".sass", &own_source);
    for (size_t k = 0; k < 8; k++) {
        run r, expected;
        struct launch_row row = rows[k];
        row.data = true;
        execute(sass, find(sass, row.name), &row, bw_arch_find(archs[_i]), false, &r);
        execute(own, find(own, row.name), &row, bw_arch_find("sm_90"), true, &expected);
        for (int b = 0; b < 4; b++)
            ck_assert_mem_eq(r.buffers[b], expected.buffers[b], 4 * INTS);
        finish(&r);
        finish(&expected);
    }
    bw_sass_destroy(sass);
    bw_sass_destroy(own);
    free((char *)(uintptr_t)source.text);
    free((char *)(uintptr_t)own_source.text);
}
END_TEST

/* A block that waits for a later one is found and named. */
START_TEST(test_waiting)
{
    bw_source source;
    bw_sass *sass = read_text("grids", ".sass", &source);
    run r = {0};
    fill(&r);
    r.buffers[1][0] = 0; /* nobody begins the chain */
    uint8_t block[64];
    bw_machine_param param = {0, put_arguments("b o", block), block};
    bw_machine_buffer buffers[] = {
        {bw_machine_pointer(1), 4 * INTS, (uint8_t *)r.buffers[1], NULL}};
    bw_machine_launch launch = {.block = {32, 1, 1},
                                .grid = {4, 1, 1},
                                .params = &param,
                                .param_count = 1,
                                .buffers = buffers,
                                .buffer_count = 1};
    r.result = bw_machine_run(sass, (size_t)find(sass, "g07_chain"), &launch, &r.diags);
    ck_assert_int_eq(r.result.status, BW_MACHINE_ERROR);
    ck_assert_uint_eq(r.diags.count, 1);
    ck_assert_int_eq(r.diags.items[0].id, BW_MSG_WAITING_BLOCKS);
    finish(&r);
    bw_sass_destroy(sass);
    free((char *)(uintptr_t)source.text);
}
END_TEST

START_TEST(test_foreign)
{
    bw_source source = {.name = "text", .text = "no code", .len = 7};
    bw_diags diags = {.count = 0};
    ck_assert_ptr_null(bw_sass_read(&source, &diags));
    ck_assert_uint_eq(diags.count, 1);
    ck_assert_int_eq(diags.items[0].id, BW_MSG_NOT_MACHINE_CODE);
    bw_diags_finish(&diags);
}
END_TEST

int main(int argc, char **argv)
{
    recorded = argc > 1 ? argv[1] : ".";
    TCase *tc = tcase_create("grids");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_folded, 0, ROWS);
    tcase_add_loop_test(tc, test_every_block, 0, ROWS);
    tcase_add_test(tc, test_results);
    tcase_add_loop_test(tc, test_other_architectures, 0, 3);
    tcase_add_test(tc, test_waiting);
    tcase_add_test(tc, test_foreign);
    return tap_run(tc);
}
