/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents: what is collected comes out whole, as JSON, CSV and tables. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/tap.h"
#include "document.h"

static bw_arena arena;

/* What `print` writes; malloc'd. */
static char *printed(void (*print)(const bw_node *, FILE *), const bw_node *node)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    ck_assert_ptr_nonnull(out);
    print(node, out);
    fclose(out);
    return text;
}

static void expect(void (*print)(const bw_node *, FILE *), const bw_node *node, const char *wanted)
{
    char *text = printed(print, node);
    ck_assert_str_eq(text, wanted);
    free(text);
    bw_arena_finish(&arena);
}

static void indented(const bw_node *node, FILE *out)
{
    bw_node_json(node, out, BW_JSON_INDENTED);
}

static void script(const bw_node *node, FILE *out)
{
    bw_node_json(node, out, BW_JSON_SCRIPT);
}

START_TEST(json_has_all_kinds_in_order)
{
    bw_node *root = bw_node_object(&arena);
    bw_put_text(root, "text", "a");
    bw_put_text(root, "none", NULL);
    bw_put_bool(root, "yes", true);
    bw_put_integer(root, "least", INT64_MIN);
    bw_put_text(root, ".hidden", "of texts");
    bw_node *list = bw_put_array(root, "list");
    bw_put_integer(list, NULL, 1);
    bw_put_null(list, NULL);
    bw_put_object(root, "empty");
    bw_put_text(bw_put_object(root, "hollow"), ".hidden", "of texts");
    bw_put_array(root, "nothing");
    expect(indented, root,
           "{\n  \"text\": \"a\",\n  \"none\": null,\n  \"yes\": true,\n"
           "  \"least\": -9223372036854775808,\n  \"list\": [\n    1,\n    null\n  ],\n"
           "  \"empty\": {},\n  \"hollow\": {},\n  \"nothing\": []\n}\n");
}
END_TEST

START_TEST(json_numbers)
{
    bw_node *list = bw_node_array(&arena);
    static const double reals[] = {1, -0.5, 1.0 / 3, 1e20, 1e-7, 123456789012.25, INFINITY, NAN};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        bw_put_real(list, NULL, reals[i]);
    bw_put_number(list, NULL, 3);
    bw_put_number(list, NULL, 3.5);
    bw_put_number(list, NULL, 1e300);
    bw_put_mean(list, NULL, 9, 3);
    bw_put_mean(list, NULL, 9, 2);
    bw_put_count(list, NULL, true, 7);
    bw_put_count(list, NULL, false, 7);
    bw_put_shape(list, NULL, (uint32_t[]){32, 8, 1});
    expect(script, list,
           "[1.0,-0.5,0.333333333333,1e20,1e-7,123456789012.0,null,null,3,3.5,1e300,3,4.5,7,null,"
           "[32,8,1]]");
}
END_TEST

START_TEST(json_texts)
{
    bw_node *list = bw_node_array(&arena);
    bw_put_text(list, NULL, "\"\\/\b\f\n\r\t\x01\x1f\x7f");
    bw_put_text(list, NULL, "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
    bw_put_text(list, NULL, "\xFF\xC3(\xE2\x82\xC0\x80\xED\xA0\x80\xF4\x90\x80\x80\xE2\x82");
    bw_put_text(list, NULL, "</script><!--");
#define BAD "\xEF\xBF\xBD"
    expect(script, list,
           "[\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\\u007F\",\"\xC3\xA9 \xE2\x82\xAC "
           "\xF0\x9F\x98\x80\",\"" BAD BAD "(" BAD BAD BAD BAD BAD BAD BAD BAD BAD BAD BAD BAD BAD
           "\",\"\\u003c/script>\\u003c!--\"]");
}
END_TEST

START_TEST(mended_texts)
{
    ck_assert_str_eq(bw_text_mended(&arena, "a\xC3\xA9"), "a\xC3\xA9");
    ck_assert_str_eq(bw_text_mended(&arena, "\xC3"), BAD);
    bw_arena_finish(&arena);
}
END_TEST

START_TEST(paths)
{
    bw_node *root = bw_node_object(&arena);
    bw_put_integer(bw_put_object(bw_put_object(root, "a"), "b"), "c", 5);
    bw_put_null(root, "none");
    bw_put_real(root, "real", 2.5);
    ck_assert(bw_node_number(bw_node_at(root, "a/b/c")) == 5);
    ck_assert(bw_node_number(bw_node_at(root, "real")) == 2.5);
    ck_assert(bw_node_at(root, "") == root);
    ck_assert_int_eq(bw_node_at(root, "none/of/this")->kind, BW_NODE_NULL);
    ck_assert_ptr_null(bw_node_at(root, "a/x/c"));
    ck_assert_ptr_null(bw_node_at(root, "real/x"));
    ck_assert_ptr_null(bw_node_at(root, "a/b/cc"));
    ck_assert(bw_node_number(NULL) == 0);
    bw_arena_finish(&arena);
}
END_TEST

static const bw_field fields[] = {
    BW_FIELD("file", "^file", BW_ROLE_TEXT),
    BW_FIELD("text", "text", BW_ROLE_TEXT),
    BW_FIELD("cell", "cell", BW_ROLE_CELL),
    BW_FIELD("count", "n", BW_ROLE_COUNT, .digits = 2),
    BW_FIELD("fixed", "n", BW_ROLE_FIXED, .digits = 1),
    BW_FIELD("short", "n", BW_ROLE_SIGNIFICANT, .digits = 3),
    BW_FIELD("ways", "ways", BW_ROLE_WAYS),
    BW_FIELD("part", "part", BW_ROLE_PERCENT),
    BW_FIELD("shape", "shape", BW_ROLE_PLAIN),
    BW_FIELD("null", "null", BW_ROLE_COUNT),
    BW_FIELD("absent", "absent", BW_ROLE_COUNT),
};
#define FIELDS (sizeof fields / sizeof *fields)

static bw_node *some_rows(void)
{
    bw_node *root = bw_node_object(&arena);
    bw_put_text(root, "file", "a, b");
    bw_node *rows = bw_put_array(root, "rows");
    for (int i = 0; i < 2; i++) {
        bw_node *row = bw_put_object(rows, NULL);
        bw_put_text(row, "text", i ? "\"q\"\nr" : "plain");
        bw_put_text(row, "cell", i ? "x" : "long");
        bw_put_number(row, "n", i ? 1234.5678 : 12);
        bw_put_integer(row, "ways", 4);
        bw_put_real(row, "part", i ? 0.125 : 1);
        bw_put_shape(row, "shape", (uint32_t[]){32, 8, 1});
        bw_put_null(row, "null");
    }
    return root;
}

static void csv(const bw_node *root, FILE *out)
{
    bw_csv_header(fields, FIELDS, out);
    bw_csv_rows(fields, FIELDS, bw_node_at(root, "rows"), root, out);
}

START_TEST(csv_of_every_role)
{
    expect(csv, some_rows(),
           "file,text,cell,count,fixed,short,ways,part,shape,null,absent\n"
           "\"a, b\",plain,long,12,12.0,12,4-way,100%,32x8x1,,\n"
           "\"a, b\",\"\"\"q\"\"\nr\",x,1234.57,1234.6,1.23e+03,4-way,12.5%,32x8x1,,\n");
}
END_TEST

static void table(const bw_node *root, FILE *out)
{
    bw_grid *grid = bw_grid_create(fields + 2, FIELDS - 2);
    bw_grid_row(grid, bw_node_at(root, "rows")->first, BW_ROW_PLAIN);
    bw_grid_rule(grid);
    bw_grid_row(grid, bw_node_at(root, "rows")->first->next, BW_ROW_PLAIN);
    bw_grid_print(grid, out, 200, false);
}

START_TEST(table_of_every_role)
{
    expect(table, some_rows(),
           "cell    count   fixed     short   ways   part   shape  null  absent\n"
           "-------------------------------------------------------------------\n"
           "long       12    12.0        12  4-way   100%  32x8x1     -\n"
           "-------------------------------------------------------------------\n"
           "   x  1234.57  1234.6  1.23e+03  4-way  12.5%  32x8x1     -\n");
}
END_TEST

START_TEST(requests)
{
    bw_node *root = bw_node_object(&arena);
    bw_request request = {.op = BW_OP_LD_32, .active = 0x80000001u};
    request.addr[31] = 124;
    bw_put_request(root, &request);
    char *text = printed(script, root);
    static const char begin[] = "{\"op\":\"ld.32\",\"active\":\"80000001\",\"addresses\":[0,null,";
    ck_assert(strncmp(text, begin, sizeof begin - 1) == 0);
    ck_assert_str_eq(strrchr(text, 'l'), "l,124]}");
    free(text);
    bw_arena_finish(&arena);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("document");
    tcase_add_test(tc, json_has_all_kinds_in_order);
    tcase_add_test(tc, json_numbers);
    tcase_add_test(tc, json_texts);
    tcase_add_test(tc, mended_texts);
    tcase_add_test(tc, paths);
    tcase_add_test(tc, csv_of_every_role);
    tcase_add_test(tc, table_of_every_role);
    tcase_add_test(tc, requests);
    return tap_run(tc);
}
