/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which sources get which warning, and which do not.
 */
#include <stdlib.h>
#include <string.h>

#include "mistakes.h"
#include "tally.h"
#include "tap.h"

static bool take(void *context, const bw_request_origin *origin, const bw_request *request,
                 uint64_t copies)
{
    return bw_tally_add(context, origin->access, origin->warp, origin->block, request, copies);
}

/* The flags of the warnings, one after the other with spaces; malloc'd. */
static char *warnings_of(const char *text)
{
    bw_source source = {"test.pat", text, strlen(text), NULL};
    bw_pattern_options options = {.arch = NULL};
    bw_diags diags = {.count = 0};
    bw_program *pattern = bw_pattern_parse(&source, &options, &diags);
    bw_tally tally;
    bw_run run;
    bw_tally_init(&tally, bw_arch_find("sm_90"));
    bw_sink sink = {&tally, take};
    bool ran = !diags.errors && bw_program_run(pattern, 0, &sink, &run, &diags);
    if (!ran)
        bw_diags_print(&diags, stdout, false);
    ck_assert(ran);
    uint64_t *excess = calloc(tally.count + 1, sizeof *excess);
    for (size_t i = 0; i < tally.count; i++)
        excess[i] = bw_counts_excessive(&tally.rows[i].counts);
    bw_find_mistakes(pattern, &source, &options, excess, tally.count, &diags);
    char *flags = calloc(64 * diags.count + 1, 1);
    for (size_t i = 0; i < diags.count; i++) {
        if (diags.items[i].id == BW_MSG_RACE) /* the cases leave barriers out */
            continue;
        strcat(flags, *flags ? " " : "");
        strcat(flags, bw_message_of(diags.items[i].id)->id);
    }
    free(excess);
    bw_tally_finish(&tally);
    bw_program_destroy(pattern);
    bw_diags_finish(&diags);
    return flags;
}

#define SCRIPT(body) "int t = threadIdx.x;\n" body
#define KERNEL(body)                                                                               \
    "__global__ void k(float *out)\n{\n    int x = threadIdx.x, y = threadIdx.y;\n" body           \
    "}\nk<<<1, dim3(32, 32)>>>(out);\n"

static const struct {
    const char *text, *flags;
} cases[] = {
    {SCRIPT("__shared__ float s[32 * 33];\ns[t * 32] = 0;\n"), "pad-stride"},
    {SCRIPT("__shared__ float s[32 * 33];\ns[t * 33] = 0;\n"), ""},
    {SCRIPT("__shared__ float s[32 * 32];\ns[t * 32] = 0;\n"), ""},
    {SCRIPT("__shared__ float s[64 * 33];\ns[t * 2] = 0;\n"), ""},
    {SCRIPT("__shared__ float s[32][33];\nfloat *p = s[0];\np[t * 32] = 0;\n"), "pad-stride"},
    {SCRIPT("__shared__ float s[32][33];\nfloat *p = s[0];\np[t * 33] = 0;\n"), ""},
    {SCRIPT("__shared__ float s[32][33];\nfloat *p = s[0];\np[32 + t] = 0;\n"), ""},
    {KERNEL("    __shared__ float s[32][32];\n    s[x][y] = 0;\n"), "swapped-index"},
    {KERNEL("    __shared__ float s[32][32];\n    s[y][x] = 0;\n"), ""},
    {KERNEL("    __shared__ float s[32][32];\n    s[y][x] = 0;\n    out[0] = s[x][y];\n"), ""},
    {KERNEL("    __shared__ float s[32][32];\n    s[x][0] = 0;\n"), ""},
    {KERNEL("    __shared__ float s[32][32];\n    s[y][x ^ y] = 0;\n    out[0] = s[x][y];\n"),
     "half-swizzle"},
    {KERNEL("    __shared__ float s[32][32];\n    s[y][x] = 0;\n    out[0] = s[x][swizzle<5, 0, "
            "5>(x * 32 + y) % 32];\n"),
     "half-swizzle"},
    {KERNEL("    __shared__ float s[32][32];\n    s[y][x ^ y] = 0;\n    out[0] = s[x][y ^ x];\n"),
     ""},
    {KERNEL("    __shared__ float s[32][32];\n    for (int i = 1; i < 32; i *= 2) {\n"
            "        s[y][x] = 0;\n        out[0] = s[y][x ^ i];\n    }\n"),
     ""},
    {KERNEL("    __shared__ float s[32][32];\n    s[y][x] = 0;\n    s[y][x ^ y] = 1;\n"
            "    out[0] = s[y][x ^ y];\n"),
     ""},
    /* the row's number, of a loop: a swizzle where lanes ask for different rows, else a partner */
    {SCRIPT("__shared__ float s[32][32];\nfor (int i = 0; i < 32; i++) {\n    int c = t ^ i;\n"
            "    s[i][c] = 0;\n}\nfor (int i = 0; i < 32; i++)\n    float v = s[t][i];\n"),
     "half-swizzle"},
    {SCRIPT("__shared__ float s[32][32];\nfor (int i = 0; i < 32; i++)\n    s[i][t ^ i] = 0;\n"
            "for (int i = 0; i < 32; i++)\n    float v = s[t][i ^ t];\n"),
     ""},
    {SCRIPT("__shared__ float s[5][32];\nfor (int i = 0; i < 5; i++) {\n    s[i][t] = 0;\n"
            "    float v = s[i][t ^ 1 << i];\n}\n"),
     ""},
    {KERNEL("    __shared__ float s[32][32];\n    float (*p)[32] = s;\n    p[y][x ^ y] = 0;\n"
            "    out[0] = s[x][y];\n"),
     "half-swizzle"},
    {SCRIPT("__shared__ __align__(128) half s[4096];\n"
            "__ldmatrix_x4(&s[swizzle<3, 4, 3>(t % 16 * 64 + t / 16 * 8)]);\n"),
     "swizzle-unit"},
    {SCRIPT("__shared__ __align__(128) half s[4096];\n"
            "__ldmatrix_x4(&s[swizzle<3, 3, 3>(t % 16 * 64 + t / 16 * 8)]);\n"),
     ""},
    {SCRIPT("__shared__ __align__(1024) float s[2048];\nfloat x = s[tma_swizzle_128B(t * 32)];\n"),
     "swizzle-unit"},
    {SCRIPT("__shared__ __align__(1024) float s[2048];\n"
            "float x = s[tma_swizzle_128B(t * 128) / 4];\n"),
     ""},
};

START_TEST(each_case)
{
    char *flags = warnings_of(cases[_i].text);
    ck_assert_msg(strcmp(flags, cases[_i].flags) == 0, "'%s' for\n%s", flags, cases[_i].text);
    free(flags);
}
END_TEST

START_TEST(the_names)
{
    ck_assert(bw_mistake_at(0) == BW_MSG_PAD_STRIDE);
    ck_assert(bw_mistake_at(3) != BW_MSG_COUNT && bw_mistake_at(4) == BW_MSG_COUNT);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("mistakes");
    tcase_add_loop_test(tc, each_case, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tc, the_names);
    return tap_run(tc);
}
