/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What cubins say of their kernels: those of nvcc 13.0 for five architectures (params.cu beside
 * them), and that bytes cut or changed at random are refused or read, and never read past.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "tap.h"

static const char *recorded;
static const char *const archs[] = {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"};
#define ARCHS (sizeof archs / sizeof *archs)

/* The bytes in memory of exactly their size, so that a checker sees what reads past them. */
static bw_source read_file(const char *name)
{
    char path[4096];
    bw_source source = {.name = name};
    snprintf(path, sizeof path, "%s/nvcc-13.0/cubin/%s.cubin", recorded, name);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    fseek(file, 0, SEEK_END);
    source.len = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(source.len);
    ck_assert_uint_eq(fread(bytes, 1, source.len, file), source.len);
    fclose(file);
    source.text = bytes;
    return source;
}

static bw_source read_recorded(const char *arch)
{
    char name[64];
    snprintf(name, sizeof name, "params.%s", arch);
    bw_source source = read_file(name);
    source.name = arch;
    return source;
}

static void finish(bw_source *source)
{
    free((void *)(uintptr_t)source->text);
}

START_TEST(test_kernel)
{
    bw_source source = read_recorded(archs[_i]);
    bw_diags diags = {0};
    bw_cubin *cubin = bw_cubin_read(&source, &diags);
    ck_assert_ptr_nonnull(cubin);
    ck_assert_str_eq(cubin->arch, archs[_i]);
    ck_assert_uint_eq(cubin->count, 2);
    const bw_cubin_kernel *k = bw_cubin_find(cubin, "_Z6paramsPfs1Sci");
    ck_assert_ptr_nonnull(k);
    /* float *, short, a struct of 24 bytes, char, int: aligned as C++ does. */
    static const bw_cubin_param params[] = {{0, 8}, {8, 2}, {16, 24}, {40, 1}, {44, 4}};
    ck_assert_uint_eq(k->param_count, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_uint_eq(k->params[i].offset, params[i].offset);
        ck_assert_uint_eq(k->params[i].size, params[i].size);
    }
    ck_assert_uint_eq(k->param_bytes, 48);
    ck_assert_uint_eq(k->shared_static, 400);
    ck_assert_uint_eq(k->shared_reserved, _i >= 2 ? 1024 : 0);
    ck_assert_uint_ge(k->registers, 8);
    ck_assert_uint_le(k->registers, 255);
    bw_cubin_destroy(cubin);
    bw_diags_finish(&diags);
    finish(&source);
}
END_TEST

/* The constant array of the module, and the kernel's jump table of five addresses and more. */
/* What nvcc -G keeps: arrays in the order of their places, after the reserved bytes. */
START_TEST(test_arrays)
{
    static const struct {
        const char *name;
        uint32_t base, bytes;
    } wanted[] = {{"_ZZ4tilePfPKfE4pair", 0, 128},
                  {"_ZN2ns7outsideE", 0x80, 32},
                  {"_ZZ4tilePfPKfE4rows", 0xa0, 4224}};
    bw_source source = read_file("shared-G.sm_90");
    bw_diags diags = {0};
    bw_cubin *cubin = bw_cubin_read(&source, &diags);
    ck_assert_ptr_nonnull(cubin);
    const bw_cubin_kernel *k = bw_cubin_find(cubin, "_Z4tilePfPKf");
    ck_assert_ptr_nonnull(k);
    ck_assert_uint_eq(k->array_count, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(k->arrays[i].name, wanted[i].name);
        ck_assert_uint_eq(k->arrays[i].base, wanted[i].base);
        ck_assert_uint_eq(k->arrays[i].bytes, wanted[i].bytes);
    }
    bw_cubin_destroy(cubin);
    bw_diags_finish(&diags);
    finish(&source);
}
END_TEST

/* Where a cubin ends, whatever follows it; one that is cut has no size, but for zeros at its end.
 */
START_TEST(test_size)
{
    bw_source source = read_recorded(archs[_i]);
    char *more = malloc(source.len + 100);
    memcpy(more, source.text, source.len);
    memset(more + source.len, 1, 100);
    size_t size = bw_cubin_size(more, source.len + 100);
    ck_assert_uint_eq(size, source.len);
    ck_assert_uint_eq(bw_cubin_size(more, size - 1), size);
    for (size_t cut = 0; cut + BW_CUBIN_MISSING < size; cut += 61)
        ck_assert_uint_eq(bw_cubin_size(more, cut), 0);
    free(more);
    finish(&source);
}
END_TEST

START_TEST(test_banks)
{
    bw_source source = read_recorded(archs[_i]);
    bw_diags diags = {0};
    bw_cubin *cubin = bw_cubin_read(&source, &diags);
    const bw_cubin_kernel *k = bw_cubin_find(cubin, "_Z6paramsPfs1Sci");
    unsigned arrays = 0, tables = 0;
    for (uint32_t i = 0; i < k->bank_count; i++) {
        const bw_machine_bank *bank = &k->banks[i];
        static const int values[] = {1, 2, 3, 4};
        arrays += bank->bank == 3 && bank->size == 16 && memcmp(bank->bytes, values, 16) == 0;
        tables += bank->bank == 2 && bank->size >= 20;
    }
    ck_assert_uint_eq(arrays, 1);
    ck_assert_uint_eq(tables, 1);
    ck_assert_ptr_null(bw_cubin_find(cubin, "_Z6params"));
    ck_assert_uint_eq(bw_cubin_find(cubin, "_Z4nonev")->param_count, 0);
    ck_assert_uint_eq(bw_cubin_find(cubin, "_Z4nonev")->shared_static, 0);
    bw_cubin_destroy(cubin);
    bw_diags_finish(&diags);
    finish(&source);
}
END_TEST

START_TEST(test_no_cubin)
{
    bw_source source = {"text", "__global__ void k() {}", 22, NULL};
    bw_diags diags = {0};
    ck_assert(!bw_is_cubin(source.text, source.len));
    ck_assert(!bw_is_cubin("\177ELF", 4));
    ck_assert_ptr_null(bw_cubin_read(&source, &diags));
    ck_assert_uint_eq(diags.errors, 1);
    bw_diags_finish(&diags);
}
END_TEST

static void read_changed(const char *bytes, size_t len)
{
    char *copy = malloc(len ? len : 1);
    memcpy(copy, bytes, len);
    bw_source source = {"changed", copy, len, NULL};
    bw_diags diags = {0};
    bw_cubin *cubin = bw_cubin_read(&source, &diags);
    ck_assert((cubin == NULL) == (diags.errors > 0));
    for (size_t i = 0; cubin && i < cubin->count; i++) {
        const bw_cubin_kernel *k = &cubin->kernels[i];
        volatile size_t sum = strlen(k->name);
        for (uint32_t b = 0; b < k->bank_count; b++)
            sum += k->banks[b].bytes[k->banks[b].size - 1];
        (void)sum;
    }
    bw_cubin_destroy(cubin);
    bw_diags_finish(&diags);
    free(copy);
}

START_TEST(test_cut)
{
    bw_source source = read_recorded(archs[_i]);
    for (size_t len = 0; len < source.len; len += len < 128 ? 1 : 61)
        read_changed(source.text, len);
    finish(&source);
}
END_TEST

START_TEST(test_changed)
{
    bw_source source = read_recorded(archs[_i]);
    char *copy = malloc(source.len);
    uint32_t state = 20261130u + (uint32_t)_i;
    for (int round = 0; round < 4000; round++) {
        memcpy(copy, source.text, source.len);
        for (int n = 0; n < 1 + round % 8; n++) {
            state = state * 1664525u + 1013904223u; /* Numerical Recipes, 7.1 */
            size_t at = round % 3
                            ? (state >> 8) % source.len
                            : source.len - 1 - (state >> 8) % 2048; /* the table of sections */
            copy[at] = (char)(state >> 24);
        }
        read_changed(copy, source.len);
    }
    free(copy);
    finish(&source);
}
END_TEST

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    recorded = argv[1];
    TCase *cases = tcase_create("cubin");
    tcase_set_timeout(cases, 0);
    tcase_add_loop_test(cases, test_kernel, 0, ARCHS);
    tcase_add_loop_test(cases, test_size, 0, ARCHS);
    tcase_add_test(cases, test_arrays);
    tcase_add_loop_test(cases, test_banks, 0, ARCHS);
    tcase_add_test(cases, test_no_cubin);
    tcase_add_loop_test(cases, test_cut, 0, ARCHS);
    tcase_add_loop_test(cases, test_changed, 0, ARCHS);
    return tap_run(cases);
}
