/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * C++ beyond the language, seen through addresses: classes, templates of them, lambdas, library
 * functions, and what host code says of launches.
 */
#include "../../common/tap.h"

#include "run.h"

/* constexpr functions are computed while the text is read. */
START_TEST(test_constants)
{
    WORDS("constexpr int log2i(int n) { return n <= 1 ? 0 : 1 + log2i(n / 2); }\n"
          "constexpr int sum(int n) { int r = 0; for (int i = 1; i <= n; ++i) { if (i == 3) "
          "continue; r += i; } "
          "return r; }\n__shared__ int s[log2i(1024) * 100]; s[sum(5)] = 1;",
          0, 12);
    WORDS("struct S { static constexpr int K = 3; float x; };\n" HEAD "s[sizeof(S) + S::K] = 1;", 0,
          7);
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

/* Functions of one name, each declared and defined, in any order. */
START_TEST(test_prototypes_of_several)
{
    WORDS("__device__ int f(int x);\n__device__ int f(int x, int y) { return 10 * x + y; }\n"
          "__device__ int f(int x) { return x + 1; }\n__device__ int f(int, int);\n" HEAD
          "s[f(4)] = 1; s[f(4, 5)] = 1;",
          0, 5, 45);
    WORDS("template <typename T> __device__ int f(T x, long long y);\n__device__ int f(int x);\n"
          "template <typename U> __device__ int f(U, long long b) { return sizeof(U) + b; }\n"
          "__device__ int f(int x) { return 2 * x; }\n"
          "template <typename T> __device__ int f(T y, long long);\n__device__ int f(int);\n" HEAD
          "s[f(0, 5ll)] = 1; s[f(8)] = 1;",
          0, 9, 16);
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
/* References to values, variables and arrays. */
START_TEST(test_references)
{
    WORDS("__device__ int f(const float &x) { return (int)(x * 2); }\n" HEAD
          "int a = 5; s[f(a)] = 1;",
          0, 10);
    WORDS(HEAD "typedef float Row[33]; __shared__ Row r[32]; r[t][1] = 1; float (&q)[4][8] = "
               "*reinterpret_cast<float (*)[4][8]>(s); q[1][t % 8] = 2;",
          3, 1024 + 100, 11);
    WORDS(HEAD "auto x = 3; decltype(x) y = x + t; auto *p = s; p[y] = 1; using Pair = int2; "
               "s[sizeof(Pair)] = 1;\n",
          2, 5, 8);
    WORDS("namespace a { namespace b { __device__ int f() noexcept { return 6; } } }\n" HEAD
          "s[a::b::f()] = 1;",
          0, 6);
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

/* A name that is declared nowhere stands for a pointer, and for nothing else. */
START_TEST(test_unknown_arguments)
{
    expect_error(
        "__global__ void k(float *p, int n) { __shared__ int s[32]; s[threadIdx.x] = n; }\n"
        "k<<<1, 32>>>(p, unknown);\n",
        ":2:17: error: unknown identifier 'unknown'");
    expect_error(
        "__global__ void k(float *p, int n) { __shared__ int s[32]; s[threadIdx.x] = n; }\n"
        "k<<<1, 32>>>(p, p);\n",
        ":2:17: error: unknown identifier 'p'");
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
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("cxx");
    tcase_add_test(tc, test_constants);
    tcase_add_test(tc, test_structs_with_functions);
    tcase_add_test(tc, test_prototypes_of_several);
    tcase_add_test(tc, test_templates_of_structs);
    tcase_add_test(tc, test_references);
    tcase_add_test(tc, test_ranges);
    tcase_add_test(tc, test_lambdas);
    tcase_add_test(tc, test_group_copies);
    tcase_add_test(tc, test_launch_arguments);
    tcase_add_test(tc, test_unknown_arguments);
    tcase_add_test(tc, test_library_functions);
    return tap_run(tc);
}
