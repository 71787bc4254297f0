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

#define HEAD "__shared__ int s[1024];\nint t = threadIdx.x;\n"

/* `text` makes at least one request; word `expected[k]` is what the first lane of request k uses.
 */
static void expect_words(const char *text, int lane, size_t count, const unsigned *expected)
{
    ran *r = run_source(text, NULL);
    ck_assert_msg(r->ok, "%s\n%s", text, r->errors);
    ck_assert_msg(r->count == count, "%s: %zu requests, not %zu", text, r->count, count);
    for (size_t k = 0; k < count; k++)
        ck_assert_msg(run_word(r, k, lane) == expected[k],
                      "%s: request %zu, lane %d: word %u, not %u", text, k, lane,
                      run_word(r, k, lane), expected[k]);
    run_finish(r);
}
#define WORDS(text, lane, ...)                                                                     \
    expect_words(text, lane, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned),           \
                 (const unsigned[]){__VA_ARGS__})

static void expect_error(const char *text, const char *part)
{
    ran *r = run_source(text, NULL);
    ck_assert_msg(!r->ok && strstr(r->errors, part), "%s: no '%s' in:\n%s", text, part, r->errors);
    run_finish(r);
}

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
    WORDS("constexpr int log2i(int n) { return n <= 1 ? 0 : 1 + log2i(n / 2); }\n"
          "constexpr int sum(int n) { int r = 0; for (int i = 1; i <= n; ++i) { if (i == 3) "
          "continue; r += i; } "
          "return r; }\n__shared__ int s[log2i(1024) * 100]; s[sum(5)] = 1;",
          0, 12);
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
    WORDS("__device__ int f(const float &x) { return (int)(x * 2); }\n" HEAD
          "int a = 5; s[f(a)] = 1;",
          0, 10);
    WORDS("struct S { static constexpr int K = 3; float x; };\n" HEAD "s[sizeof(S) + S::K] = 1;", 0,
          7);
    WORDS("__shared__ __align__(16) float3 v[32]; v[threadIdx.x].x = 1;", 1, 3);
    WORDS(HEAD "float4 *p = (float4 *)s, v = make_float4(1, 2, 3, 4), w; w = p[1] = p[0] = v;", 0,
          0, 4);
    WORDS("template <int N> __device__ int f(int x) { if constexpr (N > 0) return f<N - 1>(x + N); "
          "else return x; }\n" HEAD "s[f<4>(t)] = 1;",
          1, 11);
    WORDS("#define CAT(a, b) int x##a = 1; int a##b = 2;\n" HEAD "CAT(, y) s[x + y] = 1;", 0, 3);
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
    r = run_source(HEAD "while (true) s[t] = 1;", &o);
    ck_assert(!r->ok && strstr(r->errors, "the step budget of 500 is used up"));
    run_finish(r);
    o = (bw_pattern_options){.max_memory = 1000};
    r = run_source(HEAD "s[t] = 1;", &o);
    ck_assert(!r->ok && strstr(r->errors, "--max-memory"));
    run_finish(r);
}
END_TEST

/* Functions of structs, constructors, conversions, operators: as C++ has them. */
START_TEST(test_structs_with_functions)
{
    WORDS(
        "struct T { int d[64]; __device__ int &operator()(int r, int c) { return d[r * 9 + c]; }\n"
        "__device__ int operator()(int r, int c) const { return d[r * 9 + c]; } };\n"
        "__shared__ T s; int t = threadIdx.x; s(1, t) = 1; const T &c = s; int v = c(2, t);",
        3, 12, 21);
    WORDS(
        "struct R { __device__ R(int *p, int ld = 4) : p(p), ld_(ld) {} __device__ int *row(int i) "
        "{ return p + i * ld_; } __device__ int &operator[](int i) { return p[i]; } private: int "
        "*p; int ld_; };\n" HEAD
        "R a(s), b{s + 100, 7}; a.row(t)[1] = 1; R *q = &b; q->row(t)[0] = "
        "1; b[t] = 1;",
        2, 9, 114, 102);
    WORDS(
        "struct T { int a; T(int x) : a(x) {} T(int x, int y) : a(x + y) { if (x) return; a = 7; } "
        "explicit T(float f) : T((int)f) {} };\n" HEAD
        "T a(3), b(0, 4), c(2.5f), d = 9; T e{1, 1}; s[a.a] = 1; s[b.a] = 1; s[c.a] = 1; s[d.a] = "
        "1; s[e.a] = 1;",
        0, 3, 7, 2, 9, 2);
    WORDS("struct A { int x, y = 5; int z{7}; };\n" HEAD
          "A a; s[a.y + a.z] = 1; A b{1}; s[b.x * 100 + b.z] = 1; A c = {.x = 3, .z = 9}; s[c.x * "
          "100 + c.y * 10 + c.z] = 1; A d{}; s[d.x + d.y] = 1;",
          0, 12, 107, 359, 5);
    WORDS("struct V { float x, y; __device__ V operator+(const V &o) const { return {x + o.x, y + "
          "o.y}; } __device__ V &operator+=(const V &o) { x += o.x; y += o.y; return *this; } "
          "__device__ V operator-() const { return V{-x, -y}; } };\n"
          "__device__ V operator*(float k, V v) { v.x *= k; v.y *= k; return v; }\n" HEAD
          "V a{1, 2}, b{3, 4}; V c = a + 2 * b; s[(int)(c.x * 100 + c.y)] = 1; (c += a) += a; "
          "s[(int)c.y] = 1; s[-(int)(-c).x] = 1;",
          0, 710, 14, 9);
    WORDS(
        "template <class T> struct Mem { __device__ operator T *() { extern __shared__ int raw[]; "
        "return (T *)raw; } };\ntemplate <> struct Mem<double> { __device__ operator double *() { "
        "extern __shared__ double wide[]; return wide + 1; } };\n"
        "template <class T> __global__ void k() { T *p = Mem<T>(); p[threadIdx.x] = 1; }\n"
        "k<float><<<1, 32, 4096>>>(); k<double><<<1, 32, 4096>>>();",
        5, 5, 12);
    WORDS("struct S { int a; __device__ void set(int v) { this->a = v; twice(); } __device__ void "
          "twice() { a *= 2; } static __device__ int id(int x) { return x + 1; } template <int N> "
          "__device__ int times() const { return a * N; } };\n" HEAD
          "S o; o.set(3); s[o.a] = 1; s[S::id(4)] = 1; s[o.times<7>()] = 1;",
          0, 6, 5, 42);
    WORDS("struct N { const N *next; int v; };\n" HEAD
          "N a, b; a.v = 3; b.next = &a; s[b.next->v] = 1;",
          0, 3);
}
END_TEST

START_TEST(test_templates_of_structs)
{
    WORDS("template <int N> struct L { static constexpr int v = 1 + L<N / 2>::v; };\ntemplate <> "
          "struct L<1> { static constexpr int v = 0; };\n" HEAD
          "int a[L<8>::v]; s[L<1024>::v + sizeof(a)] = 1;",
          0, 22);
    WORDS("template <typename T> struct Tr; template <> struct Tr<float> { using V = float4; enum "
          "{ n "
          "= 4 }; };\n" HEAD "typename Tr<float>::V *p = (Tr<float>::V *)s; p[t].y = 1; "
          "s[Tr<float>::n] = 1;",
          3, 13, 4);
    WORDS(
        "template <typename T, int N> struct V { T v[N]; __device__ T &operator[](int i) { return "
        "v[i]; } };\ntemplate <typename T, int N> __device__ int len(const V<T, N> &v) { return N; "
        "}\ntemplate <typename T, int N> using W = V<T, N + 1>;\n" HEAD
        "W<V<int, 2>, 6> v; s[len(v) * 10 + len(v[0])] = 1;",
        0, 72);
    WORDS(
        "template <typename T> __device__ int f(T x) { return 1; }\ntemplate <> __device__ int "
        "f<float>(float x) { return 2; }\ntemplate <> __device__ int f(double x) { return 3; "
        "}\n" HEAD
        "s[f(1)] = 1; s[f(1.0f)] = 1; s[f(1.0)] = 1; s[f<float>(7)] = 1; decltype(s[0] + 1.0) d = "
        "f(2); s[sizeof(d)] = 1;",
        0, 1, 2, 3, 2, 8);
}
END_TEST

/* [=] copies where the lambda stands, [&] sees what is there when it is called. */
START_TEST(test_lambdas)
{
    WORDS(HEAD
          "int k = 1; auto f = [=](int a) { return a + k; }; auto g = [&](int a) { return a + k; "
          "}; k = 10; s[f(0)] = 1; s[g(0)] = 1; auto h = [k](int a) { return a + k; }; k = 20; "
          "s[h(1)] = 1; auto m = [q = k * 2]() { return q; }; k = 0; s[m()] = 1;",
          0, 1, 10, 11, 40);
    WORDS("template <typename F> __device__ void rep(int n, F &&f) { for (int i = 0; i < n; i++) "
          "f(i); "
          "}\n" HEAD
          "rep(2, [&](int i) { s[t + i] = 1; }); auto b = [&](auto i, auto *p) { p[i] = 1; "
          "}; b(t * 3, s); b(2.0f > t, (char *)s + 8);",
          4, 4, 5, 12, 2);
    WORDS(HEAD
          "for (int k = 0; k < 2; k++) { int q = k; if (k) q = 5; auto f = [=] { auto g = [=] { "
          "return q + 1; }; return g() * 10; }; q = 99; s[f()] = 1; }",
          0, 10, 60);
}
END_TEST

START_TEST(test_ranges)
{
    WORDS(HEAD
          "int a[] = {3, 5, 9}; for (auto &x : a) x += 1; for (int x : a) { if (x == 6) continue; "
          "s[x] = 1; } for (int x : {7, 8}) s[x] = 1;",
          0, 4, 10, 7, 8);
    WORDS(HEAD
          "int m[2][2] = {{1, 2}, {3, 4}}; for (auto &r : m) for (int x : r) { if (x > 3) break; "
          "s[x] = 1; } __shared__ int q[2]; for (int &x : q) x = 2;",
          0, 1, 2, 3, 1024, 1025);
}
END_TEST

/* What is not lane by lane: groups of active lanes, and lanes that hold the same. */
START_TEST(test_active_lanes)
{
    WORDS(HEAD
          "if (t % 3 == 1) { auto g = cg::coalesced_threads(); s[g.thread_rank()] = 1; "
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

/* cooperative_groups/details/async.h of CUDA 13.0: a block strides, a tile repeats its last
 * element. */
START_TEST(test_group_copies)
{
    ran *r =
        run_source("__global__ void k(const int *g) { __shared__ int s[128]; auto b = "
                   "cg::this_thread_block(); cg::memcpy_async(b, s, g, 4 * 80); cg::wait(b); }\n"
                   "k<<<1, 64>>>(g);",
                   NULL);
    ck_assert_msg(r->ok, "%s", r->errors);
    ck_assert_uint_eq(r->count, 3);
    ck_assert_int_eq(r->items[0].request.op, BW_OP_CP_ASYNC_4);
    ck_assert_uint_eq(run_word(r, 1, 3), 67); /* the first warp comes again */
    ck_assert_uint_eq(r->items[1].request.active, 0xffff);
    ck_assert_uint_eq(run_word(r, 2, 3), 35);
    run_finish(r);
    r = run_source("__shared__ int4 s[64]; int4 *g; auto w = "
                   "cg::tiled_partition<32>(cg::this_thread_block());\n"
                   "cg::memcpy_async(w, s, g, 16 * 40);\ncg::memcpy_async(w, s, 3, g, 9);\n"
                   "cg::memcpy_async(w, (char *)s, (char *)g, cuda::aligned_size_t<8>(8 * 32));",
                   NULL);
    ck_assert_msg(r->ok, "%s", r->errors);
    ck_assert_uint_eq(r->count, 4);
    ck_assert_int_eq(r->items[0].request.op, BW_OP_CP_ASYNC_16);
    ck_assert_uint_eq(run_word(r, 1, 20), 39 * 4); /* lanes 8 and up copy element 39 again */
    ck_assert_uint_eq(run_word(r, 2, 31), 2 * 4);
    ck_assert_int_eq(r->items[3].request.op, BW_OP_CP_ASYNC_8);
    run_finish(r);
}
END_TEST

/* What a launch leaves open: template arguments, and numbers that only the host knows. */
START_TEST(test_launch_arguments)
{
    WORDS("template <typename T, int N = 2> __global__ __launch_bounds__(64) void k(T *o, int n) { "
          "__shared__ T s[64 * N]; s[threadIdx.x * N] = o[0]; }\n"
          "void run(float *in, double *out, int n) { k<<<1, 32>>>(out, n); k<<<1, 32>>>(in, n); "
          "k<<<1, 32>>>((char *)in, 1); }\nk<half2, 4><<<1, 32>>>(x, 1);",
          4, 16, 8, 2, 16);
    WORDS(
        "template <int N> __global__ void k() { __shared__ int s[64]; s[N] = 1; }\n"
        "int main() { int threads = 64; switch (threads) { case 32: k<1><<<1, 32>>>(); break; case "
        "64: k<2><<<1, 32>>>(); break; default: k<3><<<1, 32>>>(); } switch (threads + 1) { case "
        "1: "
        "k<4><<<1, 32>>>(); default: k<5><<<1, 32>>>(); } }",
        0, 2, 5);
    WORDS("template <int N> struct C { static constexpr int threads = N; static constexpr int "
          "bytes() "
          "{ return N * 8; } };\n__global__ void k() { extern __shared__ int s[]; s[threadIdx.x * "
          "2] = "
          "1; }\nint main() { using T = C<16>; const int n = std::max(8, T::threads); k<<<1, n, "
          "T::bytes()>>>(); k<<<std::min(1, 2), C<4>::threads, sizeof(C<4>) + 64>>>(); }",
          3, 6, 6);
    expect_error("__global__ void k(int n) { __shared__ int s[64]; s[n] = 1; }\nvoid run(int n) { "
                 "k<<<1, 32>>>(n); }",
                 "the value comes from kernel argument 'n'");
}
END_TEST

START_TEST(test_library_functions)
{
    WORDS(HEAD
          "int *a = s, *b = s + 64; std::swap(a, b); a[t] = 1; int x = 3, y = 4; std::swap(x, y); "
          "s[x * 10 + y] = 1; s[t] = t; s[t + 32] = 100 + t; std::swap(s[t], s[t + 32]); "
          "s[s[t]] = 1;",
          2, 66, 43, 2, 34, 2, 34, 2, 34, 2, 102);
    WORDS(HEAD
          "s[std::numeric_limits<unsigned char>::max()] = 1; s[std::numeric_limits<int>::min() + "
          "2147483647 + 2] = 1; s[std::numeric_limits<int8_t>::lowest() + 130] = 1; "
          "s[-std::numeric_limits<float>::infinity() < std::numeric_limits<float>::lowest()] = 1; "
          "s[std::numeric_limits<double>::epsilon() < std::numeric_limits<float>::epsilon()] = 1;",
          0, 255, 1, 2, 1, 1);
    WORDS(HEAD "typedef float Row[33]; __shared__ Row r[32]; r[t][1] = 1; float (&q)[4][8] = "
               "*reinterpret_cast<float (*)[4][8]>(s); q[1][t % 8] = 2;",
          3, 1024 + 100, 11);
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

static bool count_request(void *context, const bw_origin *origin, const bw_request *request,
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
    bw_source source = {"t.pat", text, strlen(text)};
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
    tcase_add_test(tc, test_warp_functions);
    tcase_add_test(tc, test_memory);
    tcase_add_test(tc, test_grid);
    tcase_add_test(tc, test_options);
    tcase_add_test(tc, test_again);
    tcase_add_test(tc, test_struct_copies);
    tcase_add_test(tc, test_structs_with_functions);
    tcase_add_test(tc, test_templates_of_structs);
    tcase_add_test(tc, test_lambdas);
    tcase_add_test(tc, test_ranges);
    tcase_add_test(tc, test_active_lanes);
    tcase_add_test(tc, test_group_copies);
    tcase_add_test(tc, test_launch_arguments);
    tcase_add_test(tc, test_library_functions);
    tcase_add_test(tc, test_expectation_lines);
    return tap_run(tc);
}
