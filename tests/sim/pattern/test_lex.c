/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens, comments that speak, macros. */
#include <stdlib.h>
#include <string.h>

#include "../../common/tap.h"
#include "lex.h"

typedef struct lexed {
    bw_arena arena;
    bw_source source;
    bw_tokens tokens;
    bw_diags diags;
    char *joined; /* spellings with one blank between them */
} lexed;

static lexed lex(const char *text, const bw_define *defines, size_t define_count)
{
    lexed l = {.source = {"t.pat", text, strlen(text), NULL}};
    bool used[8] = {false};
    bw_given given = {.defines = defines, .define_count = define_count, .used = used};
    bw_lex(&l.arena, &l.source, &given, &l.tokens, &l.diags);
    l.joined = bw_arena_copy(&l.arena, "", 0);
    for (size_t i = 0; i < l.tokens.count; i++)
        l.joined = bw_arena_format(&l.arena, "%s%s%.*s", l.joined, i ? " " : "",
                                   (int)l.tokens.items[i].len, l.tokens.items[i].text);
    return l;
}

static void finish(lexed *l)
{
    bw_tokens_finish(&l->tokens);
    bw_diags_finish(&l->diags);
    bw_arena_finish(&l->arena);
}

/* The tokens of `text`, ended by the empty end token, are those of `expected`. */
static void expect_tokens(const char *text, const char *expected)
{
    lexed l = lex(text, NULL, 0);
    ck_assert_msg(l.diags.errors == 0, "%s: errors", text);
    ck_assert_str_eq(l.joined, expected);
    finish(&l);
}

static void expect_errors(const char *text, size_t errors)
{
    lexed l = lex(text, NULL, 0);
    ck_assert_msg(l.diags.errors == errors, "%s: %zu errors", text, l.diags.errors);
    finish(&l);
}

/* What a learner writes for an expectation and is none is warned of; prose is not. */
START_TEST(test_near_expectations)
{
    static const char *const near[] = {
        "x; // expect 2-way",         "x; // Expect: 2-way",       "x; // expected: 32 wavefronts",
        "x; // expects 1 wavefront",  "x; /* expect 4 way */",     "x; // EXPECT = 3 excessive",
        "x; // expect conflict-free", "x; // Expected 12 cycles.",
    };
    static const char *const far[] = {
        "x; // expect: 2-way",
        "x; // expected 3 values",
        "x; // expect conflicts",
        "x; // unexpected: 2-way",
        "x; // expect",
        "x; // expect:",
        "x; // we expect 2-way here",
        "x; // expect a 2-way conflict",
        "x; // expect 2",
    };
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        lexed l = lex(near[i], NULL, 0);
        ck_assert_msg(l.diags.count == 1 && l.diags.errors == 0, "%s: no warning", near[i]);
        ck_assert(l.diags.items[0].id == BW_MSG_EXPECT);
        finish(&l);
    }
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        lexed l = lex(far[i], NULL, 0);
        ck_assert_msg(l.diags.count == 0, "%s: a warning", far[i]);
        finish(&l);
    }
}
END_TEST

START_TEST(test_longest_match)
{
    expect_tokens("a<<<b>>>c", "a <<< b >>> c ");
    expect_tokens("a+++b---c->d", "a ++ + b -- - c -> d ");
    expect_tokens("a<<=b>>=c<=d", "a <<= b >>= c <= d ");
    expect_tokens("x::y...z", "x :: y ... z ");
    expect_tokens("1e-3f 0x1e-3 .5 1.e4 1'000", "1e-3f 0x1e - 3 .5 1.e4 1'000 ");
    expect_tokens("\"a\\\"b\" '\\''", "\"a\\\"b\" '\\'' ");
}
END_TEST

START_TEST(test_blanks_and_comments)
{
    expect_tokens("a /* b\n c */ d // e\nf", "a d f ");
    expect_tokens("a\\\nb", "a b ");
    expect_tokens("a\r\nb\tc\f d", "a b c d ");
    expect_tokens("\xef\xbb\xbf"
                  "a",
                  "a ");
    expect_tokens("", "");
    expect_tokens("// only", "");
}
END_TEST

START_TEST(test_places)
{
    lexed l = lex("#define F(x) x + 1\nint a = F(b);\n", NULL, 0);
    /* int a = b + 1 ; */
    ck_assert_uint_eq(l.tokens.items[3].span.offset, 29); /* an argument is where it stands */
    bw_span plus = l.tokens.items[4].span; /* what the body gave is where F was used */
    ck_assert_uint_eq(plus.offset, 27);
    ck_assert_uint_eq(plus.len, 4);
    finish(&l);
}
END_TEST

START_TEST(test_speaking_comments)
{
    lexed l =
        lex("/* title: A story\n * more */\na; // expect: 2-way\n/* assume: x = 3 */\n", NULL, 0);
    ck_assert_str_eq(l.tokens.title, "A story");
    ck_assert_uint_eq(l.tokens.comment_count, 2);
    ck_assert(!l.tokens.comments[0].is_assume);
    ck_assert_uint_eq(l.tokens.comments[0].line, 3);
    ck_assert(l.tokens.comments[1].is_assume);
    ck_assert_int_eq(memcmp(l.source.text + l.tokens.comments[1].span.offset, " x = 3 ", 7), 0);
    finish(&l);
}
END_TEST

START_TEST(test_macros)
{
    expect_tokens("#define N 4\nN N", "4 4 ");
    expect_tokens("#define N 4\n#undef N\nN", "N ");
    expect_tokens("#define F(a, b) a * b\nF(1 + 2, (3, 4)) F", "1 + 2 * ( 3 , 4 ) F ");
    expect_tokens("#define F(a) #a\nF(x + \"y\")", "\"x + \"y\"\" ");
    expect_tokens("#define CAT(a, b) a##b\nCAT(x, 1) CAT(, y) CAT(z, )", "x1 y z ");
    expect_tokens("#define C(a, b) int x##a = a##b;\nC(, 2)", "int x = 2 ; ");
    expect_tokens("#define f(x) f(x + 1)\nf(f(2))", "f ( f ( 2 + 1 ) + 1 ) ");
    expect_tokens("#define a b\n#define b a\na b", "a b ");
    expect_tokens("#define E\n#define F() x E y\nF()", "x y ");
    expect_tokens("#define L(f, ...) p(f, ##__VA_ARGS__)\nL(1) L(1, 2, 3)",
                  "p ( 1 ) p ( 1 , 2 , 3 ) ");
    expect_tokens("#define V(...) g(__VA_ARGS__)\nV() V(1, 2)", "g ( ) g ( 1 , 2 ) ");
    expect_tokens("#define LONG a \\\n b\nLONG", "a b ");
    expect_tokens("#define OBJ (x)\nOBJ", "( x ) ");
    expect_tokens("#define U _Pragma(\"unroll\")\nU for", "for ");
}
END_TEST

START_TEST(test_conditions)
{
    expect_tokens("#if 1\na\n#else\nb\n#endif", "a ");
    expect_tokens("#if 0\na\n#elif 2 > 1 && !defined(X)\nb\n#else\nc\n#endif", "b ");
    expect_tokens("#define X\n#ifdef X\na\n#endif\n#ifndef X\nb\n#endif", "a ");
    expect_tokens("#if 0\n#if 1\na\n#endif\n#nonsense\n#error no\n#endif\nb", "b ");
    expect_tokens("#if (1 << 4 | 1) == 17 && -3 / 2 == -1 && (5 % 3 ? 1 : 0)\na\n#endif", "a ");
    expect_tokens("#if __CUDA_ARCH__ >= 800 && __CUDACC__ && UNKNOWN == 0\na\n#endif", "a ");
    expect_tokens("#pragma unroll\n#include <a.h>\n#line 3\na", "a ");
    expect_errors("#if 1", 1);
    expect_errors("#endif", 1);
    expect_errors("#if 1 / 0\n#endif", 1);
    expect_errors("#if\n#endif", 1);
    expect_errors("#define F(a) a\nF(1, 2)", 1);
    expect_errors("#define F(a) a\nF(1", 1);
    expect_errors("#error stop", 1);
}
END_TEST

START_TEST(test_defines)
{
    bw_define defines[] = {{"N", "-3"}, {"M", "true"}};
    lexed l = lex("#define N 4\n#define M 0\n#define K 2.5\n#define F(x) x\nN M K", defines, 2);
    ck_assert_str_eq(l.joined, "( - 3 ) true 2.5 ");
    ck_assert_uint_eq(l.tokens.define_count, 3);
    ck_assert_int_eq(l.tokens.defines[0].integer, -3);
    ck_assert_int_eq(l.tokens.defines[1].integer, 1);
    ck_assert(l.tokens.defines[2].is_float);
    finish(&l);
}
END_TEST

static void expect_number(const char *text, bool is_float, int64_t integer, double real)
{
    bool f = false;
    int64_t i = 0;
    double r = 0;
    ck_assert_msg(bw_number(text, strlen(text), &f, &i, &r), "%s", text);
    ck_assert_int_eq(f, is_float);
    ck_assert_msg(i == integer && (r > real ? r - real : real - r) <= 0, "%s: %lld %g", text,
                  (long long)i, r);
}

START_TEST(test_numbers)
{
    expect_number("0", false, 0, 0);
    expect_number("-12", false, -12, -12);
    expect_number("0x1F", false, 31, 31);
    expect_number("0b101u", false, 5, 5);
    expect_number("017", false, 15, 15);
    expect_number("1'000ull", false, 1000, 1000);
    expect_number("18446744073709551615u", false, -1, -1);
    expect_number("1.5f", true, 0, 1.5);
    expect_number("2e3", true, 0, 2000);
    expect_number("0x1p4", true, 0, 16);
    static const char *const bad[] = {
        "",   "x", "0x", "08", "1.2.3", "12q", "1e", "--1", "'", "0b2", "18446744073709551616",
        "1 2"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        bool f;
        int64_t i;
        double r;
        ck_assert_msg(!bw_number(bad[k], strlen(bad[k]), &f, &i, &r), "%s", bad[k]);
    }
}
END_TEST

/* Text that doubles or nests without end is an error, soon. */
START_TEST(test_bombs)
{
    bw_arena arena = {0};
    char *text = bw_arena_copy(&arena, "#define A0 x\n", 13);
    for (int i = 1; i < 40; i++)
        text = bw_arena_format(&arena, "%s#define A%d A%d A%d\n", text, i, i - 1, i - 1);
    expect_errors(bw_arena_format(&arena, "%sA39\n", text), 1);
    char nest[6001] = "";
    memset(nest, '(', 3000);
    for (int i = 0; i < 3000; i += 2)
        nest[i] = 'f';
    memset(nest + 3000, ')', 1500);
    expect_errors(bw_arena_format(&arena, "#define f(x) x x\n%s\n", nest), 1);
    char deep[2001] = "";
    memset(deep, '!', 2000);
    expect_errors(bw_arena_format(&arena, "#if %s1\n#endif\n", deep), 1);
    bw_arena_finish(&arena);
}
END_TEST

static bw_token first_token(const char *text, size_t count)
{
    lexed l = lex(text, NULL, 0);
    ck_assert_msg(l.tokens.count == count + 1, "%s: %zu tokens", text, l.tokens.count - 1);
    bw_token token = l.tokens.items[0];
    finish(&l);
    return token;
}

/* Every row of the table is read as its kind, and what is longer or shorter as no row's. */
START_TEST(test_kinds)
{
    bw_arena arena = {0};
    for (unsigned kind = BW_TOK_NAME + 1; kind < BW_TOK_KINDS; kind++) {
        if (kind == BW_TOK_SIGN || kind == BW_TOK_HASH) /* "#" begins a directive */
            continue;
        const char *text = bw_spelling((bw_token_kind)kind);
        ck_assert_msg(*text != '\0', "kind %u has no spelling", kind);
        bw_token token = first_token(text, 1);
        ck_assert_msg(token.kind == kind, "'%s' is of kind %u, not %u", text, token.kind, kind);
        ck_assert_int_eq(bw_is_name(&token), kind < BW_TOK_SIGN);
        ck_assert_int_eq(bw_is_sign(&token), kind > BW_TOK_SIGN);
        if (kind < BW_TOK_SIGN) {
            token = first_token(bw_arena_format(&arena, "%s_", text), 1);
            ck_assert_msg(token.kind == BW_TOK_NAME, "'%s_' is of kind %u", text, token.kind);
        }
    }
    bw_arena_finish(&arena);
}
END_TEST

/* What ## makes is what would have been read. */
START_TEST(test_pasted_kinds)
{
    static const struct {
        const char *text;
        bw_token_kind kind;
    } rows[] = {{"P(whi, le)", BW_TOK_WHILE}, {"P(while, _)", BW_TOK_NAME},
                {"P(<, <)", BW_TOK_SHL},      {"P(<<, =)", BW_TOK_SHL_ASSIGN},
                {"P(+, *)", BW_TOK_SIGN},     {"P(1, u)", BW_TOK_NUMBER},
                {"P(int, 4)", BW_TOK_NAME},   {"P(x, )", BW_TOK_X}};
    bw_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bw_token token =
            first_token(bw_arena_format(&arena, "#define P(a, b) a##b\n%s", rows[i].text), 1);
        ck_assert_msg(token.kind == rows[i].kind, "%s: kind %u", rows[i].text, token.kind);
    }
    bw_arena_finish(&arena);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("lex");
    tcase_set_timeout(tc, 60); /* sanitizers are slow */
    tcase_add_test(tc, test_longest_match);
    tcase_add_test(tc, test_kinds);
    tcase_add_test(tc, test_pasted_kinds);
    tcase_add_test(tc, test_near_expectations);
    tcase_add_test(tc, test_blanks_and_comments);
    tcase_add_test(tc, test_places);
    tcase_add_test(tc, test_speaking_comments);
    tcase_add_test(tc, test_macros);
    tcase_add_test(tc, test_conditions);
    tcase_add_test(tc, test_defines);
    tcase_add_test(tc, test_numbers);
    tcase_add_test(tc, test_bombs);
    return tap_run(tc);
}
