/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arguments: from words to the bytes of the parameter block.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "argument.h"
#include "tap.h"

#define ADDRESS UINT64_C(0x700000000000)

static uint64_t address(uint32_t index)
{
    return ADDRESS + ((uint64_t)index << 32);
}

/* A laid-out block and what was said. */
typedef struct laid {
    bw_arena arena;
    bw_diags diags;
    bw_arguments to;
    bool good;
} laid;

/* `words` are "TARGET=VALUE", ended by NULL. */
static void lay(laid *l, const char *name, const char *const *words)
{
    static const bw_addresses addresses = {address, 4, NULL, NULL};
    bw_argument given[16];
    size_t count = 0;
    *l = (laid){.good = false};
    for (; words[count]; count++) {
        const char *equals = strchr(words[count], '=');
        given[count] = (bw_argument){
            bw_arena_copy(&l->arena, words[count], (size_t)(equals - words[count])), equals + 1, 0};
    }
    bw_signature s = bw_signature_of(&l->arena, name);
    l->good = bw_arguments_place(&l->to, &l->arena, &s, given, count, NULL, &addresses, &l->diags);
    ck_assert(l->good == (l->diags.errors == 0));
}

static void done(laid *l)
{
    bw_diags_finish(&l->diags);
    bw_arena_finish(&l->arena);
}

static uint64_t word(const laid *l, uint32_t offset, uint32_t size)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++)
        ck_assert(l->to.known[offset + i]);
    memcpy(&value, l->to.bytes + offset, size);
    return value;
}

/* The words of one layout, ended by NULL. */
#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__ __VA_OPT__(, ) NULL                                                            \
    }

START_TEST(test_layout)
{
    laid l;
    lay(&l, "k(char, float *, int, double, float)",
        WORDS("0=-1", "2=0x10", "3=2", "4=1.5", "1=ptr"));
    ck_assert(l.good);
    ck_assert_uint_eq(word(&l, 0, 1), 0xff);
    ck_assert(!l.to.known[1]); /* padding */
    ck_assert_uint_eq(word(&l, 8, 8), address(0));
    ck_assert_uint_eq(word(&l, 16, 4), 16);
    ck_assert_uint_eq(word(&l, 24, 8), 0x4000000000000000);
    ck_assert_uint_eq(word(&l, 32, 4), 0x3fc00000);
    ck_assert_uint_eq(l.to.size, 36);
    done(&l);
}
END_TEST

/* Pointers need not be given; other parameters stay unknown, and are asked for by position. */
START_TEST(test_not_given)
{
    laid l;
    lay(&l, "k(float *, int, float *, long)", WORDS());
    ck_assert(l.good);
    ck_assert_uint_eq(word(&l, 0, 8), address(0));
    ck_assert_uint_eq(word(&l, 16, 8), address(1));
    ck_assert(!l.to.known[8] && !l.to.known[24]);
    ck_assert_str_eq(bw_argument_flag(&l.arena, &l.to, 8), "--arg 1=VALUE (int)");
    ck_assert_str_eq(bw_argument_flag(&l.arena, &l.to, 28), "--arg 3=VALUE (long)");
    ck_assert_str_eq(bw_argument_flag(&l.arena, &l.to, 40), "--arg @40=VALUE");
    ck_assert_str_eq(bw_pointer_name(&l.arena, &l.to, 1), "2");
    done(&l);
}
END_TEST

START_TEST(test_structs)
{
    laid l;
    lay(&l, "k(S, int, float4)", WORDS("0=u8:1,ptr,7,ptr", "1=5", "2=1.0,2.0,3.0,4.0"));
    ck_assert(l.good);
    ck_assert_uint_eq(word(&l, 0, 1), 1);
    ck_assert_uint_eq(word(&l, 8, 8), address(0));
    ck_assert_uint_eq(word(&l, 16, 4), 7);
    ck_assert_uint_eq(word(&l, 24, 8), address(1));
    ck_assert_uint_eq(word(&l, 32, 4), 5);
    ck_assert_uint_eq(word(&l, 60, 4), 0x40800000); /* the float4 at 48 */
    ck_assert_str_eq(bw_pointer_name(&l.arena, &l.to, 1), "0.1");
    done(&l);
    lay(&l, "k(S, int)", WORDS("0=bytes:0a0B0c", "1=9"));
    ck_assert(l.good);
    ck_assert_uint_eq(word(&l, 0, 3), 0x0c0b0a);
    ck_assert_uint_eq(word(&l, 4, 4), 9);
    done(&l);
}
END_TEST

/* Without a signature: types as written, from the first argument on. */
START_TEST(test_no_signature)
{
    laid l;
    lay(&l, "matmul_kernel",
        WORDS("0=ptr", "1=4096", "2=5000000000", "3=1.5", "4=true", "@100=i16:-2", "5=null"));
    ck_assert(l.good);
    ck_assert_uint_eq(word(&l, 8, 4), 4096);
    ck_assert_uint_eq(word(&l, 16, 8), UINT64_C(5000000000));
    ck_assert_uint_eq(word(&l, 24, 4), 0x3fc00000);
    ck_assert_uint_eq(word(&l, 28, 1), 1);
    ck_assert_uint_eq(word(&l, 32, 8), 0);
    ck_assert_uint_eq(word(&l, 100, 2), 0xfffe);
    ck_assert_uint_eq(l.to.pointer_count, 1);
    done(&l);
}
END_TEST

START_TEST(test_refused)
{
    static const struct {
        const char *name, *word, *says, *note;
    } rows[] = {
        {"k(int)", "0=", "this is no value", "TYPE:NUMBER"},
        {"k(int)", "0=x", "this is no value", "TYPE:NUMBER"},
        {"k(int)", "0=5000000000", "does not fit", "i64:"},
        {"k(unsigned int)", "0=-1", "does not fit", "i64:"},
        {"k(int)", "0=1.5", "this is no value", "write a number"},
        {"k(int)", "0=ptr", "8 bytes for a parameter of 4 (int)", "parameter's type"},
        {"k(int)", "1=5", "no such parameter", "1 parameter"},
        {"k(int, int)", "7=5", "no such parameter", "2 parameters"},
        {"k(int)", "n=5", "no parameter of this name", "position"},
        {"k(int)", "0=f16:1", "no such type", "f32"},
        {"k(float)", "0=1.5x", "no number", "1.5"},
        {"k(__half)", "0=1", "2 bytes", "bytes:003c"},
        {"k(S)", "0=bytes:0", "no bytes", "two hexadecimal"},
        {"k(S)", "0=bytes:0g", "no bytes", "two hexadecimal"},
        {"k(S)", "0=1,,2", "this is no value", "write a number"},
        {"k(S, int)", "1=5", "place is not known", "--arg 0=VALUE (S)"},
        {"plain", "2=5", "place is not known", "--arg 0=VALUE"},
        {"plain", "@=5", "no such place", "@24"},
        {"plain", "@40000=5", "no such place", "@24"},
        {"plain", "0=ptr,ptr,ptr,ptr,ptr", "too many pointers", "unknown"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        laid l;
        lay(&l, rows[i].name, WORDS(rows[i].word));
        ck_assert_msg(!l.good, "%s %s", rows[i].name, rows[i].word);
        ck_assert_msg(strstr(l.diags.items[0].message, rows[i].says), "%s",
                      l.diags.items[0].message);
        ck_assert_msg(strstr(l.diags.items[0].note, rows[i].note), "%s", l.diags.items[0].note);
        done(&l);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("argument");
    tcase_add_test(tc, test_layout);
    tcase_add_test(tc, test_not_given);
    tcase_add_test(tc, test_structs);
    tcase_add_test(tc, test_no_signature);
    tcase_add_test(tc, test_refused);
    return tap_run(tc);
}
