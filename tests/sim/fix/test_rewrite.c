/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layouts as text: what is written into the source, and what is refused.
 */
#include <string.h>

#include "rewrite.h"
#include "tap.h"
#include "written.h"

typedef struct pattern {
    bw_source source;
    bw_diags diags;
    bw_program *parsed;
    bw_arena arena;
    bw_edits edits;
} pattern;

static void open_pattern(pattern *p, const char *text)
{
    bw_pattern_options options = {.arch = NULL};
    *p = (pattern){.source = {"test.pat", text, strlen(text), NULL}};
    p->parsed = bw_pattern_parse(&p->source, &options, &p->diags);
    if (p->diags.errors)
        bw_diags_print(&p->diags, stdout, false);
    ck_assert_uint_eq(p->diags.errors, 0);
    p->edits = (bw_edits){.arena = &p->arena};
}

static void close_pattern(pattern *p)
{
    bw_edits_finish(&p->edits);
    bw_program_destroy(p->parsed);
    bw_diags_finish(&p->diags);
    bw_arena_finish(&p->arena);
}

/* The text with a layout of the array s, or of the first; NULL where it was refused. */
static const char *rewritten(pattern *p, const bw_layout *layout)
{
    const bw_array *arrays;
    const bw_launch *launches;
    size_t len, count = bw_pattern_arrays(p->parsed, 0, &arrays);
    ck_assert_uint_gt(count, 0);
    for (size_t i = 0; i < count; i++)
        if (strcmp(arrays[i].name, "s") == 0) {
            arrays += i;
            break;
        }
    bw_program_launches(p->parsed, &launches);
    bw_rewrite_target target = {&p->source, &arrays, &launches[0].span, 1};
    if (!bw_rewrite(&p->edits, &target, layout))
        return NULL;
    return bw_edits_apply(&p->edits, &p->source, &len);
}

static const struct {
    bw_layout layout;
    const char *from, *to; /* to NULL: refused */
    const char *why;       /* a part of the reason */
} cases[] = {
#define PAD1                                                                                       \
    {                                                                                              \
        .kind = BW_LAYOUT_PAD, .pad = { 0, 1 }                                                     \
    }
#define XOR5                                                                                       \
    {                                                                                              \
        .kind = BW_LAYOUT_XOR, .bits = 5, .factor = 1                                              \
    }
#define XOR3                                                                                       \
    {                                                                                              \
        .kind = BW_LAYOUT_XOR, .bits = 3, .base = 1, .shift = 1, .factor = 1                       \
    }
#define LESS                                                                                       \
    {                                                                                              \
        .kind = BW_LAYOUT_PAD, .pad = { 0, -7 }                                                    \
    }
#define XORS                                                                                       \
    {                                                                                              \
        .kind = BW_LAYOUT_XOR, .row = 1, .bits = 3, .factor = 1                                    \
    }
#define PADS                                                                                       \
    {                                                                                              \
        .kind = BW_LAYOUT_PAD, .pad = { 0, 0, 1 }                                                  \
    }
#define XORK                                                                                       \
    {                                                                                              \
        .kind = BW_LAYOUT_XOR, .bits = 3, .factor = 3                                              \
    }
#define CUTE                                                                                       \
    {                                                                                              \
        .kind = BW_LAYOUT_SWIZZLE, .bits = 2, .base = 1, .distance = 3                             \
    }
#define UP                                                                                         \
    {                                                                                              \
        .kind = BW_LAYOUT_SWIZZLE, .bits = 1, .base = 0, .distance = -3                            \
    }
#define SWAP                                                                                       \
    {                                                                                              \
        .kind = BW_LAYOUT_ORDER, .order = { 1, 0 }                                                 \
    }
#define EVERY32                                                                                    \
    {                                                                                              \
        .kind = BW_LAYOUT_EVERY, .every = 32, .extra = 1                                           \
    }
#define EVERY8                                                                                     \
    {                                                                                              \
        .kind = BW_LAYOUT_EVERY, .every = 8, .extra = 2                                            \
    }
#define STRUCT4                                                                                    \
    {                                                                                              \
        .kind = BW_LAYOUT_STRUCT, .extra = 4                                                       \
    }
#define SOA                                                                                        \
    {                                                                                              \
        .kind = BW_LAYOUT_SOA                                                                      \
    }
    /* a sign in a comment is none, and a number that begins with 0 is not what it reads like */
    {PAD1, "const int N = 32;\n__shared__ float s[N][N // rows + 1\n];\ns[1][2] = 0;\n",
     "const int N = 32;\n__shared__ float s[N][N + 1 // rows + 1\n];\ns[1][2] = 0;\n", NULL},
    {PAD1, "const int N = 32;\n__shared__ float s[N][N + 010];\ns[1][2] = 0;\n",
     "const int N = 32;\n__shared__ float s[N][N + 010 + 1];\ns[1][2] = 0;\n", NULL},
    {PAD1, "const int N = 32;\n__shared__ float s[N][N /* a, b */];\ns[1][2] = 0;\n",
     "const int N = 32;\n__shared__ float s[N][N + 1 /* a, b */];\ns[1][2] = 0;\n", NULL},
    /* a semicolon in a comment ends no statement, nor does a directive begin one */
    {SOA, "struct body { float x, y; };\n// now; then\n__shared__ body s[32];\ns[1].x = 0;\n",
     "struct body { float x, y; };\n// now; then\n__shared__ struct {\n    float x[32];\n"
     "    float y[32];\n} s;\ns.x[1] = 0;\n",
     NULL},
    {PAD1, "__shared__ float s[32][32];\ns[1][2] = 0;\n",
     "__shared__ float s[32][32 + 1];\ns[1][2] = 0;\n", NULL},
    {PAD1, "const int N = 32;\n__shared__ float s[N][N + 3];\ns[1][2] = 0;\n",
     "const int N = 32;\n__shared__ float s[N][N + 4];\ns[1][2] = 0;\n", NULL},
    {PAD1, "const int N = 8;\n__shared__ float s[N][N > 4 ? 32 : 16];\ns[1][2] = 0;\n",
     "const int N = 8;\n__shared__ float s[N][(N > 4 ? 32 : 16) + 1];\ns[1][2] = 0;\n", NULL},
    {PAD1, "__shared__ float s [32] /* rows ] */ [ 32 ];\ns[1][2] = 0;\n",
     "__shared__ float s [32] /* rows ] */ [32 + 1];\ns[1][2] = 0;\n", NULL},
    {PAD1, "#define TILE s[32][32]\n__shared__ float TILE;\ns[1][2] = 0;\n", NULL, "macro"},
    {PAD1, "typedef float row[32];\n__shared__ row s[32];\ns[1][2] = 0;\n", NULL, "typedef"},
    {XOR5,
     "__shared__ float s[32][32];\nint t = threadIdx.x;\ns[t][0] = 0;\ns[t + 1 & 31][t] = 0;\n",
     "__shared__ float s[32][32];\nint t = threadIdx.x;\ns[t][t] = 0;\ns[t + 1 & 31][t ^ (t + 1 & "
     "31)] = 0;\n",
     NULL},
    {XOR3, "__shared__ float s[32][32];\nint t = threadIdx.x;\ns[t][1 + 2] = 0;\n",
     "__shared__ float s[32][32];\nint t = threadIdx.x;\ns[t][(1 + 2) ^ ((t >> 1 & 7) << 1)] = "
     "0;\n",
     NULL},
    {XORK, "__shared__ float s[32][32];\nint t = threadIdx.x;\ns[(t)][t] = 0;\n",
     "__shared__ float s[32][32];\nint t = threadIdx.x;\ns[(t)][t ^ ((t) * 3 & 7)] = 0;\n", NULL},
    {XOR5, "__shared__ float s[32][32];\nint t = 0;\ns[t++][1] = 0;\n", NULL, "twice"},
    {XOR5, "__shared__ float s[32][32];\nfloat *p = s[1];\np[2] = 0;\n", NULL, "pointer"},
    {XOR5, "#define AT(r, c) s[r][c]\n__shared__ float s[32][32];\nAT(1, 2) = 0;\n", NULL, "macro"},
    {XOR5,
     "#define F4(x) (*(float4 *)&(x))\n__shared__ float s[32][32];\nint t = threadIdx.x;\nfloat4 v "
     "= F4(s[t][4]);\n",
     "#define F4(x) (*(float4 *)&(x))\n__shared__ float s[32][32];\nint t = threadIdx.x;\nfloat4 v "
     "= F4(s[t][4 ^ t]);\n",
     NULL},
    {CUTE,
     "__shared__ float s[64];\nint t = threadIdx.x;\ns[t] = 0;\ns[2 * t] = 1;\ns[(t * 3 + 1) % 64 "
     "+ 0 * t] = 2;\n",
     "#define s_at(i) ((i) ^ ((i) >> 3 & 6))\n__shared__ float s[64];\nint t = threadIdx.x;\n"
     "s[s_at(t)] = 0;\ns[s_at(2 * t)] = 1;\ns[s_at((t * 3 + 1) % 64 + 0 * t)] = 2;\n",
     NULL},
    {CUTE,
     "__shared__ float s[64];\nint t = threadIdx.x, i = 0;\ns[t] = 0;\ns[2 * t] = 1;\ns[i++] = "
     "2;\n",
     "__device__ unsigned s_at(unsigned i) { return i ^ (i >> 3 & 6); }\n"
     "__shared__ float s[64];\nint t = threadIdx.x, i = 0;\ns[t ^ (t >> 3 & 6)] = 0;\n"
     "s[(2 * t) ^ ((2 * t) >> 3 & 6)] = 1;\ns[s_at(i++)] = 2;\n",
     NULL},
    {EVERY8,
     "  __shared__ float s[64]; // s_at\nint t = threadIdx.x;\ns[(t * 3 + 1) % 64 + 0 * t] = 0;\n",
     "#define s_at2(i) ((i) + ((i) >> 3) * 2)\n  __shared__ float s[64 + 16]; // s_at\nint t = "
     "threadIdx.x;\n"
     "s[s_at2((t * 3 + 1) % 64 + 0 * t)] = 0;\n",
     NULL},
    {UP, "__shared__ float s[64];\nint t = threadIdx.x;\ns[t] = 0;\n",
     "__shared__ float s[64];\nint t = threadIdx.x;\ns[t ^ ((t & 1) << 3)] = 0;\n", NULL},
    {CUTE, "__shared__ float s[8][8];\nint t = threadIdx.x;\ns[t / 8 % 8][t % 8] = 0;\n",
     "__device__ unsigned s_at(unsigned i) { return i ^ (i >> 3 & 6); }\n"
     "__shared__ float s[8][8];\nint t = threadIdx.x;\n"
     "(&s[0][0])[s_at((t / 8 % 8) * 8 + (t % 8))] = 0;\n",
     NULL},
    {SWAP,
     "const int A = 8, B = 16;\n__shared__ float s[A][B];\nint t = threadIdx.x;\ns[t % A][t % B] = "
     "0;\n",
     "const int A = 8, B = 16;\n__shared__ float s[B][A];\nint t = threadIdx.x;\ns[t % B][t % A] = "
     "0;\n",
     NULL},
    {EVERY32, "__shared__ float s[256];\nint t = threadIdx.x;\ns[t] = 0;\ns[t + 1] = 1;\n",
     "__shared__ float s[256 + 8];\nint t = threadIdx.x;\ns[t + (t >> 5)] = 0;\ns[(t + 1) + ((t + "
     "1) >> 5)] = 1;\n",
     NULL},
    {EVERY8, "__shared__ float s[64];\nint t = threadIdx.x;\ns[t] = 0;\n",
     "__shared__ float s[64 + 16];\nint t = threadIdx.x;\ns[t + (t >> 3) * 2] = 0;\n", NULL},
    {EVERY32,
     "const int R = 4, W = 32;\n__shared__ float s[R * W];\nint t = threadIdx.x;\ns[t % R * W + t] "
     "= 0;\n",
     "const int R = 4, W = 32;\n__shared__ float s[R * (W + 1)];\nint t = threadIdx.x;\ns[t % R * "
     "(W + 1) + t] = 0;\n",
     NULL},
    {EVERY32,
     "const int W = 32;\n__shared__ float s[128];\nint t = threadIdx.x, row = t % 4 * W;\ns[row + "
     "t] = 0;\n",
     "const int W = 32;\n__shared__ float s[128 + 4];\nint t = threadIdx.x, row = t % 4 * (W + "
     "1);\ns[row + t] = 0;\n",
     NULL},
    {STRUCT4, "struct p { float x, y; };\n__shared__ p s[32];\ns[1].x = 0;\n",
     "struct p { float x, y; float unused; };\n__shared__ p s[32];\ns[1].x = 0;\n", NULL},
    {STRUCT4,
     "typedef struct {\n    float unused;\n    int y; // last\n} p;\n__shared__ p s[32];\ns[1].y = "
     "0;\n",
     "typedef struct {\n    float unused;\n    int y; // last\n    float padding;\n} "
     "p;\n__shared__ p "
     "s[32];\ns[1].y = 0;\n",
     NULL},
    {STRUCT4,
     "struct __align__(4) p {\n  float unused;\n};\n__shared__ p s[32];\ns[1].unused = 0;\n",
     "struct __align__(4) p {\n  float unused;\n  float padding;\n};\n__shared__ p "
     "s[32];\ns[1].unused = 0;\n",
     NULL},
    {SOA,
     "struct p { float x[2]; int y; };\n__shared__ p s[32];\nint t = threadIdx.x;\ns[t].x[1] = "
     "s[t] . y;\n",
     "struct p { float x[2]; int y; };\n__shared__ struct {\n    float x[2][32];\n    int "
     "y[32];\n} s;\n"
     "int t = threadIdx.x;\ns.x[1][t] = s . y[t];\n",
     NULL},
    {SOA, "struct p { float x; int y; };\n__shared__ p s[32];\np one = s[1];\n", NULL,
     "whole struct"},
    {SOA, "struct p { float x; };\n  static __shared__ struct p u[8], s[32] , v[4];\ns[1].x = 0;\n",
     "struct p { float x; };\n  static __shared__ struct p u[8];\n  static __shared__ struct {\n"
     "      float x[32];\n  } s;\n  static __shared__ struct p v[4];\ns.x[1] = 0;\n",
     NULL},
    {SOA, "struct p { float x; };\n__shared__ p s[32], u;\nu.x = 0;\ns[1].x = 0;\n",
     "struct p { float x; };\n__shared__ struct {\n    float x[32];\n} s;\n__shared__ p u;\n"
     "u.x = 0;\ns.x[1] = 0;\n",
     NULL},
    {SOA, "struct p { float x; };\n__shared__ p s[32];\np *q = s;\nq[1].x = 0;\n", NULL,
     "pointer to its structs"},
    {LESS, "const int N = 32;\n__shared__ float s[N][N + 8];\ns[1][2] = 0;\n",
     "const int N = 32;\n__shared__ float s[N][N + 1];\ns[1][2] = 0;\n", NULL},
    {LESS,
     "const int N = 32;\n__shared__ float s[N][N +7];\nfloat *p = &s[0][0];\np[39 * 2] = 0;\n",
     "const int N = 32;\n__shared__ float s[N][N];\nfloat *p = &s[0][0];\np[39 * 2 - 14] = 0;\n",
     NULL},
    {LESS, "__shared__ float s[32][40];\nfloat (*p)[40] = s;\np[1][2] = 0;\n",
     "__shared__ float s[32][33];\nfloat (*p)[33] = s;\np[1][2] = 0;\n", NULL},
    {LESS, "const int N = 40;\n__shared__ float s[32][N];\ns[1][2] = 0;\n",
     "const int N = 40;\n__shared__ float s[32][N - 7];\ns[1][2] = 0;\n", NULL},
    /* pointers that are the array under another name */
    {XOR5, "__shared__ float s[32][32];\nint t = threadIdx.x;\nfloat (*p)[32] = s;\np[t][1] = 0;\n",
     "__shared__ float s[32][32];\nint t = threadIdx.x;\nfloat (*p)[32] = s;\np[t][1 ^ t] = 0;\n",
     NULL},
    {PAD1, "__shared__ float s[32][32];\nfloat (*p)[32] = s;\np[1][2] = 0;\n",
     "__shared__ float s[32][32 + 1];\nfloat (*p)[32 + 1] = s;\np[1][2] = 0;\n", NULL},
    {PAD1,
     "__device__ void f(float p[][32]) { p[1][2] = 0; }\n__global__ void k()\n{\n"
     "    __shared__ float s[32][32];\n    f(s);\n}\nk<<<1, 32>>>();\n",
     "__device__ void f(float p[][32 + 1]) { p[1][2] = 0; }\n__global__ void k()\n{\n"
     "    __shared__ float s[32][32 + 1];\n    f(s);\n}\nk<<<1, 32>>>();\n",
     NULL},
#ifndef WITHOUT_CXX
    {SWAP,
     "__device__ void f(float (&p)[8][16]) { p[1][2] = 0; }\n__global__ void k()\n{\n"
     "    __shared__ float s[8][16];\n    f(s);\n}\nk<<<1, 32>>>();\n",
     "__device__ void f(float (&p)[16][8]) { p[2][1] = 0; }\n__global__ void k()\n{\n"
     "    __shared__ float s[16][8];\n    f(s);\n}\nk<<<1, 32>>>();\n",
     NULL},
#endif
    {PAD1, "typedef float row[32];\n__shared__ float s[32][32];\nrow *p = s;\np[1][2] = 0;\n", NULL,
     "written elsewhere"},
    {CUTE, "__shared__ float s[64];\nfloat *p = &s[0];\nint t = threadIdx.x;\np[t] = 0;\n",
     "__shared__ float s[64];\nfloat *p = &s[0];\nint t = threadIdx.x;\np[t ^ (t >> 3 & 6)] = 0;\n",
     NULL},
    {CUTE,
     "__shared__ float s[64], u[64];\nint t = threadIdx.x;\nfloat *p = t & 1 ? s : u;\np[t] = 0;\n",
     "__shared__ float s[64], u[64];\nint t = threadIdx.x;\nfloat *p = t & 1 ? s : u;\n"
     "p[t ^ (t >> 3 & 6)] = 0;\n",
     NULL},
    {CUTE,
     "__shared__ float s[64], u[8][8];\nint t = threadIdx.x;\nfloat *p = t & 1 ? s : u[0];\n"
     "p[t] = 0;\n",
     NULL, "as a pointer"},
    {CUTE, "__shared__ float s[64];\nfloat *p = s + 1;\nint t = threadIdx.x;\np[t] = 0;\n", NULL,
     "as a pointer"},
    {PAD1,
     "__device__ void f(float p[4][32]) { p[1][2] = 0; }\n__global__ void k()\n{\n"
     "    __shared__ float s[4][32];\n    float (*q)[32] = s, (*r)[32] = s;\n    f(q);\n}\nk<<<1, "
     "32>>>();\n",
     "__device__ void f(float p[4][32 + 1]) { p[1][2] = 0; }\n__global__ void k()\n{\n"
     "    __shared__ float s[4][32 + 1];\n    float (*q)[32 + 1] = s, (*r)[32 + 1] = s;\n    "
     "f(q);\n}\nk<<<1, 32>>>();\n",
     NULL},
    {XORS,
     "__shared__ float s[2][8][32];\nint t = threadIdx.x % 8;\nfloat (*p)[32] = s[t & 1];\np[t][1] "
     "= 0;\ns[1][4][t] = 0;\n",
     "__shared__ float s[2][8][32];\nint t = threadIdx.x % 8;\nfloat (*p)[32] = s[t & 1];\np[t][1 "
     "^ t] = 0;\ns[1][4][t ^ 4] = 0;\n",
     NULL},
    {PADS, "__shared__ float s[2][8][32];\nfloat (*p)[32] = s[1];\np[1][2] = 0;\n",
     "__shared__ float s[2][8][32 + 1];\nfloat (*p)[32 + 1] = s[1];\np[1][2] = 0;\n", NULL},
    {CUTE, "__shared__ float s[2][8][32];\nfloat (*p)[32] = s[1];\np[1][2] = 0;\n", NULL,
     "first index is not to be seen"},
    {XOR5, "__shared__ float s[32][32];\nint t = threadIdx.x;\ns[0][t] = 0;\ns[9][t] = 0;\n",
     "__shared__ float s[32][32];\nint t = threadIdx.x;\ns[0][t] = 0;\ns[9][t ^ 9] = 0;\n", NULL},
    /* pointers into the array step by its rows */
    {EVERY32,
     "__shared__ float s[128 + 32];\nint t = threadIdx.x % 4;\nfloat *p = s + t * 32, *q = s + "
     "64;\n"
     "p[t] = 0;\nq[t] = 0;\ns[33] = 0;\n*(s + 32 * t) = 0;\n",
     "__shared__ float s[128 + 37];\nint t = threadIdx.x % 4;\nfloat *p = s + t * (32 + 1), *q = s "
     "+ "
     "64 + 2;\np[t] = 0;\nq[t] = 0;\ns[34] = 0;\n*(s + (32 + 1) * t) = 0;\n",
     NULL},
    {PAD1,
     "__shared__ float s[32][32];\nint t = threadIdx.x;\nfloat *p = &s[0][0];\np[t * 32 + 1] = "
     "0;\n",
     "__shared__ float s[32][32 + 1];\nint t = threadIdx.x;\nfloat *p = &s[0][0];\np[t * (32 + 1) "
     "+ "
     "1] = 0;\n",
     NULL},
    {EVERY32,
     "#define AT(r, c) s[(r) * 32 + (c)]\n__shared__ float s[128];\nAT(threadIdx.x % 4, 1) = 0;\n",
     NULL, "macro"},
    /* a factor whose product goes elsewhere too stays as it is */
    {EVERY32,
     "const int W = 32;\n__shared__ float s[128];\nint t = threadIdx.x, row = t % 4 * W;\ns[row + "
     "t] = row;\n",
     "const int W = 32;\n__shared__ float s[128 + 4];\nint t = threadIdx.x, row = t % 4 * W;\n"
     "s[(row + t) + ((row + t) >> 5)] = row;\n",
     NULL},
    {EVERY32,
     "const int W = 32;\n__shared__ float s[128];\nint t = threadIdx.x, row = t % 4 * W, at = row "
     "+ "
     "t;\nat += 1;\ns[at] = 0;\n",
     "const int W = 32;\n__shared__ float s[128 + 4];\nint t = threadIdx.x, row = t % 4 * (W + 1), "
     "at = row + t;\nat += 1;\ns[at] = 0;\n",
     NULL},
    {EVERY32,
     "__shared__ float s[128];\nint t = threadIdx.x, row = t % 4 * 32;\nfloat *p = s + row;\np[t] "
     "= "
     "0;\nif (row) s[0] = 1;\n",
     NULL, "as a pointer"},
    {CUTE, "__shared__ float s[64];\ns[25] = 0;\n", "__shared__ float s[64];\ns[27] = 0;\n", NULL},
};

START_TEST(each_case)
{
    pattern p;
    open_pattern(&p, cases[_i].from);
    const char *text = rewritten(&p, &cases[_i].layout);
    if (cases[_i].to) {
        ck_assert_msg(text != NULL, "refused: %s", p.edits.why ? p.edits.why : "overlap");
        ck_assert_str_eq(text, cases[_i].to);
    } else {
        ck_assert(!text);
        ck_assert_msg(p.edits.why && strstr(p.edits.why, cases[_i].why), "it says: %s",
                      p.edits.why ? p.edits.why : "nothing");
    }
    close_pattern(&p);
}
END_TEST

START_TEST(dynamic_memory_grows)
{
    pattern p;
    open_pattern(&p, "__global__ void k()\n{\n    extern __shared__ float s[];\n"
                     "    s[threadIdx.x] = 0;\n}\nk<<<1, 32, 64 * sizeof(float)>>>();\n");
    bw_layout every = {.kind = BW_LAYOUT_EVERY, .every = 32, .extra = 1};
    const char *text = rewritten(&p, &every);
    ck_assert(text && strstr(text, "64 * sizeof(float) + 8>>>"));
    ck_assert(strstr(text, "s[threadIdx.x + (threadIdx.x >> 5)]"));
    close_pattern(&p);
}
END_TEST

START_TEST(members_change_places)
{
    pattern p;
    open_pattern(&p, "struct i {\n    char a; // first\n    double b, c;\n};\n"
                     "__shared__ i s[32];\ns[1].b = 0;\n");
    bw_layout members = {.kind = BW_LAYOUT_MEMBERS, .member = {1, 2, 0}};
    const char *text = rewritten(&p, &members);
    ck_assert(text != NULL);
    ck_assert(strstr(text, "{\n    double b, c;\n    char a; // first\n}"));
    close_pattern(&p);
}
END_TEST

/* What is a pad is told by how it is written. */
START_TEST(padding_of_old)
{
    static const struct {
        const char *text;
        uint32_t padding;
    } dims[] = {{"33", 1},    {"17", 1},        {"40", 8},     {"64", 0}, {"48", 0},
                {"N + 3", 3}, {"N+1", 1},       {"2 * N", 0},  {"N", 0},  {"8 + N", 0},
                {"1", 0},     {"N + 1 * 2", 0}, {"(N + 4)", 0}};
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        char text[128];
        const bw_array *arrays;
        uint32_t padding[BW_MAX_DIMENSIONS];
        pattern p;
        snprintf(text, sizeof text, "const int N = 32;\n__shared__ float s[4][%s];\ns[0][0] = 0;\n",
                 dims[i].text);
        open_pattern(&p, text);
        ck_assert_uint_eq(bw_pattern_arrays(p.parsed, 0, &arrays), 1);
        bw_rewrite_padding(&p.source, arrays, padding);
        ck_assert_msg(padding[1] == dims[i].padding, "%s: %u", dims[i].text, padding[1]);
        close_pattern(&p);
    }
}
END_TEST

START_TEST(edits_that_overlap)
{
    bw_arena arena = {NULL};
    bw_edits edits = {.arena = &arena};
    bw_source source = {"x", "abcdef", 6, NULL};
    size_t len;
    bw_edit_add(&edits, (bw_span){1, 3}, "X");
    bw_edit_add(&edits, (bw_span){1, 3}, "X"); /* once */
    bw_edit_add(&edits, (bw_span){5, 0}, "Y");
    ck_assert_str_eq(bw_edits_apply(&edits, &source, &len), "aXeYf");
    ck_assert_uint_eq(len, 5);
    bw_edit_add(&edits, (bw_span){2, 1}, "Z");
    ck_assert(!bw_edits_apply(&edits, &source, &len));
    bw_edits_finish(&edits);
    bw_arena_finish(&arena);
}
END_TEST

static const char *diff_of(bw_arena *arena, const char *from, const char *to)
{
    bw_source a = {"f", from, strlen(from), NULL}, b = {"f", to, strlen(to), NULL};
    return bw_unified_diff(arena, "f", &a, &b);
}

START_TEST(diffs)
{
    bw_arena arena = {NULL};
    ck_assert_str_eq(diff_of(&arena, "a\nb\n", "a\nb\n"), "");
    ck_assert_str_eq(diff_of(&arena, "a\nb\nc\n", "a\nx\nc\n"),
                     "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
    ck_assert_str_eq(
        diff_of(&arena, "a\nb", "a\nb\n"),
        "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
    ck_assert_str_eq(diff_of(&arena, "a\n", "a\nb\n"),
                     "--- a/f\n+++ b/f\n@@ -1,1 +1,2 @@\n a\n+b\n");
    ck_assert_str_eq(diff_of(&arena, "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\ny\n"),
                     "--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n "
                     "7\n 8\n-9\n+y\n");
    bw_arena_finish(&arena);
}
END_TEST

START_TEST(places)
{
    const char *text = "s /* [ */ [ a[(1)] + ']' ] [\"]\"]; // x\n  y";
    bw_source s = {"f", text, strlen(text), NULL}, open = {"f", "s[1", 3, NULL},
              crossed = {"f", "s[(1])", 6, NULL};
    bw_span inner;
    uint32_t end;
    bw_written w;
    bw_written_make(&w, &s);
    ck_assert(bw_written_group(&w, 1, BW_TOK_LBRACKET, &inner, &end));
    ck_assert_uint_eq(inner.len, strlen("a[(1)] + ']'"));
    ck_assert_int_eq(strncmp(text + inner.offset, "a[(1)] + ']'", inner.len), 0);
    ck_assert(bw_written_group(&w, end, BW_TOK_LBRACKET, &inner, &end));
    ck_assert_uint_eq(inner.len, 3);
    ck_assert_int_eq(text[end], ';');
    ck_assert_int_eq(text[bw_token_from(&w, end + 1)->span.offset], 'y');
    ck_assert(!bw_written_group(&w, end, BW_TOK_LBRACKET, &inner, &end));
    ck_assert_int_eq(bw_token_before(&w, end)->kind, BW_TOK_RBRACKET);
    ck_assert_ptr_null(bw_token_before(&w, 0));
    ck_assert_ptr_null(bw_written_name(&w, 0, (uint32_t)s.len, "x"));
    ck_assert_ptr_nonnull(bw_written_name(&w, 0, (uint32_t)s.len, "y"));
    bw_written_finish(&w);
    bw_written_make(&w, &open);
    ck_assert(!bw_written_group(&w, 1, BW_TOK_LBRACKET, &inner, &end));
    bw_written_finish(&w);
    bw_written_make(&w, &crossed);
    ck_assert(!bw_written_group(&w, 1, BW_TOK_LBRACKET, &inner, &end));
    bw_written_finish(&w);
}
END_TEST

/* Which struct a name means, and where a statement begins. */
START_TEST(structs_and_statements)
{
    const char *text =
        "// struct a {\nstruct __align__(8) b { int x; };\ntypedef struct { int y; } a;\n"
        "#define Z 1\nint z;\n";
    bw_source s = {"f", text, strlen(text), NULL};
    bw_span body;
    bw_written w;
    bw_written_make(&w, &s);
    ck_assert(bw_written_struct(&w, "a", &body));
    ck_assert_int_eq(strncmp(text + body.offset, " int y; ", body.len), 0);
    ck_assert(bw_written_struct(&w, "b", &body));
    ck_assert_int_eq(strncmp(text + body.offset, " int x; ", body.len), 0);
    ck_assert(!bw_written_struct(&w, "c", &body));
    uint32_t z = (uint32_t)(strstr(text, "z;") - text);
    ck_assert_uint_eq(bw_written_statement(&w, z), z - 4);
    bw_written_finish(&w);
}
END_TEST

START_TEST(shapes)
{
    enum { ATOM = 1, BRACKETED = 2, LOOSE = 4, PRODUCT = 8, DECIMAL = 16, SUM = 32 };
    static const struct {
        const char *text;
        unsigned shape;
        uint64_t number;
    } rows[] = {
        {"N", ATOM | PRODUCT, 0},
        {"threadIdx.x", ATOM | PRODUCT, 0},
        {"33", ATOM | PRODUCT | DECIMAL, 33},
        {"010", ATOM | PRODUCT, 0},
        {"0x20", ATOM | PRODUCT, 0},
        {"0", ATOM | PRODUCT | DECIMAL, 0},
        {"N + 8", SUM, 8},
        {"N+8", SUM, 8},
        {"N + 010", 0, 0},
        {"(N + 8)", BRACKETED | PRODUCT, 0},
        {"(a) + (b)", 0, 0},
        {"N * M", PRODUCT, 0},
        {"(N + 1) * M", PRODUCT, 0},
        {"f(a, b ? 1 : 2)", PRODUCT, 0},
        {"p->n", 0, 0},
        {"a ? b : c + 8", LOOSE, 0},
        {"a << 2 + 8", LOOSE, 0},
        {"a == b", LOOSE, 0},
        {"N /* ? */ + 8", SUM, 8},
        {"N + 8 // + 9", SUM, 8},
        {"", ATOM | PRODUCT, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bw_shape s = bw_shape_of(rows[i].text);
        unsigned got = ATOM * s.atom + BRACKETED * s.bracketed + LOOSE * s.loose +
                       PRODUCT * s.product + DECIMAL * s.decimal + SUM * s.sum;
        ck_assert_msg(got == rows[i].shape, "%s: %u", rows[i].text, got);
        ck_assert_msg(s.number == rows[i].number, "%s: its number", rows[i].text);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("rewrite");
    tcase_add_loop_test(tc, each_case, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tc, dynamic_memory_grows);
    tcase_add_test(tc, members_change_places);
    tcase_add_test(tc, padding_of_old);
    tcase_add_test(tc, edits_that_overlap);
    tcase_add_test(tc, diffs);
    tcase_add_test(tc, places);
    tcase_add_test(tc, structs_and_statements);
    tcase_add_test(tc, shapes);
    return tap_run(tc);
}
