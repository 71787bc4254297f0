/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Broken pattern files: whatever the text, the language answers with errors or requests, in bounded
 * time and memory. LLVMFuzzerTestOneInput is libFuzzer's entry; FUZZ_DRIVER adds a main of our own,
 * a deterministic mutation of seed files, so that the test suite runs some of it everywhere:
 *
 *     fuzz_pattern [--count N] [--seed N] [--save FILE] SEED.pat…
 *
 * It mutates tokens rather than bytes, for most byte changes end in the lexer. --save keeps the
 * text being tried in FILE, so that a crash leaves it behind.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pattern.h"

/* Small, so that a run is short: the budgets are part of what is tested. */
#define MAX_STEPS 100000
#define MAX_MEMORY ((size_t)16 << 20)
#define MAX_SIZE ((size_t)1 << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double draw(void *context, bw_law law, double a, double b)
{
    uint64_t *state = context;
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    double unit = (double)(*state >> 11) * 0x1p-53;
    (void)b;
    return law == BW_LAW_NORMAL ? unit : unit * a - 0.5 < 0 ? 0 : (double)(int64_t)(unit * a);
}

static char *read_nothing(void *context, const char *path, size_t *len, const char **error)
{
    (void)context;
    (void)path;
    *len = 0;
    *error = "no files here";
    return NULL;
}

/* Every request that comes out must be one that the card would take. */
static bool check_request(void *context, const bw_request_origin *origin, const bw_request *request,
                          uint64_t copies)
{
    const bw_launch *launch = context;
    if (bw_request_bad_lane(request, launch->shared_bytes) >= 0 || !copies || !request->active ||
        origin->warp >= 32)
        abort();
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t state = size;
    char *text = malloc(size + 1); /* its end is where the allocation ends: overruns show */
    if (!text || size > MAX_SIZE) {
        free(text);
        return 0;
    }
    memcpy(text, data, size);
    char *exact = realloc(text, size ? size : 1);
    bw_source source = {"fuzz.pat", exact ? exact : text, size, NULL};
    bw_define define = {"N", "3"};
    bw_pattern_options options = {.defines = &define,
                                  .define_count = size & 1,
                                  .max_steps = MAX_STEPS,
                                  .max_memory = MAX_MEMORY,
                                  .host = {&state, draw, read_nothing}};
    bw_diags diags = {0};
    bw_program *pattern = bw_pattern_parse(&source, &options, &diags);
    const bw_launch *launches;
    const bw_access *accesses;
    size_t count = diags.errors ? 0 : bw_program_launches(pattern, &launches);
    for (size_t i = 0; i < count && i < 4; i++) {
        bw_launch launch = launches[i];
        bw_sink sink = {&launch, check_request};
        bw_run run;
        size_t errors = diags.errors;
        if (bw_program_run(pattern, i, &sink, &run, &diags) != (diags.errors == errors))
            abort();
    }
    bw_program_accesses(pattern, &accesses);
    FILE *sink = fopen("/dev/null", "w");
    if (sink) {
        bw_diags_print(&diags, sink, true);
        fclose(sink);
    }
    bw_diags_finish(&diags);
    bw_program_destroy(pattern);
    free((void *)source.text);
    return 0;
}

#ifdef FUZZ_DRIVER

typedef struct text {
    char *at;
    size_t len;
} text;

static uint64_t state;

static size_t below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (size_t)(state % n) : 0;
}

static const char *const words[] = {
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "<<<",
    ">>>",
    ";",
    ",",
    "=",
    "==",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "^",
    "~",
    "!",
    "?",
    ":",
    "::",
    "++",
    "--",
    "<<",
    ">>",
    "&&",
    "||",
    "->",
    ".",
    "#",
    "##",
    "0",
    "1",
    "-1",
    "3",
    "31",
    "32",
    "33",
    "1024",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295u",
    "9223372036854775807",
    "18446744073709551615u",
    "1.5f",
    "1e30",
    "1e400",
    "0x",
    "'a'",
    "'",
    "\"",
    "\"%d\"",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "int",
    "unsigned",
    "char",
    "short",
    "long",
    "float",
    "double",
    "half",
    "half2",
    "float4",
    "void",
    "bool",
    "auto",
    "const",
    "constexpr",
    "static",
    "extern",
    "struct",
    "union",
    "enum",
    "typedef",
    "template",
    "using",
    "namespace",
    "class",
    "goto",
    "new",
    "sizeof",
    "alignas(16)",
    "__align__(16)",
    "__shared__",
    "__global__",
    "__device__",
    "__constant__",
    "threadIdx.x",
    "threadIdx.y",
    "blockIdx.x",
    "blockDim.x",
    "gridDim.x",
    "warpSize",
    "__syncthreads()",
    "__syncwarp()",
    "atomicAdd",
    "atomicCAS",
    "random(7)",
    "zipf(9, 1)",
    "N",
    "min",
    "max",
    "__popc",
    "__shfl_down_sync",
    "__shfl_xor_sync(0xffffffff, 1, 3)",
    "__ballot_sync",
    "make_float4",
    "__ldmatrix_x4",
    "__stmatrix_x2",
    "__cp_async_16",
    "__cvta_generic_to_shared",
    "swizzle<3, 4, 3>",
    "reinterpret_cast<float4 *>",
    "static_cast<int>",
    "this_thread_block()",
    "cooperative_groups::",
    "dim3(32, 8)",
    "asm volatile(\"",
    "\");",
    ": \"r\"(",
    "\nasm volatile(\"ld.shared.u32 %0, [%1];\" : \"=r\"(x) : \"r\"(p));\n",
    "\n// expect: ",
    "\n// assume: ",
    "2-way",
    "\n#define N ",
    "\n#define F(x, y) ",
    "\n#if ",
    "\n#else\n",
    "\n#endif\n",
    "\n#undef N\n",
    "/*",
    "*/",
    "//",
    "\\\n",
    "\r\n",
    "\xc3\xa9",
    "\xff",
    "\xef\xbb\xbf",
    "@",
    "$",
    "`"};

/* Where a token (or a run of blanks) that begins at `at` ends. */
static size_t token_end(const text *t, size_t at)
{
    int kind = isalnum((unsigned char)t->at[at]) || t->at[at] == '_' ? 1
               : isspace((unsigned char)t->at[at])                   ? 2
                                                                     : 0;
    size_t end = at + 1;
    while (end < t->len && kind &&
           (kind == 1 ? isalnum((unsigned char)t->at[end]) || t->at[end] == '_'
                      : isspace((unsigned char)t->at[end])))
        end++;
    return end;
}

static size_t token_start(const text *t, size_t at)
{
    while (at > 0 && at < t->len && (isalnum((unsigned char)t->at[at]) || t->at[at] == '_') &&
           (isalnum((unsigned char)t->at[at - 1]) || t->at[at - 1] == '_'))
        at--;
    return at;
}

static void replace(text *t, size_t from, size_t to, const char *with, size_t len)
{
    if (t->len - (to - from) + len > MAX_SIZE)
        return;
    char *made = malloc(t->len - (to - from) + len + 1);
    if (!made)
        exit(3);
    memcpy(made, t->at, from);
    memcpy(made + from, with, len);
    memcpy(made + from + len, t->at + to, t->len - to);
    t->len = t->len - (to - from) + len;
    free(t->at);
    t->at = made;
}

/* A stretch of some tokens. */
static void some_tokens(const text *t, size_t most, size_t *from, size_t *to)
{
    *from = token_start(t, below(t->len));
    *to = *from;
    for (size_t n = 1 + below(most); n && *to < t->len; n--)
        *to = token_end(t, *to);
}

static void mutate(text *t, const text *seeds, size_t seed_count)
{
    size_t from, to;
    if (t->len == 0)
        return;
    const text *other = &seeds[below(seed_count)];
    const char *word = words[below(sizeof words / sizeof *words)];
    size_t other_from = 0, other_to = 0;
    some_tokens(t, 3, &from, &to);
    if (other->len)
        some_tokens(other, 30, &other_from, &other_to);
    switch (below(9)) {
    case 0: replace(t, from, to, "", 0); break;
    case 1:
    case 2: replace(t, from, from, word, strlen(word)); break;
    case 3:
    case 4: replace(t, from, to, word, strlen(word)); break;
    case 5: replace(t, from, from, other->at + other_from, other_to - other_from); break;
    case 6: replace(t, from, to, other->at + other_from, other_to - other_from); break;
    case 7: t->at[from] = (char)below(256); break;
    default: {
        size_t len = to - from; /* a stretch again and again */
        char *copy = malloc(len + 1);
        memcpy(copy, t->at + from, len);
        for (size_t n = 1 + below(8); n; n--)
            replace(t, from, from, copy, len);
        free(copy);
    }
    }
}

static text read_seed(const char *path)
{
    text t = {calloc(1, MAX_SIZE), 0};
    FILE *f = fopen(path, "rb");
    if (!f || !t.at) {
        fprintf(stderr, "fuzz_pattern: cannot read %s\n", path);
        exit(2);
    }
    t.len = fread(t.at, 1, MAX_SIZE - 1, f);
    fclose(f);
    return t;
}

static void save(const char *path, const text *t)
{
    FILE *f = path ? fopen(path, "wb") : NULL;
    if (!f)
        return;
    fwrite(t->at, 1, t->len, f);
    fclose(f);
}

int main(int argc, char **argv)
{
    unsigned long count = 1000;
    const char *keep = NULL;
    double slowest = 0;
    text *seeds = calloc((size_t)argc + 1, sizeof *seeds);
    size_t seed_count = 0;
    state = 1;
    for (int i = 1; i < argc && seeds; i++) {
        if (strcmp(argv[i], "--count") == 0 && i + 1 < argc)
            count = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            state = strtoull(argv[++i], NULL, 10) * 2654435761u + 1;
        else if (strcmp(argv[i], "--save") == 0 && i + 1 < argc)
            keep = argv[++i];
        else
            seeds[seed_count++] = read_seed(argv[i]);
    }
    if (!seed_count) {
        free(seeds);
        return 2;
    }
    for (unsigned long k = 0; k < count; k++) {
        const text *seed = &seeds[below(seed_count)];
        text t = {malloc(seed->len + 1), seed->len};
        memcpy(t.at, seed->at, seed->len);
        for (size_t n = below(6) + (k >= seed_count); n; n--)
            mutate(&t, seeds, seed_count);
        save(keep, &t);
        clock_t start = clock();
        LLVMFuzzerTestOneInput((const uint8_t *)t.at, t.len);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (seconds > slowest)
            slowest = seconds;
        if (seconds > 10) {
            printf("not ok 1 - text %lu took %.1f s\n1..1\n", k, seconds);
            exit(1); /* all that is held goes with the program */
        }
        free(t.at);
    }
    for (size_t i = 0; i < seed_count; i++)
        free(seeds[i].at);
    free(seeds);
    printf("ok 1 - %lu broken texts, the slowest in %.2f s\n1..1\n", count, slowest);
    return 0;
}

#endif
