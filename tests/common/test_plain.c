/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of strangers: no control reaches a reader, no line commands a CI, and styles are our own.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"
#include "tap.h"

typedef struct row {
    const char *text, *plain;
} row;

static void expect(const char *text, size_t len, const char *plain, bool commands)
{
    /* Fed in pieces of every size, what comes out is the same. */
    for (size_t piece = BW_PLAIN_AHEAD; piece <= len + BW_PLAIN_AHEAD; piece++) {
        char *room = malloc(len + 1);
        memcpy(room, text, len);
        bw_plain at = {.commands = commands};
        for (size_t done = 0; done < len;) {
            size_t given = len - done < piece ? len - done : piece;
            done += bw_plain_mend(&at, room + done, given, done + given == len);
        }
        ck_assert_uint_eq(len, strlen(plain));
        room[len] = '\0';
        ck_assert_str_eq(room, plain);
        free(room);
    }
}

START_TEST(test_controls)
{
    static const row rows[] = {
        {"plain text\n\ttab\n", "plain text\n\ttab\n"},
        {"\033[31mred\033]0;title\a", "?[31mred?]0;title?"},
        {"a\rb\r\nc\r", "a?b\r\nc?"},
        {"\x7f\b\f\v\x01", "?????"},
        {"\xc2\x9b"
         "2J",
         "??2J"},
        {"\x9b"
         "2J \xff\xfe \xc3 \xe2\x82",
         "?2J ?? ? ??"},
        {"caf\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(rows[i].text, strlen(rows[i].text), rows[i].plain, false);
}
END_TEST

START_TEST(test_commands)
{
    static const row rows[] = {
        {"::error::x", "?:error::x"},
        {"a ::error::x\n \t::b\r\n::c", "a ::error::x\n \t?:b\r\n?:c"},
        {"\xc2\xa0::x\n\xe3\x80\x80::y", "\xc2\xa0?:x\n\xe3\x80\x80?:y"},
        {"\033::x", "?::x"}, /* the question mark stands before it */
        {"a:::b\n:c\n: :d", "a:::b\n:c\n: :d"},
        {"##[group]a\nb ##[group]c\n##vso[task]", "?#[group]a\nb ?#[group]c\n?#vso[task]"},
        {"## title [x]\n#[a]\n##v", "## title [x]\n#[a]\n##v"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(rows[i].text, strlen(rows[i].text), rows[i].plain, false);
    expect("::error::x\n", 11, "::error::x\n", true);
}
END_TEST

START_TEST(test_styles)
{
    expect("\0[1mbold\0[0m", 12, "\033[1mbold\033[0m", false);
    expect("\0[1;31m\0[1;36m", 14, "\033[1;31m\033[1;36m", false);
    expect("\0[2Jx\0", 6, "?[2Jx?", false); /* no style of ours */
    expect("\0[1m::error::", 13, "\033[1m?:error::", false);
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    for (unsigned style = 0; style < BW_STYLE_COUNT; style++)
        bw_put_style(out, (bw_style)style);
    fclose(out);
    bw_plain at = {.commands = false};
    bw_plain_mend(&at, text, len, true);
    for (size_t i = 0, escapes = 0; i < len; i++) {
        escapes += text[i] == '\033';
        ck_assert(text[i] != '?' && text[i] != '\0');
        ck_assert(i + 1 < len || escapes == BW_STYLE_COUNT);
    }
    free(text);
}
END_TEST

START_TEST(test_say)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    bw_say(out, "%s: %d\n", "::a\033[1m", 7);
    fclose(out);
    ck_assert_str_eq(text, "?:a?[1m: 7\n");
    free(text);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("plain");
    tcase_add_test(tests, test_controls);
    tcase_add_test(tests, test_commands);
    tcase_add_test(tests, test_styles);
    tcase_add_test(tests, test_say);
    return tap_run(tests);
}
