/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signatures: what a kernel's name tells of its parameters, mangled or as people read it.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "signature.h"
#include "tap.h"

/* A name, what it is called, and its parameters as "type:size:align" with kinds as letters:
 * pointer, signed, unsigned, real, other. Mangled ones as GCC 12 made them. */
static const struct row {
    const char *name, *called, *params;
} rows[] = {
    {"_Z10m01_windowPfPKf", "m01_window", "p8:8 float *|p8:8 const float *"},
    {"_Z15m04_common_loadPfi", "m04_common_load", "p8:8 float *|s4:4 int"},
    {"_Z7nothingv", "nothing", ""},
    {"_ZN12_GLOBAL__N_14anonENS_1PEPKS0_S0_i", "anon",
     "o0:0 (anonymous namespace)::P|p8:8 const (anonymous namespace)::P *|"
     "o0:0 (anonymous namespace)::P|s4:4 int"},
    {"_ZN1a1b1fI6float4Li5EEEvPT_PKS3_NS_1SIS3_XT0_EEENS7_IS4_XT0_EEEi", "f",
     "p8:8 float4 *|p8:8 const float4 *|o0:0 a::S<float4, 5>|o0:0 a::S<float4 *, 5>|s4:4 int"},
    {"_ZN1a1gIJEEEviDpT_", "g", "s4:4 int"},
    {"_ZN1a1gIJiPfdEEEviDpT_", "g", "s4:4 int|s4:4 int|p8:8 float *|r8:8 double"},
    {"_ZN1a1hIJiNS_1EEEEEvDpPT_DpRKS2_", "h",
     "p8:8 int *|p8:8 a::E *|p8:8 const int &|p8:8 const a::E &"},
    {"_ZN1a1tILNS_1EE0ELb1ELj7EEEvS1_6float46__halfPS3_y", "t",
     "o0:0 a::E|o16:16 float4|r2:2 __half|p8:8 __half *|u8:8 unsigned long long"},
    {"_ZN1a2fpEPFvifEPA3_iPKPKcPVicahbl6float4", "fp",
     "p8:8 (*)() *|p8:8 int [3] *|p8:8 const char *const *|p8:8 volatile int *|s1:1 char|"
     "s1:1 signed char|u1:1 unsigned char|u1:1 bool|s8:8 long|o16:16 float4"},
    {"_ZN1a2ttINS_1SEiEEvT_IT0_Li3EEPS2_IS3_Li4EES3_", "tt",
     "o0:0 a::S<int, 3>|p8:8 a::S<int, 4> *|s4:4 int"},
    {"_ZN1a3lamIZNS_4userEvEUliE_EEvT_iPS2_", "lam",
     "o0:0 a::user::{lambda}|s4:4 int|p8:8 a::user::{lambda} *"},
    {"m01_window(float *, const float *)", "m01_window", "p8:8 float *|p8:8 const float *"},
    {"void ns::f<(int)32, float>(T2 *, const T2 *, T2, unsigned int)", "f",
     "p8:8 T2 *|p8:8 const T2 *|r4:4 float|u4:4 unsigned int"},
    {"k(int3, double4, uchar2, void (*)(int), dim3, const unsigned long)", "k",
     "o12:4 int3|o32:16 double4|o2:2 uchar2|p8:8 void (*)(int)|o12:4 dim3|"
     "u8:8 const unsigned long"},
    {"k(void)", "k", ""},
    {"(anonymous namespace)::k<a<1, 2>>(a<1, 2>, int)", "k", "o0:0 a<1, 2>|s4:4 int"},
};

static const char *shown(bw_arena *arena, const bw_signature *s)
{
    static const char kinds[] = "opsur";
    const char *text = "";
    for (size_t i = 0; i < s->count; i++)
        text =
            bw_arena_format(arena, "%s%s%c%u:%u %s", text, i ? "|" : "", kinds[s->params[i].kind],
                            s->params[i].size, s->params[i].align, s->params[i].type);
    return text;
}

START_TEST(test_names)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bw_arena arena = {NULL};
        bw_signature s = bw_signature_of(&arena, rows[i].name);
        ck_assert_msg(s.known, "%s", rows[i].name);
        ck_assert_str_eq(s.name, rows[i].called);
        ck_assert_str_eq(shown(&arena, &s), rows[i].params);
        bw_arena_finish(&arena);
    }
}
END_TEST

START_TEST(test_unknown)
{
    static const char *const names[] = {"plain", "matmul_kernel_0d1d2d", "_Z",
                                        "_Z3fo", "_Z1fDTcl1gEE",         "_Z1fS5_",
                                        "_ZN",   "_Z1fIXadL_Z1gvEEEvv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bw_arena arena = {NULL};
        bw_signature s = bw_signature_of(&arena, names[i]);
        ck_assert_msg(!s.known, "%s", names[i]);
        ck_assert_uint_eq(s.count, 0);
        ck_assert_ptr_nonnull(s.name);
        bw_arena_finish(&arena);
    }
}
END_TEST

/* Each letter doubles the text: it is refused, not written out. */
START_TEST(test_growth)
{
    char name[1024] = "_Z1fI";
    for (int i = 0; i < 60; i++)
        strcat(name, i ? "1aIS_S_E" : "1aIiiE");
    bw_arena arena = {NULL};
    bw_signature s = bw_signature_of(&arena, name);
    ck_assert(!s.known);
    bw_arena_finish(&arena);
}
END_TEST

/* Names cut and changed: any answer, no crash. */
START_TEST(test_damaged)
{
    uint32_t state = 1;
    for (unsigned k = 0; k < 20000; k++) {
        char name[256];
        const char *from = rows[k % (sizeof rows / sizeof *rows)].name;
        size_t len = strlen(from);
        memcpy(name, from, len + 1);
        for (unsigned edits = 1 + k % 3; edits; edits--) {
            state = state * 1664525 + 1013904223;
            name[2 + (state >> 8) % (len - 2)] = "NSTEPKIJLDdpvi_019ZXFARU()<>, *"[state >> 27];
        }
        if (k % 5 == 0)
            name[2 + state % (len - 2)] = '\0';
        bw_arena arena = {NULL};
        bw_signature s = bw_signature_of(&arena, name);
        ck_assert(s.known || s.count == 0);
        bw_arena_finish(&arena);
    }
}
END_TEST

/* ---- names, from the source ---- */

/* A kernel's name, a source, and its parameters' names; "-" is none. */
static const struct {
    const char *name, *source, *names;
} sources[] = {
    {"_Z15m04_common_loadPfi", "__global__ void m04_common_load(float *out, int n) { }", "out n"},
    {"_Z15m04_common_loadPfi",
     "// __global__ void m04_common_load(float *no, int not)\n/* __global__ m04_common_load(int "
     "a,\n"
     "int b) */ const char *s = \"__global__ m04_common_load(a, b)\";\n"
     "template <int N = 3> __global__ __launch_bounds__(128, 2) void\n"
     "m04_common_load(float *__restrict__ out /* where to */,\n  const int n = f(1, 2)) { }",
     "out n"},
    {"_Z1kPA3_iPFvifE4pairIifES3_",
     "struct k { k(int); }; __global__ void k(int (*rows)[3], void (*f)(int, float), pair<int, "
     "float> "
     "p, pair<int, float>);",
     "rows f p -"},
    {"_Z15m04_common_loadPfi", "void m04_common_load(float *out, int n);", "- -"},
    {"_Z15m04_common_loadPfi", "__global__ void m04_common_load(float *out, int n, int m);", "- -"},
    {"_Z15m04_common_loadPfi",
     "__global__ void m04_common_load(float *a, int n);\n"
     "__global__ void m04_common_load(double *b, int n);",
     "- -"},
    {"_Z15m04_common_loadPfi", "__global__ void m04_common_load(float *out, int", "- -"},
    {"_Z1kv", "__global__ void k(void) { }", ""},
};

START_TEST(test_parameters)
{
    bw_arena arena = {0};
    bw_signature s = bw_signature_of(&arena, sources[_i].name);
    bw_signature_take_names(&s, &arena, sources[_i].source, strlen(sources[_i].source));
    const char *found = "";
    for (size_t k = 0; k < s.count; k++)
        found = bw_arena_format(&arena, "%s%s%s", found, k ? " " : "",
                                s.params[k].name ? s.params[k].name : "-");
    ck_assert_str_eq(found, sources[_i].names);
    bw_arena_finish(&arena);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("signature");
    tcase_add_test(tc, test_names);
    tcase_add_test(tc, test_unknown);
    tcase_add_test(tc, test_growth);
    tcase_add_test(tc, test_damaged);
    tcase_add_loop_test(tc, test_parameters, 0, sizeof sources / sizeof *sources);
    return tap_run(tc);
}
