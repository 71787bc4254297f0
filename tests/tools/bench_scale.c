/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast requests are priced and read: one table, each row beside the sum of the memory that its
 * requests lie in and beside the naive way to count, of the same run. A benchmark
 * (`meson test --benchmark scale`); it judges nothing, as the machine may be busy: the best of
 * several rounds is shown.
 *
 *     bench_scale [REQUESTS]
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bankwise.h"
#include "pattern.h"
#include "random.h"
#include "stream.h"
#include "tally_run.h"

#define ROUNDS 7
#define FEW 10u /* the naive list gets a part of the requests: it is slow */

static volatile uint64_t kept; /* so that no result is optimised away */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- requests ---- */

typedef enum shape { CONTIGUOUS, STRIDED, RANDOM, MASKED, ROWS } shape;

static const struct family {
    const char *name;
    bw_op op;
    unsigned width; /* lanes of a phase */
    shape shape;
} families[] = {
    {"ld.32 contiguous", BW_OP_LD_32, 32, CONTIGUOUS},
    {"ld.32 strided", BW_OP_LD_32, 32, STRIDED},
    {"ld.32 random", BW_OP_LD_32, 32, RANDOM},
    {"ld.32 masked random", BW_OP_LD_32, 32, MASKED},
    {"ld.32 rows padded", BW_OP_LD_32, 32, ROWS},
    {"st.64 random", BW_OP_ST_64, 16, RANDOM},
    {"ld.128 strided", BW_OP_LD_128, 8, STRIDED},
    {"ld.128 random", BW_OP_LD_128, 8, RANDOM},
    {"ldmatrix.x4 random", BW_OP_LDMATRIX_X4, 8, RANDOM},
    {"atom.add.u32 random", BW_OP_ATOM_ADD_U32, 32, RANDOM},
    {"atom.add.f32 random", BW_OP_ATOM_ADD_F32, 32, RANDOM},
};

static void fill(const struct family *f, bw_request *requests, size_t count)
{
    bw_random random = {1};
    uint32_t bytes = bw_op_get(f->op)->bytes;
    for (size_t i = 0; i < count; i++) {
        bw_request *r = &requests[i];
        uint32_t step = 1 + bw_random_below(&random, 64),
                 base = bw_random_below(&random, 64) * bytes;
        *r = (bw_request){.op = f->op, .active = UINT32_MAX};
        if (f->shape == MASKED)
            r->active = bw_random_draw(&random) | 1;
        for (uint32_t l = 0; l < BW_LANES; l++) {
            switch (f->shape) {
            case CONTIGUOUS: r->addr[l] = base + l * bytes; break;
            case STRIDED: r->addr[l] = base + l * bytes * step; break;
            case ROWS: r->addr[l] = base + ((l & 7) + (l >> 3) * (step | 1)) * bytes; break;
            default: r->addr[l] = bw_random_below(&random, 4096) * bytes; break;
            }
        }
    }
}

/* ---- the naive way: a list of words for each bank ---- */

static uint32_t naive_pass(const bw_request *r, uint32_t lanes, unsigned words_each,
                           uint32_t *first)
{
    uint32_t words[BW_LANES][BW_LANES], most = 0;
    unsigned count[BW_LANES] = {0};
    *first = 0;
    for (unsigned l = 0; l < BW_LANES; l++) {
        for (unsigned k = 0; k < words_each && lanes >> l & 1; k++) {
            uint32_t word = r->addr[l] / 4 + k, bank = word % BW_LANES;
            unsigned at = 0;
            while (at < count[bank] && words[bank][at] != word)
                at++;
            if (at < count[bank])
                continue;
            words[bank][count[bank]++] = word;
            *first |= 1u << l; /* whoever is the first at its word wins a round */
            most = count[bank] > most ? count[bank] : most;
        }
    }
    return most;
}

/* With the rounds of a loop: the first lane at each word leaves after each. */
static uint64_t naive(const bw_request *r, unsigned width)
{
    const bw_op_info *info = bw_op_get(r->op);
    unsigned words_each = info->bytes < 4 ? 1 : info->bytes / 4;
    uint32_t first, left = r->active;
    uint64_t sum = 0;
    if (info->kind == BW_KIND_CAS_LOOP) {
        for (; left; left &= ~first)
            sum += naive_pass(r, left, words_each, &first) + 2;
        return sum;
    }
    for (unsigned l = 0; l < BW_LANES; l += width) {
        uint32_t phase = width == 32 ? UINT32_MAX : ((1u << width) - 1) << l;
        sum += naive_pass(r, r->active & phase, words_each, &first);
    }
    return sum;
}

/* ---- rates, in millions of requests a second ---- */

static double sum_rate(const bw_request *requests, size_t count)
{
    double best = 1e9;
    const uint64_t *words = (const uint64_t *)(const void *)requests;
    size_t n = count * sizeof *requests / sizeof *words;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        uint64_t sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += words[i];
        kept += sum;
        double seconds = now() - start;
        best = seconds < best ? seconds : best;
    }
    return (double)count / best / 1e6;
}

static double batch_rate(const bw_arch *arch, const bw_request *requests, size_t count,
                         bw_cost *costs)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        bw_cost_batch(arch, requests, count, costs, NULL);
        double seconds = now() - start;
        kept += costs[count / 2].wavefronts;
        best = seconds < best ? seconds : best;
    }
    return (double)count / best / 1e6;
}

static double naive_rate(const bw_request *requests, size_t count, unsigned width)
{
    double best = 1e9;
    count = count / FEW ? count / FEW : 1;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (size_t i = 0; i < count; i++)
            kept += naive(&requests[i], width);
        double seconds = now() - start;
        best = seconds < best ? seconds : best;
    }
    return (double)count / best / 1e6;
}

static void print_row(const char *name, double rate, double sum, double list)
{
    printf("%-28s %9.2f %9.1f %9.2f %8.3f %8.1f\n", name, rate, sum, list, rate / sum, rate / list);
    fflush(stdout);
}

/* ---- files ---- */

static void write_file(const char *path, const bw_request *requests, size_t count, char form)
{
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        exit(1);
    }
    bw_bwr_writer *writer = form == 'b' ? bw_bwr_create(out, "", "") : NULL;
    if (form == 'c')
        bw_stream_write_header(out, "");
    if (form == 'a')
        fputs("-kernel name = k\n-grid dim = (1,1,1)\nthread block = 0,0,0\nwarp = 0\n", out);
    for (size_t i = 0; i < count; i++) {
        if (writer)
            bw_bwr_write(writer, &requests[i], NULL);
        else if (form == 'c') {
            bw_stream_write_request(out, &requests[i]);
            putc('\n', out);
        } else {
            fputs(form == 'a' ? "0010 ffffffff 1 R1 LDS 1 R2 4 0"
                              : "MEMTRACE: CTX 0x0 - grid_launch_id 0 - CTA 0,0,0 - warp 0 - LDS -",
                  out);
            for (unsigned l = 0; l < BW_LANES; l++)
                fprintf(out, " 0x%08x", requests[i].addr[l]);
            putc('\n', out);
        }
    }
    bw_bwr_finish(writer, true);
    fclose(out);
}

static double tally_rate(const bw_arch *arch, const char *path, size_t count, unsigned threads)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        bw_totals totals = {.rows = NULL};
        bw_tally_problem problem = {.error = NULL};
        bw_tally_job job = {.arch = arch, .files = &path, .file_count = 1, .threads = threads};
        double start = now();
        if (!bw_tally_run(&job, &totals, &problem) || totals.requests != count) {
            fprintf(stderr, "bench_scale: %s\n", problem.error ? problem.error : "lost requests");
            exit(1);
        }
        double seconds = now() - start;
        bw_totals_finish(&totals);
        best = seconds < best ? seconds : best;
    }
    return (double)count / best / 1e6;
}

static double read_rate(const char *path, size_t count)
{
    enum { BATCH = 1024 };
    static bw_request requests[BATCH];
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        FILE *in = fopen(path, "r");
        double start = now();
        bw_stream_reader *reader = bw_stream_open(in, path);
        bw_stream_batch batch = {.requests = requests, .most = BATCH};
        size_t rows = 0;
        while (bw_stream_read(reader, &batch) == 1)
            rows += batch.count;
        double seconds = now() - start;
        bw_stream_close(reader);
        fclose(in);
        if (rows != count)
            exit(1);
        best = seconds < best ? seconds : best;
    }
    return (double)count / best / 1e6;
}

/* ---- patterns ---- */

static bool take(void *context, const bw_request_origin *origin, const bw_request *request,
                 uint64_t copies)
{
    (void)origin;
    (void)request;
    *(uint64_t *)context += copies;
    return true;
}

/* Requests a second of a script, without prices; *parse gets the texts a second. */
static double evaluation_rate(const bw_arch *arch, double *parse)
{
    static const char text[] = "__shared__ float s[4096];\n"
                               "for (int i = 0; i < 100000; i++)\n"
                               "    s[(threadIdx.x * 33 + i * 7) % 4096] = 0;\n";
    bw_source source = {"bench", text, sizeof text - 1, NULL};
    bw_pattern_options options = {
        .arch = arch, .max_steps = BW_DEFAULT_MAX_STEPS, .max_memory = BW_DEFAULT_MAX_MEMORY};
    double best = 1e9, best_parse = 1e9;
    uint64_t requests = 0;
    for (int round = 0; round < ROUNDS; round++) {
        bw_diags diags = {.count = 0};
        bw_run run;
        requests = 0;
        bw_sink sink = {&requests, take};
        double start = now();
        bw_program *program = bw_pattern_parse(&source, &options, &diags);
        double parsed = now();
        bw_program_run(program, 0, &sink, &run, &diags);
        double seconds = now() - parsed;
        best_parse = parsed - start < best_parse ? parsed - start : best_parse;
        best = seconds < best ? seconds : best;
        bw_program_destroy(program);
        bw_diags_finish(&diags);
    }
    *parse = 1 / best_parse;
    return (double)requests / best / 1e6;
}

/* ---- the table ---- */

static void bench_families(const bw_arch *arch, bw_request *requests, bw_cost *costs, size_t count)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const struct family *f = &families[i];
        fill(f, requests, count);
        print_row(f->name, batch_rate(arch, requests, count, costs), sum_rate(requests, count),
                  naive_rate(requests, count, f->width));
    }
}

/* Of random loads; text has a tenth of the requests. */
static void bench_files(const bw_arch *arch, bw_request *requests, bw_cost *costs, size_t count)
{
    static const struct {
        char form;
        const char *name;
    } forms[] = {{'b', ".bwr tallied"},
                 {'c', "CSV tallied"},
                 {'a', ".traceg tallied"},
                 {'m', "mem_trace tallied"}};
    char path[64];
    fill(&families[2], requests, count);
    double sum = sum_rate(requests, count), list = naive_rate(requests, count, 32);
    print_row("ld.32 random, cost alone", batch_rate(arch, requests, count, costs), sum, list);
    snprintf(path, sizeof path, "/tmp/bench_scale.%ld", (long)getpid());
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t part = forms[i].form == 'b' ? count : count / 10;
        write_file(path, requests, part, forms[i].form);
        if (forms[i].form == 'b' || forms[i].form == 'c')
            print_row(forms[i].form == 'b' ? ".bwr read" : "CSV read", read_rate(path, part), sum,
                      list);
        print_row(forms[i].name, tally_rate(arch, path, part, 1), sum, list);
        if (forms[i].form == 'b') {
            print_row(".bwr tallied, 2 threads", tally_rate(arch, path, part, 2), sum, list);
            write_file(path, requests, part / 10, 'b');
            print_row(".bwr tallied, a tenth of it", tally_rate(arch, path, part / 10, 1), sum,
                      list);
        }
        remove(path);
    }
    double parse, evaluated = evaluation_rate(arch, &parse);
    print_row("script evaluated", evaluated, sum, list);
    printf("%-28s %9.0f texts a second\n", "script parsed", parse);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 500000;
    const bw_arch *arch = bw_arch_find(BW_DEFAULT_ARCH);
    count = count < 1000 ? 1000 : count;
    bw_request *requests = bw_alloc(count * sizeof *requests);
    bw_cost *costs = bw_alloc(count * sizeof *costs);
    printf("%zu requests, %zu MiB; millions a second, the best of %d rounds\n", count,
           count * sizeof *requests >> 20, ROUNDS);
    printf("%-28s %9s %9s %9s %8s %8s\n", "", "here", "sum", "naive", "of sum", "x naive");
    bench_families(arch, requests, costs, count);
    bench_files(arch, requests, costs, count);
    free(costs);
    free(requests);
    return 0;
}
