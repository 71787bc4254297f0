/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evaluation, seen through addresses. What random programs cannot reach is here: CUDA's definitions
 * where C has none, warp functions, atomics, grids, and everything that once was wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/tap.h"

#include "run.h"

/* Shifts clamp, conversions saturate, division of the least integer wraps: PTX ISA, shl, cvt, div.
 */
START_TEST(test_defined_by_cuda)
{
    WORDS(HEAD "int k = 32; s[(1 << (k + t)) + 3] = 1;", 5, 3);
    WORDS(HEAD "int k = 40; s[((-8 >> (k + t)) & 7) + 0] = 1;", 5, 7);
    WORDS(HEAD "unsigned k = 64; s[(0x80000000u >> (k + t)) + 2] = 1;", 5, 2);
    WORDS(HEAD "float f = 1e20f + t; s[(int)f == 2147483647 ? 4 : 9] = 1;", 0, 4);
    WORDS(HEAD "float f = -5.0f - t; s[(unsigned)f + 6] = 1;", 0, 6);
    WORDS(HEAD "double d = 1e300 + t; s[(int)(unsigned long long)d & 7] = 1;", 0, 7);
    WORDS(HEAD "int m = -2147483647 - 1 - (t & 0), n = -1; s[(m / n == m) + 2 * (m % n == 0)] = 1;",
          0, 3);
    WORDS(HEAD "s[(-2147483647 - 1) / -1 == -2147483647 - 1] = 1;", 0, 1);
    WORDS(HEAD "short h = 300; unsigned char c = h * t; s[c] = 1;", 31, 300 * 31 & 255);
}
END_TEST

START_TEST(test_constants)
{
    WORDS(HEAD "s['A'] = 1; s['\\n'] = 1; s['\\x41'] = 1; s['\\101'] = 1; s['\\0'] = 1;", 0, 65, 10,
          65, 65, 0);
    WORDS(HEAD "s[0x7fffffff + 1 < 0] = 1; s[0x80000000 > 0] = 1; s[4294967295 > 0] = 1;", 0, 1, 1,
          1);
    WORDS(HEAD "s[sizeof(1 + 'a')] = 1; s[sizeof(1u + 1l)] = 1; s[sizeof(t ? 1 : 2.0)] = 1;", 0, 4,
          8, 8);
}
END_TEST

/* Each of these gave a wrong number once. */
START_TEST(test_regressions)
{
    WORDS("__device__ int f(int a, int b) { return a - b; }\n" HEAD "s[f(10, f(5, 3))] = 1;", 0, 8);
    WORDS(HEAD "switch (t % 3) { case 0: s[(t * 7 ^ 5) * 3 % 32] = 1; break; case 1: s[500 + t] = "
               "1; break; "
               "default: s[600] = 1; }",
          1, UINT32_MAX, 501, UINT32_MAX);
    WORDS(HEAD "switch (t & 1) { int y; case 7: y = 3; case 0: case 1: y = t; if (t < 5) y = 100; "
               "s[y] = 1; }",
          9, 9);
    WORDS("struct O { float2 a; int b; };\n" HEAD
          "float2 f = make_float2(1, 2); O o = {f, 3}; s[o.b] = 1; "
          "s[(int)o.a.y] = 1;",
          0, 3, 2);
    WORDS("union U { float4 v; float f[4]; };\n" HEAD "U u = {{1, 2, 3, 4}}; s[(int)u.f[2]] = 1;",
          0, 3);
    WORDS("struct A { union { float4 v; float f[4]; }; int n; };\n" HEAD "s[sizeof(A)] = 1;", 0,
          32);
    WORDS("__shared__ __align__(16) float3 v[32]; v[threadIdx.x].x = 1;", 1, 3);
    WORDS(HEAD "float4 *p = (float4 *)s, v = make_float4(1, 2, 3, 4), w; w = p[1] = p[0] = v;", 0,
          0, 4);
    WORDS("template <int N> __device__ int f(int x) { if constexpr (N > 0) return f<N - 1>(x + N); "
          "else return x; }\n" HEAD "s[f<4>(t)] = 1;",
          1, 11);
    WORDS("#define CAT(a, b) int x##a = 1; int a##b = 2;\n" HEAD "CAT(, y) s[x + y] = 1;", 0, 3);
    WORDS(HEAD "typedef float Row[33]; __shared__ Row r[32]; r[t][1] = 1; float (*q)[4][8] = "
               "reinterpret_cast<float (*)[4][8]>(s); (*q)[1][t % 8] = 2;",
          3, 1024 + 100, 11);
}
END_TEST

/* Declared before, after, and often: one function, with the defaults of all. */
START_TEST(test_prototypes)
{
    WORDS(
        "__device__ int f(int);\n__device__ int f(int a);\n__device__ int f(int x) { return x + 1; "
        "}\n__device__ int f(int);\n__device__ int f(int y = 8);\n" HEAD "s[f(4)] = 1; s[f()] = 1;",
        0, 5, 9);
    WORDS("__global__ void k(float *out);\n__global__ void k(float *p) { __shared__ int s[64]; "
          "s[threadIdx.x] = 1; }\n__global__ void k(float *);\nk<<<1, 32>>>(out);",
          3, 3);
    WORDS(
        "template <int N, typename T> __device__ int f(const T *p, unsigned long);\n"
        "template <int N, typename T> __device__ int f(const T *x, unsigned long y);\n"
        "template <int M, typename U> __device__ int f(const U *__restrict__ q, unsigned long z) { "
        "return M + sizeof(*q) + z; }\n"
        "template <int N, typename T> __device__ int f(const T *, unsigned long);\n" HEAD
        "s[f<2, int>(s, 1)] = 1; s[f<10, double>(0, 3)] = 1;",
        0, 7, 21);
    WORDS("template <int N = 3> __global__ void k(float *a);\ntemplate <int N> __global__ void "
          "k(float *b) { __shared__ int s[64]; s[threadIdx.x * N] = 1; }\n"
          "template <int N> __global__ void k(float *);\nk<><<<1, 8>>>(out); k<2><<<1, 8>>>(out);",
          4, 12, 8);
    expect_error("__device__ int f(int x) { return x; }\n__device__ int f(int);\n"
                 "__device__ int f(int y) { return y; }\n",
                 ":3:16: error: 'f' is defined twice");
}
END_TEST

START_TEST(test_warp_functions)
{
    WORDS(HEAD "s[__shfl_down_sync(~0u, t, 4, 8)] = 1; s[__shfl_up_sync(~0u, t, 3)] = 1; "
               "s[__shfl_xor_sync(~0u, t, 5)] = 1; s[__shfl_sync(~0u, t, 3, 16)] = 1;",
          18, 22, 15, 23, 19);
    WORDS(HEAD "s[__shfl_down_sync(~0u, t, 4, 8)] = 1; s[__shfl_up_sync(~0u, t, 20)] = 1;", 6, 6,
          6);
    WORDS(HEAD "s[__popc(__ballot_sync(~0u, t % 3 == 0))] = 1; s[__any_sync(~0u, t == 7)] = 1; "
               "s[__all_sync(~0u, t < 31)] = 1; s[__reduce_add_sync(~0u, t)] = 1; "
               "s[__reduce_max_sync(~0u, t)] = 1;",
          0, 11, 1, 0, 496, 31);
    WORDS(HEAD "s[__popc(t)] = 1; s[__clz(t)] = 1; s[__ffs(t)] = 1; s[__brev(t) >> 27] = 1; "
               "s[min(t, 5)] = 1; "
               "s[max(t, 5u)] = 1; s[abs(t - 20)] = 1; s[__mulhi(t << 26, 64)] = 1;",
          6, 2, 29, 2, 12, 5, 6, 14, 6);
}
END_TEST

START_TEST(test_memory)
{
    WORDS(HEAD "s[t] = t * 2; __syncthreads(); s[s[31 - t]] = 1;", 1, 1, 30, 60);
    WORDS(HEAD "unsigned char *b = (unsigned char *)s; s[t] = 0x01020304; s[b[4 * t + 1]] = 1;", 5,
          5, 5, 3);
    WORDS(HEAD "if (t == 0) s[9] = 0; int k = atomicAdd(&s[9], 2); s[100 + k] = 1;", 3, UINT32_MAX,
          9, 106);
    WORDS(HEAD "s[t] = t; int old = atomicCAS(&s[t], 5, 77); s[old + 100] = 1; s[s[t]] = 1;", 5, 5,
          5, 105, 5, 77);
    WORDS("half h = 0.1f; " HEAD "s[(int)((float)h * 8192)] = 1;", 0, 819);
    expect_error(HEAD "s[s[t]] = 1;", "shared memory that nothing has written");
    expect_error(HEAD "int a[4]; s[a[t & 3]] = 1;", "without a value");
}
END_TEST

START_TEST(test_grid)
{
    ran *r = run_source(
        "__global__ void k() { __shared__ int s[64]; s[threadIdx.x] = 1; }\nk<<<7, 48>>>();", NULL);
    ck_assert(r->ok && r->last.scaled && r->last.blocks_evaluated == 1);
    ck_assert_uint_eq(r->count, 2);
    ck_assert_uint_eq(r->items[0].copies, 7);
    ck_assert_uint_eq(r->items[1].request.active, 0xffff);
    run_finish(r);
    r = run_source(
        "__global__ void k() { __shared__ int s[64]; if (blockIdx.x & 1) s[threadIdx.x] = 1; "
        "else s[threadIdx.x + blockIdx.x] = 2; }\nk<<<dim3(2, 2), 32>>>();",
        NULL);
    ck_assert(r->ok && !r->last.scaled && r->last.blocks_evaluated == 4);
    ck_assert_uint_eq(r->count, 4);
    ck_assert_uint_eq(r->items[3].origin.block, 3);
    run_finish(r);
    r = run_source(
        "__global__ void k() { __shared__ int s[64]; s[random(64)] = 1; }\nk<<<3, 32>>>();", NULL);
    ck_assert(r->ok && !r->last.scaled && bw_program_is_random(r->pattern));
    ck_assert_uint_eq(r->count, 3);
    run_finish(r);
}
END_TEST

START_TEST(test_options)
{
    bw_define define = {"N", "3"};
    bw_pattern_options o = {
        .defines = &define, .define_count = 1, .block = {64, 2, 1}, .grid = {5, 0, 0}};
    ran *r = run_source("const int N = 2;\n" HEAD "s[t * N] = 1;", &o);
    ck_assert_msg(r->ok, "%s", r->errors);
    ck_assert_uint_eq(r->count, 4); /* 128 threads */
    ck_assert_uint_eq(r->items[0].copies, 5);
    ck_assert_uint_eq(run_word(r, 0, 1), 3);
    const bw_parameter *parameters;
    ck_assert_uint_eq(bw_program_parameters(r->pattern, &parameters), 1);
    ck_assert_int_eq(parameters[0].integer, 3);
    run_finish(r);
    o = (bw_pattern_options){.max_steps = 500};
    r = run_source(HEAD "for (int i = 0; i < 1000000; i++) s[t] = 1;", &o);
    ck_assert(!r->ok && strstr(r->errors, "the step budget of 500 is used up"));
    run_finish(r);
    o = (bw_pattern_options){.max_memory = 1000};
    r = run_source(HEAD "s[t] = 1;", &o);
    ck_assert(!r->ok && strstr(r->errors, "--max-memory"));
    run_finish(r);
}
END_TEST

/* What is not lane by lane: groups of active lanes, and lanes that hold the same. */
START_TEST(test_active_lanes)
{
    WORDS(HEAD
          "if (t % 3 == 1) { cg::coalesced_group g = cg::coalesced_threads(); s[g.thread_rank()] = "
          "1; "
          "s[g.size()] = 1; s[g.shfl(t, 2)] = 1; s[g.shfl_down(t, 1)] = 1; s[g.shfl_up(t, 1)] = "
          "1; s[g.any(t == 4) * 2 + g.all(t > 1)] = 1; }",
          7, 2, 11, 7, 10, 4, 2);
    WORDS(HEAD "unsigned m = __match_any_sync(~0u, t % 5); s[__popc(m)] = 1; s[__ffs(m) - 1] = 1;",
          8, 6, 3);
    WORDS(HEAD "unsigned a = (unsigned)__cvta_generic_to_shared(&s[t]); int v; "
               "asm volatile(\"ld.shared.u32 %[v], [%[a] + 8];\" : [v] \"=r\"(v) : [a] \"r\"(a));",
          3, 5);
}
END_TEST

/* What instructions of asm statements on shared memory are; those that are none are refused by name
 * (golden/refused-asm-atomics.pat). */
START_TEST(test_asm_operations)
{
    static const struct {
        const char *text;
        bw_op op;
    } rows[] = {
        {"red.shared.add.noftz.f16x2 [%0], %1;", BW_OP_RED_ADD_F16X2},
        {"atom.shared.add.noftz.f16x2 %1, [%0], %1;", BW_OP_ATOM_ADD_F16X2},
        {"red.relaxed.cta.shared::cta.add.s32 [%0], %1;", BW_OP_RED_ADD_U32},
        {"red.add.shared.u32 [%0], 1;", BW_OP_RED_INC_U32},
        {"atom.shared.add.f32 %2, [%0], %2;", BW_OP_ATOM_ADD_F32},
        {"red.shared.add.f64 [%0], %3;", BW_OP_RED_ADD_F64},
        {"red.shared.add.u64 [%0], %4;", BW_OP_RED_ADD_U64},
        {"red.shared.max.s32 [%0], %1;", BW_OP_RED_MAX_S32},
        {"red.shared.min.u64 [%0], %4;", BW_OP_RED_MIN_U64},
        {"red.shared.and.b64 [%0], %4;", BW_OP_RED_AND_B64},
        {"atom.acquire.gpu.shared.exch.b32 %1, [%0], %1;", BW_OP_ATOM_EXCH_B32},
        {"atom.shared.cas.b64 %4, [%0], %4, %4;", BW_OP_ATOM_CAS_B64},
        {"ld.volatile.shared.v2.f32 {%2, %2}, [%0];", BW_OP_LD_64},
        {"st.shared.f16x2 [%0], %1;", BW_OP_ST_32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "__shared__ double s[64]; unsigned a = "
                 "(unsigned)__cvta_generic_to_shared(&s[threadIdx.x]), u = 3; float f = 1; "
                 "double d = 1; unsigned long long l = 3;\nasm volatile(\"%s\" : \"+r\"(a), "
                 "\"+r\"(u), \"+f\"(f), \"+d\"(d), \"+l\"(l));",
                 rows[i].text);
        ran *r = run_source(text, NULL);
        ck_assert_msg(r->ok && r->count == 1, "%s: %s", rows[i].text, r->errors);
        ck_assert_msg(r->items[0].request.op == rows[i].op, "%s is %s", rows[i].text,
                      bw_op_get(r->items[0].request.op)->name);
        run_finish(r);
    }
}
END_TEST

/* Instructions that compute: exactly, or not at all. */
START_TEST(test_asm_values)
{
    WORDS(HEAD "int a; asm(\"cvt.s32.s8 %0, %1;\" : \"=r\"(a) : \"r\"(0x1ff)); s[a + 5] = 1; "
               "asm(\"cvt.rzi.s32.f32 %0, %1;\" : \"=r\"(a) : \"f\"(2.9f)); s[a] = 1; "
               "asm(\"cvt.u32.u16 %0, %1;\" : \"=r\"(a) : \"h\"((short)-1)); s[a >> 8] = 1; "
               "asm(\"add.u32 %0, %1, 3;\" : \"=r\"(a) : \"r\"(4)); s[a] = 1; "
               "asm(\"mul.lo.s32 %0, %1, 3;\" : \"=r\"(a) : \"r\"(4)); s[a] = 1;",
          0, 4, 2, 255, 7, 12);
    static const char *const unknown[] = {
        "cvt.rni.s32.f32 %0, %2;", "cvt.rn.f16.f32 %0, %2;", "add.f16x2 %0, %1, %1;",
        "add.sat.s32 %0, %1, %1;", "cvt.sat.u8.s32 %0, %1;", "sub.f16 %0, %1, %1;",
        "add.s16x2 %0, %1, %1;",   "min.s32 %0, %1, %1;",
    };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 HEAD "int a = 1; asm(\"%s\" : \"=r\"(a) : \"r\"(4), \"f\"(2.9f)); s[a] = 1;",
                 unknown[i]);
        expect_error(text, "not known");
    }
}
END_TEST

/* An expectation speaks of what begins on its line, else of what spans it, else of the statement.
 */
START_TEST(test_expectation_lines)
{
    static const char text[] = "__shared__ int s[1024];\n" /* line 1 */
                               "int t = threadIdx.x;\n"
                               "s[t] =\n"
                               "    5; // expect: 1-way\n"
                               "int v = s[t]\n" /* 5 */
                               "      + s[t * 2]; // expect: 2-way\n"
                               "s[t\n"
                               "  * 4] = 1; // expect: 4-way\n"
                               "for (int i = 0; i < s[t];\n"
                               "     i += 5) // expect: 1-way\n" /* 10 */
                               "    s[t * 8] = 2;\n";
    static const unsigned lines[4] = {3, 6, 7, 9};
    const bw_expect *e;
    const bw_access *a;
    ran *r = run_source(text, NULL);
    ck_assert_msg(r->ok, "%s", r->errors);
    ck_assert_uint_eq(bw_program_expects(r->pattern, &e), 4);
    size_t count = bw_program_accesses(r->pattern, &a);
    for (int k = 0; k < 4; k++)
        for (size_t i = 0; i < count; i++)
            ck_assert_msg(bw_program_expects_of(r->pattern, &e[k], &a[i]) ==
                              (a[i].line == lines[k]),
                          "expectation %d, access on line %u", k, a[i].line);
    run_finish(r);
}
END_TEST

static bool count_request(void *context, const bw_request_origin *origin, const bw_request *request,
                          uint64_t copies)
{
    size_t *count = context;
    (void)origin;
    (void)request;
    (void)copies;
    return ++*count < 2; /* and stop there */
}

/* A pattern runs any number of times, alike; a sink ends a run when it has seen enough. */
START_TEST(test_again)
{
    const char *text = HEAD "s[t] = t; s[s[t]] = 1;";
    bw_source source = {"t.pat", text, strlen(text), NULL};
    bw_diags diags = {0};
    bw_program *p = bw_pattern_parse(&source, &(bw_pattern_options){0}, &diags);
    const bw_access *accesses;
    for (int k = 0; k < 3; k++) {
        bw_run run;
        size_t count = 0;
        ck_assert(bw_program_run(p, 0, &(bw_sink){&count, count_request}, &run, &diags));
        ck_assert_uint_eq(count, 2);
    }
    ck_assert_uint_eq(diags.errors, 0);
    ck_assert_uint_eq(bw_program_accesses(p, &accesses), 2);
    ck_assert_str_eq(accesses[0].source, "s[t]");
    ck_assert_str_eq(accesses[0].array, "s");
    ck_assert_uint_eq(accesses[1].op, BW_OP_LD_32);
    bw_program_destroy(p);
    bw_program_destroy(NULL);
    bw_diags_finish(&diags);
}
END_TEST

/*
 * Structs, and the bytes of the stores that nvcc 13.0 makes of a copy from global to shared memory:
 * from the PTX of `s[t] = o[t]` under -arch=sm_90, smallest first.
 */
static const struct {
    const char *members;
    unsigned bytes[13];
} copies[] = {
    {"char a; double b; char c;", {8, 8, 8}},
    {"char a; int b;", {4, 4}},
    {"int a; char b;", {4, 4}},
    {"short a; int b;", {4, 4}},
    {"double a; char b;", {8, 8}},
    {"char a; short b; int c;", {4, 4}},
    {"int a; double b;", {8, 8}},
    {"float a; double b; float c;", {8, 8, 8}},
    {"char a[3]; int b;", {4, 4}},
    {"double a; int b;", {4, 4, 8}},
    {"int a; char b[3];", {4, 4}},
    {"short a; short b; char c;", {2, 2, 2}},
    {"long long a; char b[5];", {4, 4, 8}},
    {"float a; int b; double c;", {8, 8}},
    {"short a; char b;", {2, 2}},
    {"float a; float b; double c; float d;", {4, 4, 8, 8}},
    {"char a; char b; short c; char d;", {2, 2, 2}},
    {"int a; int b; int c; double d;", {8, 8, 8}},
    {"double a; short b;", {2, 2, 4, 8}},
    {"double a; char b[2];", {8, 8}},
    {"double a; char b[3];", {8, 8}},
    {"double a; char b[4];", {4, 4, 8}},
    {"int a; int b; double c; char d;", {8, 8, 8}},
    {"double a; char b; char c;", {8, 8}},
    {"double a; short b; short c;", {4, 4, 8}},
    {"long long a; char b;", {8, 8}},
    {"double a; short b; char c;", {2, 2, 4, 8}},
    {"double a; int b; char c;", {4, 4, 8}},
    {"double a; char b[6];", {4, 4, 8}},
    {"double a; char b[7];", {4, 4, 8}},
    {"double2 a; float b;", {16, 16}},
    {"float4 a; char b;", {16, 16}},
    {"float2 a; float b;", {8, 8}},
    {"float2 a; char b;", {8, 8}},
    {"float a, b, c;", {4, 4, 4}},
    {"short a; char b, c; int d;", {2, 2, 4}},
    {"float f[12];", {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}},
};

static int by_size(const void *a, const void *b)
{
    return (int)*(const unsigned *)a - (int)*(const unsigned *)b;
}

START_TEST(test_struct_copies)
{
    for (size_t k = 0; k < sizeof copies / sizeof *copies; k++) {
        char text[512];
        unsigned bytes[14] = {0};
        snprintf(text, sizeof text,
                 "struct S { %s };\n__global__ void k(S *o) { __shared__ S s[32]; "
                 "s[threadIdx.x] = o[threadIdx.x]; }\nk<<<1, 32>>>(o);\n",
                 copies[k].members);
        ran *r = run_source(text, NULL);
        ck_assert_str_eq(r->errors, "");
        ck_assert_uint_le(r->count, 13);
        for (size_t n = 0; n < r->count; n++)
            bytes[n] = bw_op_get(r->items[n].request.op)->bytes;
        qsort(bytes, r->count, sizeof *bytes, by_size);
        for (size_t n = 0; n <= r->count; n++)
            ck_assert_msg(bytes[n] == (n < 13 ? copies[k].bytes[n] : 0),
                          "%s: piece %zu has %u bytes", copies[k].members, n, bytes[n]);
        run_finish(r);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("eval");
    tcase_add_test(tc, test_defined_by_cuda);
    tcase_add_test(tc, test_constants);
    tcase_add_test(tc, test_regressions);
    tcase_add_test(tc, test_prototypes);
    tcase_add_test(tc, test_warp_functions);
    tcase_add_test(tc, test_memory);
    tcase_add_test(tc, test_grid);
    tcase_add_test(tc, test_options);
    tcase_add_test(tc, test_again);
    tcase_add_test(tc, test_struct_copies);
    tcase_add_test(tc, test_active_lanes);
    tcase_add_test(tc, test_asm_operations);
    tcase_add_test(tc, test_asm_values);
    tcase_add_test(tc, test_expectation_lines);
    return tap_run(tc);
}
