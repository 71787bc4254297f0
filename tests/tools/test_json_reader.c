/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is read of JSON, and what is refused at which byte. */
#include <check.h>
#include <string.h>

#include "json.h"
#include "../common/tap.h"

static const bw_json *read(bw_arena *arena, const char *text, size_t *at)
{
    return bw_json_read(arena, text, strlen(text), at);
}

START_TEST(values)
{
    bw_arena arena = {NULL};
    size_t at;
    const bw_json *v =
        read(&arena, " {\"a\" : [1, -2.5e1, \"x\\ty\"], \"b\":{\"c\":null}, \"d\":true}\n", &at);
    ck_assert_ptr_nonnull(v);
    const bw_json *list = bw_json_member(v, "a");
    ck_assert_int_eq(list->kind, BW_JSON_ARRAY);
    ck_assert_double_eq(list->first->number, 1);
    ck_assert_double_eq(list->first->next->number, -25);
    ck_assert_str_eq(list->first->next->next->text, "x\ty");
    ck_assert_ptr_null(list->first->next->next->next);
    ck_assert_int_eq(bw_json_member(bw_json_member(v, "b"), "c")->kind, BW_JSON_NULL);
    ck_assert_int_eq(bw_json_member(v, "d")->kind, BW_JSON_TRUE);
    ck_assert_ptr_null(bw_json_member(v, "e"));
    ck_assert_ptr_null(bw_json_member(list, "a"));
    ck_assert_ptr_null(bw_json_text(v, "a"));
    ck_assert_ptr_null(bw_json_text(NULL, "a"));
    bw_arena_finish(&arena);
}
END_TEST

START_TEST(texts)
{
    static const struct {
        const char *json, *text; /* NULL: refused */
    } cases[] = {
        {"\"\"", ""},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e4\\u20AC\"", "A\xc3\xa4\xe2\x82\xac"},
        {"\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"},
        {"\"\xc3\xa4\"", "\xc3\xa4"},
        {"\"\\u0000\"", NULL}, /* names would end at it */
        {"\"\\ud83d\"", NULL},
        {"\"\\ud83dx\"", NULL},
        {"\"\\ude00\"", NULL},
        {"\"\\u12\"", NULL},
        {"\"\\x\"", NULL},
        {"\"a\nb\"", NULL},
        {"\"a", NULL},
        {"\"a\\\"", NULL},
        {"\"\\", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bw_arena arena = {NULL};
        size_t at;
        const bw_json *v = read(&arena, cases[i].json, &at);
        ck_assert_msg((v != NULL) == (cases[i].text != NULL), "%s", cases[i].json);
        if (v)
            ck_assert_str_eq(v->text, cases[i].text);
        bw_arena_finish(&arena);
    }
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *json;
        size_t at;
    } cases[] = {{"", 0},      {"  ", 2},   {"[1,]", 3},       {"[1 2]", 3},    {"{\"a\"}", 4},
                 {"{a:1}", 1}, {"[1]]", 3}, {"nul", 0},        {"{\"a\":}", 5}, {"[\"a\"", 4},
                 {"1.2.3", 3}, {"+1", 0},   {"{\"a\":1,}", 7}, {"tru", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bw_arena arena = {NULL};
        size_t at = 99;
        ck_assert_msg(!read(&arena, cases[i].json, &at), "%s", cases[i].json);
        ck_assert_msg(at == cases[i].at, "%s: at %zu", cases[i].json, at);
        bw_arena_finish(&arena);
    }
}
END_TEST

START_TEST(nesting)
{
    for (size_t depth = BW_JSON_DEPTH - 1; depth < BW_JSON_DEPTH + 2; depth++) {
        bw_arena arena = {NULL};
        char text[2 * BW_JSON_DEPTH + 16];
        size_t at;
        memset(text, '[', depth);
        text[depth] = '1';
        memset(text + depth + 1, ']', depth);
        ck_assert_int_eq(bw_json_read(&arena, text, 2 * depth + 1, &at) != NULL,
                         depth <= BW_JSON_DEPTH);
        bw_arena_finish(&arena);
    }
}
END_TEST

/* Every prefix and every single changed byte: no crash (the sanitizers look), and no success of a
 * prefix. */
START_TEST(damage)
{
    static const char text[] = "[{\"directory\":\"/b\",\"command\":\"nvcc \\\"-DX=1\\\" a.cu\","
                               "\"file\":\"\\u00e4.cu\",\"n\":[1.5,null,true]}]";
    char copy[sizeof text];
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        bw_arena arena = {NULL};
        size_t at;
        char *cut = bw_arena_copy(&arena, text, i);
        ck_assert_ptr_null(bw_json_read(&arena, cut, i, &at));
        for (int byte = 0; byte < 256; byte += 5) {
            memcpy(copy, text, sizeof text);
            copy[i] = (char)byte;
            bw_json_read(&arena, copy, sizeof text - 1, &at);
            ck_assert_uint_le(at, sizeof text - 1);
        }
        bw_arena_finish(&arena);
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("json");
    tcase_add_test(tests, values);
    tcase_add_test(tests, texts);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, nesting);
    tcase_add_test(tests, damage);
    return tap_run(tests);
}
