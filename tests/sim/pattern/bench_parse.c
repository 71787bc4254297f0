/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long reading takes, and how it grows: pattern text of one kind of line, tenfold and again.
 * "tokens" is the lexer alone, "whole" all of bw_pattern_parse: tokens, tree and code.
 *
 *     bench_parse [LINES]      the larger text; 20000 where it is left out
 *
 * It fails where ten times the text takes more than MOST_GROWTH times as long.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lex.h"

#define MOST_GROWTH                                                                                \
    25.0 /* 10 is linear, 100 quadratic; memory that no longer fits the caches adds */
#include "pattern.h"

typedef struct shape {
    const char *name;
    const char *before, *line, *after; /* in `line`, each %u stands for the line's number */
} shape;

static const shape shapes[] = {
    {"structs", "__shared__ int t[32];\n", "struct S%u { int x; };\n", "t[threadIdx.x] = 0;\n"},
    {"constants", "__shared__ int t[32];\n", "const int c%u = %u;\n", "t[threadIdx.x] = c1;\n"},
    {"macros", "__shared__ int t[32];\n", "#define m%u (%u)\n", "t[threadIdx.x] = m1;\n"},
    {"functions", "__shared__ int t[32];\n", "__device__ int f%u(int x) { return x + %u; }\n",
     "t[threadIdx.x] = f1(2);\n"},
    {"script", "__shared__ int t[32];\n", "t[(threadIdx.x + %u) %% 32] += 1;\n", ""},
    {"kernel", "__global__ void k() {\n__shared__ int t[32];\n",
     "t[(threadIdx.x + %u) %% 32] += 1;\n", "}\nk<<<1, 32>>>();\n"},
    {"variables", "__global__ void k() {\n__shared__ int t[32];\n",
     "int v%u = t[threadIdx.x] + %u;\n", "}\nk<<<1, 32>>>();\n"},
    {"loops", "__global__ void k() {\n__shared__ int t[32];\n",
     "for (int i = 0; i < 4; i++) { t[threadIdx.x] = i; } // %u\n", "}\nk<<<1, 32>>>();\n"},
    {"values", "__device__ int g[] = {\n", "%u,\n",
     "};\n__global__ void k() { __shared__ int t[32]; t[threadIdx.x] = g[threadIdx.x]; }\n"
     "k<<<1, 32>>>();\n"},
    {"enum", "__shared__ int t[32];\nenum {\n", "e%u,\n", "};\nt[threadIdx.x] = e1;\n"},
    {"members", "__shared__ int t[32];\nstruct S {\n", "int m%u;\n", "};\nt[threadIdx.x] = 0;\n"},
    {"host", "__global__ void k() { __shared__ int t[32]; t[threadIdx.x] = 0; }\nint main() {\n",
     "int h%u = %u; use(h%u);\n", "k<<<1, 32>>>();\n}\n"},
};

static double now_ms(void)
{
    struct timespec t; /* of the processor: others may use the machine */
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static size_t put(char *to, size_t room, const char *text)
{
    int n = snprintf(to, room, "%s", text);
    return (size_t)n;
}

static bw_source make(const shape *s, unsigned lines)
{
    size_t room = strlen(s->before) + strlen(s->after) + (strlen(s->line) + 30) * lines + 1;
    char *text = malloc(room);
    size_t len = put(text, room, s->before);
    for (unsigned i = 0; i < lines; i++)
        for (const char *at = s->line; *at; at++) {
            if (*at != '%') {
                text[len++] = *at;
            } else if (*++at == 'u') {
                char number[16];
                snprintf(number, sizeof number, "%u", i);
                len += put(text + len, room - len, number);
            } else {
                text[len++] = *at;
            }
        }
    len += put(text + len, room - len, s->after);
    return (bw_source){.name = s->name, .text = text, .len = len};
}

static double lex_ms(const bw_source *source)
{
    bw_given given = {0};
    bw_arena arena = {0};
    bw_tokens tokens = {0};
    bw_diags diags = {0};
    double start = now_ms();
    bw_lex(&arena, source, &given, &tokens, &diags);
    double ms = now_ms() - start;
    bw_tokens_finish(&tokens);
    bw_arena_finish(&arena);
    bw_diags_finish(&diags);
    return ms;
}

static double parse_ms(const bw_source *source)
{
    bw_pattern_options options = {0};
    bw_diags diags = {0};
    double start = now_ms();
    bw_program *p = bw_pattern_parse(source, &options, &diags);
    double ms = now_ms() - start;
    if (diags.count)
        bw_diags_print(&diags, stdout, false);
    bw_program_destroy(p);
    bw_diags_finish(&diags);
    return ms;
}

int main(int argc, char **argv)
{
    bool good = true;
    unsigned most = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20000;
    printf("%-10s %8s %10s %10s %14s\n", "lines of", "count", "tokens ms", "whole ms", "lines/s");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        double last = 0;
        for (unsigned lines = most / 10; lines <= most; lines *= 10) {
            bw_source source = make(&shapes[i], lines);
            double tokens = lex_ms(&source), whole = parse_ms(&source);
            printf("%-10s %8u %10.2f %10.2f %14.0f", shapes[i].name, lines, tokens, whole,
                   lines / whole * 1e3);
            if (last > 0)
                printf("  %.1f times for tenfold", whole / last);
            good &= last <= 0 || whole <= MOST_GROWTH * last;
            printf("\n");
            last = whole;
            free((char *)source.text);
        }
    }
    if (!good)
        printf("more than %.0f times for tenfold\n", MOST_GROWTH);
    return !good;
}
