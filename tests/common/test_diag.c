/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics: order, repetition, carets, limits. Expected texts are whole outputs. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "tap.h"

static char *print(bw_diags *diags, bool colour)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    ck_assert_ptr_nonnull(out);
    bw_diags_show(diags, out, colour);
    fclose(out);
    return text;
}

static void expect_print(bw_diags *diags, const char *expected)
{
    char *text = print(diags, false);
    ck_assert_str_eq(text, expected);
    free(text);
    bw_diags_finish(diags);
}

static bw_source source_of(const char *text)
{
    return (bw_source){.name = "a.pat", .text = text, .len = strlen(text)};
}

static bw_span span_of(const bw_source *source, const char *what)
{
    const char *at = strstr(source->text, what);
    ck_assert_ptr_nonnull(at);
    return (bw_span){(uint32_t)(at - source->text), (uint32_t)strlen(what)};
}

START_TEST(test_one)
{
    bw_source source = source_of("int a;\ntile[32] = 0;\n");
    bw_diags diags = {0};
    bw_diagnostic *d = bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source,
                                   span_of(&source, "tile[32]"), "index %d", 32);
    bw_note(&diags, d, "the last index is %d\nor resize the array", 31);
    ck_assert_uint_eq(diags.errors, 1);
    expect_print(&diags, "a.pat:2:1: error: index 32 [cannot-read]\n"
                         "     2 | tile[32] = 0;\n"
                         "       | ^~~~~~~~\n"
                         "note: the last index is 31\n"
                         "      or resize the array\n");
}
END_TEST

START_TEST(test_warning_names_its_flag)
{
    bw_source source = source_of("x");
    bw_diags diags = {0};
    bw_diagnose(&diags, BW_MSG_PAD_STRIDE, &source, (bw_span){0, 1}, "a stride");
    ck_assert_uint_eq(diags.errors, 0);
    expect_print(&diags, "a.pat:1:1: warning: a stride [-Wpad-stride]\n"
                         "     1 | x\n"
                         "       | ^\n");
}
END_TEST

START_TEST(test_error_names_its_message)
{
    bw_diags diags = {0};
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, NULL, (bw_span){0, 0}, "no %s", "file");
    ck_assert_uint_eq(diags.errors, 1);
    expect_print(&diags, "bankwise: error: no file [cannot-read]\n");
}
END_TEST

START_TEST(test_second_place)
{
    bw_source source = source_of("int n = data[0];\ns[n] = 1;\n");
    bw_diags diags = {0};
    bw_diagnostic *d =
        bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source, span_of(&source, "s[n]"), "unknown index");
    bw_also(&diags, d, &source, span_of(&source, "data[0]"), "it comes from here");
    bw_note(&diags, d, "say what data holds");
    expect_print(&diags, "a.pat:2:1: error: unknown index [cannot-read]\n"
                         "     2 | s[n] = 1;\n"
                         "       | ^~~~\n"
                         "a.pat:1:9: note: it comes from here\n"
                         "     1 | int n = data[0];\n"
                         "       |         ^~~~~~~\n"
                         "note: say what data holds\n");
}
END_TEST

START_TEST(test_no_place)
{
    bw_diags diags = {0};
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, NULL, (bw_span){0}, "no such file");
    expect_print(&diags, "bankwise: error: no such file [cannot-read]\n");
}
END_TEST

START_TEST(test_sorted_and_once)
{
    bw_source source = source_of("a b\nc\n");
    bw_source earlier = {.name = "A.pat", .text = "z", .len = 1};
    bw_diags diags = {0};
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source, span_of(&source, "c"), "third");
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source, span_of(&source, "b"), "second");
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source, span_of(&source, "b"), "second");
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source, span_of(&source, "b"), "another there");
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, &earlier, (bw_span){0, 1}, "of the first file");
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, NULL, (bw_span){0}, "of no file");
    ck_assert_uint_eq(diags.count, 5);
    bw_diags_sort(&diags);
    ck_assert_uint_eq(diags.count, 5);
    ck_assert_str_eq(diags.items[0].message, "of no file");
    ck_assert_str_eq(diags.items[1].message, "of the first file");
    ck_assert_str_eq(diags.items[2].message, "second");
    ck_assert_str_eq(diags.items[3].message, "another there"); /* equal places keep their order */
    ck_assert_str_eq(diags.items[4].message, "third");
    bw_diags_finish(&diags);
}
END_TEST

/* Tabs are copied into the caret's line, so that any tab width fits. */
START_TEST(test_tabs)
{
    bw_source source = source_of("\tint\tx;");
    bw_diags diags = {0};
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source, span_of(&source, "x"), "here");
    expect_print(&diags, "a.pat:1:6: error: here [cannot-read]\n"
                         "     1 | \tint\tx;\n"
                         "       | \t   \t^\n");
}
END_TEST

/* Columns count bytes; the caret counts cells: é is one, 漢 two, a combining accent none. */
START_TEST(test_unicode)
{
    bw_source source = source_of("é漢e\xcc\x81 x漢;");
    bw_diags diags = {0};
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source, span_of(&source, "x漢"), "here");
    expect_print(&diags, "a.pat:1:10: error: here [cannot-read]\n"
                         "     1 | é漢e\xcc\x81 x漢;\n"
                         "       |      ^~~\n");
}
END_TEST

/* A source must not drive the terminal, nor broken UTF-8 shift the caret. */
START_TEST(test_controls_and_broken_text)
{
    bw_source source = source_of("\033[31m\xff\xc3(x");
    bw_diags diags = {0};
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source, span_of(&source, "x"), "here");
    expect_print(&diags, "a.pat:1:9: error: here [cannot-read]\n"
                         "     1 | ?[31m?"
                         "?(x\n"
                         "       |         ^\n");
}
END_TEST

START_TEST(test_places_at_the_end)
{
    bw_source source = source_of("one\r\ntwo");
    size_t len;
    ck_assert_uint_eq(bw_source_place(&source, 0).line, 1);
    ck_assert_uint_eq(bw_source_place(&source, 5).line, 2);
    ck_assert_uint_eq(bw_source_place(&source, 5).column, 1);
    ck_assert_uint_eq(bw_source_place(&source, 9999).column, 4);
    bw_arena arena = {NULL};
    bw_lines lines = bw_lines_of(&arena, &source);
    for (uint32_t at = 0; at <= source.len + 1; at++) {
        bw_place counted = bw_source_place(&source, at), found = bw_lines_place(&lines, at);
        ck_assert_uint_eq(found.line, counted.line);
        ck_assert_uint_eq(found.column, counted.column);
    }
    bw_arena_finish(&arena);
    bw_source_line(&source, 1, &len);
    ck_assert_uint_eq(len, 3); /* without CR */
    bw_source_line(&source, 2, &len);
    ck_assert_uint_eq(len, 3);
    ck_assert_str_eq(bw_source_line(&source, 3, &len), "");
    ck_assert_uint_eq(len, 0);
    bw_diags diags = {0};
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source, (bw_span){8, 0}, "ends too soon");
    expect_print(&diags, "a.pat:2:4: error: ends too soon [cannot-read]\n"
                         "     2 | two\n"
                         "       |    ^\n");
}
END_TEST

START_TEST(test_empty_source)
{
    bw_source source = source_of("");
    bw_diags diags = {0};
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source, (bw_span){0, 0}, "empty");
    expect_print(&diags, "a.pat:1:1: error: empty [cannot-read]\n     1 | \n       | ^\n");
}
END_TEST

/* A span over several lines is marked on its first. */
START_TEST(test_long_span)
{
    bw_source source = source_of("f(a,\n  b);\n");
    bw_diags diags = {0};
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source, (bw_span){0, 9}, "call");
    expect_print(&diags, "a.pat:1:1: error: call [cannot-read]\n     1 | f(a,\n       | ^~~~\n");
}
END_TEST

START_TEST(test_long_line_is_cut)
{
    char text[2001];
    memset(text, 'a', 2000);
    text[1000] = 'X';
    text[2000] = '\0';
    bw_source source = source_of(text);
    bw_diags diags = {0};
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source, (bw_span){1000, 1}, "here");
    char *shown = print(&diags, false);
    const char *line = strchr(shown, '\n') + 1, *caret = strchr(line, '\n') + 1;
    ck_assert_uint_lt((size_t)(caret - line), 200);
    ck_assert_int_eq(strchr(line, 'X') - line, strchr(caret, '^') - caret);
    ck_assert_ptr_nonnull(strstr(line, "| ...a"));
    free(shown);
    bw_diags_finish(&diags);
}
END_TEST

START_TEST(test_limits)
{
    bw_source source = source_of("0123456789");
    bw_diags diags = {0};
    for (unsigned i = 0; i < 5000; i++) {
        bw_diagnostic *d =
            bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source, (bw_span){0, 1}, "error %u", i);
        bw_note(&diags, d, "a note on each");
        bw_also(&diags, d, &source, (bw_span){1, 1}, "and a place");
        bw_diagnose(&diags, BW_MSG_EXPECT, &source, (bw_span){0, 1}, "warning %u", i);
    }
    ck_assert_uint_eq(diags.errors, BW_DIAGS_MAX);
    ck_assert_uint_eq(diags.count, 2 * BW_DIAGS_MAX);
    ck_assert_uint_eq(diags.dropped, 2 * (5000 - BW_DIAGS_MAX));
    char *shown = print(&diags, false);
    ck_assert_ptr_nonnull(strstr(shown, "9800 more not shown"));
    free(shown);
    bw_diags_finish(&diags);
    ck_assert_uint_eq(diags.count, 0);
}
END_TEST

/* A million equal warnings are one, and cost no memory. */
START_TEST(test_repetition_is_free)
{
    bw_source source = source_of("x");
    bw_diags diags = {0};
    for (int i = 0; i < 1000000; i++)
        bw_note(&diags, bw_diagnose(&diags, BW_MSG_EXPECT, &source, (bw_span){0, 1}, "the same"),
                "note");
    ck_assert_uint_eq(diags.count, 1);
    ck_assert_uint_eq(diags.dropped, 0);
    expect_print(&diags,
                 "a.pat:1:1: warning: the same [-Wexpect]\n     1 | x\n       | ^\nnote: note\n");
}
END_TEST

/* Texts longer than any buffer arrive whole. */
START_TEST(test_long_message)
{
    char name[3000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    bw_diags diags = {0};
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, NULL, (bw_span){0}, "unknown %s", name);
    ck_assert_uint_eq(strlen(diags.items[0].message), strlen(name) + strlen("unknown "));
    bw_diags_finish(&diags);
}
END_TEST

/* Colour adds to the words and takes none away. */
START_TEST(test_colour)
{
    bw_source source = source_of("x");
    bw_diags diags = {0};
    bw_diagnose(&diags, BW_MSG_CANNOT_READ, &source, (bw_span){0, 1}, "message");
    char *plain = print(&diags, false), *colour = print(&diags, true), *to = colour;
    for (const char *from = colour; *from;) {
        if (*from == '\033')
            from = strchr(from, 'm') + 1;
        else
            *to++ = *from++;
    }
    ck_assert_int_gt((int)strlen(colour), (int)(to - colour));
    *to = '\0';
    ck_assert_str_eq(colour, plain);
    free(plain);
    free(colour);
    bw_diags_finish(&diags);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("diag");
    tcase_add_test(tc, test_one);
    tcase_add_test(tc, test_warning_names_its_flag);
    tcase_add_test(tc, test_error_names_its_message);
    tcase_add_test(tc, test_second_place);
    tcase_add_test(tc, test_no_place);
    tcase_add_test(tc, test_sorted_and_once);
    tcase_add_test(tc, test_tabs);
    tcase_add_test(tc, test_unicode);
    tcase_add_test(tc, test_controls_and_broken_text);
    tcase_add_test(tc, test_places_at_the_end);
    tcase_add_test(tc, test_empty_source);
    tcase_add_test(tc, test_long_span);
    tcase_add_test(tc, test_long_line_is_cut);
    tcase_add_test(tc, test_limits);
    tcase_add_test(tc, test_repetition_is_free);
    tcase_add_test(tc, test_long_message);
    tcase_add_test(tc, test_colour);
    return tap_run(tc);
}
