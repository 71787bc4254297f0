/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The 18 small kernels of tests/recorded/sm_90-h200/machine: executed from their text, each
 * instruction's counts must be those that Nsight Compute counted on the card.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "launches.h"
#include "tally.h"
#include "tap.h"

/* What cannot be equal in every column, and why. */
enum {
    TIMING = 1, /* warps contend for words: how often loops go round varies with timing */
};

/* As micro.cu's main launches them: out and in are 1 MiB of zeroes. */
static const struct {
    const char *name;
    uint32_t block;
    int params; /* pointers */
    int n;      /* an int after them; -1: none */
    int except;
} launches[] = {
    {"m01_window", 32, 2, -1, 0},
    {"m02_same_word", 64, 1, -1, 0},
    {"m03_thread_zero", 32, 1, -1, 0},
    {"m04_common_load", 64, 1, 64, 0},
    {"m05_other_store", 32, 1, -1, 0},
    {"m06_halves", 64, 2, -1, 0},
    {"m07_rolled", 256, 2, -1, 0},
    {"m08_runtime_trips", 32, 1, 22, 0},
    {"m09_warps_contend", 256, 1, -1, TIMING},
    {"m10_double_sum", 32, 1, -1, 0},
    {"m11_three_arrays", 64, 2, 4, 0},
    {"m12_own_accumulator", 64, 2, 256, 0},
    {"m13_tile_group", 64, 1, -1, 0},
    {"m14_async_rows", 32, 2, 256, 0},
    {"m15_async_packed", 32, 2, -1, 0},
    {"m16_long_run", 32, 1, -1, 0},
    {"m17_bytes", 32, 2, -1, 0},
    {"m18_warps_contend_float", 256, 1, -1, TIMING},
};
#define LAUNCHES (sizeof launches / sizeof *launches)
#define BUFFER (1u << 20)

static const char *recorded;
static bw_source sass_source, page_source;

typedef struct run {
    bw_diags diags;
    bw_machine_result result;
    bw_tally tally;
    uint8_t *buffers[2];
} run;

static void execute(const bw_sass *sass, long kernel, unsigned k, bool data, bool no_fold, run *r)
{
    uint8_t bytes[2][8];
    bw_machine_param params[3];
    bw_machine_buffer buffers[2];
    size_t count = 0;
    *r = (run){0};
    for (int p = 0; p < launches[k].params; p++) {
        uint64_t pointer = bw_machine_pointer((uint32_t)p);
        memcpy(bytes[p], &pointer, 8);
        params[count++] = (bw_machine_param){(uint32_t)(8 * p), 8, bytes[p]};
        r->buffers[p] = calloc(BUFFER, 1);
        buffers[p] = (bw_machine_buffer){pointer, BUFFER, r->buffers[p], NULL};
    }
    if (launches[k].n >= 0)
        params[count++] = (bw_machine_param){(uint32_t)(8 * launches[k].params), 4,
                                             (const uint8_t *)&launches[k].n};
    bw_machine_launch launch = {.arch = bw_arch_find("sm_90"),
                                .block = {launches[k].block, 1, 1},
                                .grid = {1, 1, 1},
                                .params = params,
                                .param_count = count,
                                .buffers = buffers,
                                .buffer_count = data ? (size_t)launches[k].params : 0,
                                .no_fold = no_fold,
                                .sink = bw_machine_tally,
                                .context = &r->tally};
    bw_tally_init(&r->tally, launch.arch);
    r->result = bw_machine_run(sass, (size_t)kernel, &launch, &r->diags);
}

static void finish(run *r)
{
    bw_diags_finish(&r->diags);
    bw_machine_result_finish(&r->result);
    bw_tally_finish(&r->tally);
    free(r->buffers[0]);
    free(r->buffers[1]);
}

/* Compares with the profiler's columns; prints each difference. Returns how many there are. */
static unsigned compare(const bw_sass_kernel *page, const run *r, int except)
{
    unsigned differences = 0;
    ck_assert_uint_le(r->result.count, page->count + 16);
    for (size_t i = 0; i < page->count; i++) {
        const bw_sass_counts *p = &page->ins[i].profiled;
        const bw_machine_counts *c = &r->result.counts[i];
        static const bw_counts none;
        const bw_counts *t = i < r->tally.count ? &r->tally.rows[i].counts : &none;
        bool counts = p->executed == c->executed && p->threads == c->threads;
        bool waves = p->wavefronts == t->ncu_sass_wavefronts && p->ideal == t->ncu_sass_ideal;
        if (except & TIMING)
            counts = waves = true;
        if (counts && waves)
            continue;
        differences++;
        printf("# %04x %-60s executed %llu %llu threads %llu %llu wavefronts %llu %llu ideal %llu "
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

static bw_sass *read_text(const bw_source *source)
{
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

/* From the disassembly, and from the page itself; with the buffers' content, and without. */
static void replay(unsigned k, const bw_source *source, bool data)
{
    bw_sass *text = read_text(source), *page = read_text(&page_source);
    const bw_sass_kernel *expected = bw_sass_at(page, (size_t)find(page, launches[k].name));
    run r;
    execute(text, find(text, launches[k].name), k, data, false, &r);
    bw_diags_print(&r.diags, stderr, false);
    ck_assert_int_eq(r.result.status, BW_MACHINE_OK);
    ck_assert_int_eq(r.tally.status, BW_OK);
    ck_assert_uint_eq(compare(expected, &r, launches[k].except), 0);
    finish(&r);
    bw_sass_destroy(text);
    bw_sass_destroy(page);
}

START_TEST(test_disassembly)
{
    replay((unsigned)_i, &sass_source, true);
}
END_TEST

START_TEST(test_page)
{
    replay((unsigned)_i, &page_source, true);
}
END_TEST

/* ---- the page with lines of CUDA between ---- */

#define LINES 7u /* of each kernel, among which its instructions are spread */

/* One kernel of the page as --print-source cuda,sass shows it: by line, with some rows twice, and a
 * line that was left out. `at` is after the row with its name; returns where the next begins. */
static const char *put_interleaved(const char *at, const char *file, FILE *to)
{
    const char *name = at + strlen("\"Kernel Name\","), *head = strchr(at, '\n') + 1,
               *rows = strchr(head, '\n') + 1, *end = strstr(rows, "\"Kernel Name\"");
    end = end ? end : rows + strlen(rows);
    fprintf(to, "\"File Path\",\"%s\"\n\"Function Name\",%.*s\n", file,
            (int)(strchr(name + 1, '"') + 1 - name), name);
    fprintf(to, "\"Line No\",\"Source\",%.*s", (int)(rows - head), head);
    for (unsigned line = 0; line < LINES; line++) {
        unsigned n = 0;
        fprintf(to, "\"%u\",\"asm (\"line %u,\"\\n\");\",\"-\",\"-\",\"1\"\n", line + 10, line);
        for (const char *row = rows; row < end; row = strchr(row, '\n') + 1, n++)
            if (row[1] == '0' && (n * 5 + 3) % LINES == line) {
                int len = (int)(strchr(row, '\n') - row);
                fprintf(to, "\"\",\"\",%.*s\n", len, row);
                if (n % 3 == 0)
                    fprintf(to, "\"\",\"\",\"...\",\"...\",\"-\"\n\"\",\"\",%.*s\n", len, row);
            }
    }
    return end;
}

START_TEST(test_lines)
{
    char *text;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    for (const char *at = page_source.text; *at;)
        at = put_interleaved(at, "k.cu", to);
    fclose(to);
    bw_source source = {.name = "lines.csv", .text = text, .len = len};
    bw_sass *page = read_text(&page_source), *lines = read_text(&source);
    ck_assert_uint_eq(bw_sass_count(lines), bw_sass_count(page));
    for (size_t k = 0; k < bw_sass_count(page); k++) {
        const bw_sass_kernel *p = bw_sass_at(page, k), *q = bw_sass_at(lines, k);
        ck_assert_str_eq(p->name, q->name);
        ck_assert_uint_eq(p->count, q->count);
        for (size_t i = 0; i < p->count; i++) {
            ck_assert_str_eq(p->ins[i].text, q->ins[i].text);
            ck_assert_uint_eq(p->ins[i].profiled.executed, q->ins[i].profiled.executed);
            ck_assert_uint_eq(p->ins[i].profiled.ideal, q->ins[i].profiled.ideal);
            ck_assert_ptr_nonnull(q->ins[i].line);
            ck_assert_uint_eq(q->ins[i].line->line, (i * 5 + 3) % LINES + 10);
            ck_assert_str_eq(q->ins[i].line->file, "k.cu");
        }
    }
    bw_sass_destroy(page);
    bw_sass_destroy(lines);
    free(text);
}
END_TEST

/* An instruction that stands under no line is missed. */
START_TEST(test_lines_cut)
{
    char *text;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    put_interleaved(page_source.text, "k.cu", to);
    fclose(to);
    char *row = strstr(strstr(text, "\"11\","), "\"\",\"\",\"0x");
    memset(row, ' ', strcspn(row, "\n"));
    bw_source source = {.name = "cut.csv", .text = text, .len = len};
    bw_diags diags = {0};
    ck_assert_ptr_null(bw_sass_read(&source, &diags));
    ck_assert_int_eq(diags.items[0].id, BW_MSG_MACHINE_TEXT);
    bw_diags_finish(&diags);
    free(text);
}
END_TEST

int main(int argc, char **argv)
{
    recorded = argc > 1 ? argv[1] : ".";
    size_t len;
    char *text = read_file(recorded, "sm_90-h200/machine/micro.sass", &len);
    sass_source = (bw_source){"micro.sass", text, len, NULL};
    char *page = read_file(recorded, "sm_90-h200/machine/micro.src.csv", &len);
    page_source = (bw_source){"micro.src.csv", page, len, NULL};
    TCase *tc = tcase_create("micro");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_disassembly, 0, LAUNCHES);
    tcase_add_loop_test(tc, test_page, 0, LAUNCHES);
    tcase_add_test(tc, test_lines);
    tcase_add_test(tc, test_lines_cut);
    int failed = tap_run(tc);
    free(text);
    free(page);
    return failed;
}
