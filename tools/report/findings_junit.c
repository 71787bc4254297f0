/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Findings in the XML of JUnit, as builds read it; tools/schema/junit.xsd says what of it.
 */
#include "findings.h"

#include <string.h>

#include "picture.h"

/* Counts of a suite, or of all. */
typedef struct totals {
    size_t tests, failures, errors;
} totals;

static void put_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    bw_markup_text(out, text, strlen(text));
    fputc('"', out);
}

/* The part of a suite: [first, end) of the cases and of the items. */
typedef struct part {
    size_t first_case, end_case, first_item, end_item;
} part;

static part part_of(const bw_findings *all, size_t suite)
{
    const bw_suite *at = &all->suites[suite], *next = at + 1;
    bool last = suite + 1 == all->suite_count;
    return (part){at->first_case, last ? all->case_count : next->first_case, at->first_item,
                  last ? all->count : next->first_item};
}

static totals count(const bw_findings *all, part p)
{
    totals sum = {0, 0, 0};
    sum.tests = p.end_case - p.first_case;
    for (size_t i = p.first_case; i < p.end_case; i++)
        sum.failures += all->cases[i].count != 0;
    for (size_t i = p.first_item; i < p.end_item; i++)
        sum.errors += all->items[i].error;
    sum.tests += sum.errors;
    return sum;
}

static void put_totals(FILE *out, totals sum)
{
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", sum.tests, sum.failures,
            sum.errors);
}

static void put_problem(FILE *out, const char *element, const bw_finding *finding)
{
    fprintf(out, "      <%s", element);
    put_attribute(out, "type", bw_message_of(finding->id)->id);
    put_attribute(out, "message", finding->message);
    fputc('>', out);
    bw_markup_text(out, finding->file, strlen(finding->file));
    if (finding->placed)
        fprintf(out, ":%u:%u", finding->place.line, finding->place.column);
    fputs(": ", out);
    bw_markup_text(out, finding->message, strlen(finding->message));
    fprintf(out, "</%s>\n", element);
}

/* The class of a case is its file: readers group by it. */
static void begin_case(FILE *out, const char *file, const char *name)
{
    fputs("    <testcase", out);
    put_attribute(out, "classname", file);
    put_attribute(out, "name", name);
    fputs(">\n", out);
}

static void put_case(FILE *out, const bw_findings *all, const char *file, const bw_case *one)
{
    begin_case(out, file, one->name);
    for (size_t i = one->first; i < one->first + one->count; i++)
        put_problem(out, "failure", &all->items[i]);
    fputs("    </testcase>\n", out);
}

static void put_suite(FILE *out, const bw_findings *all, size_t suite)
{
    const char *file = all->suites[suite].file;
    part p = part_of(all, suite);
    fputs("  <testsuite", out);
    put_attribute(out, "name", file);
    put_totals(out, count(all, p));
    fputs(">\n", out);
    for (size_t i = p.first_case; i < p.end_case; i++)
        put_case(out, all, file, &all->cases[i]);
    for (size_t i = p.first_item; i < p.end_item; i++)
        if (all->items[i].error) {
            begin_case(out, file, "the file can be checked");
            put_problem(out, "error", &all->items[i]);
            fputs("    </testcase>\n", out);
        }
    fputs("  </testsuite>\n", out);
}

void bw_findings_junit(const bw_findings *all, FILE *out)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"bankwise\"", out);
    put_totals(out, count(all, (part){0, all->case_count, 0, all->count}));
    fputs(">\n", out);
    for (size_t i = 0; i < all->suite_count; i++)
        put_suite(out, all, i);
    fputs("</testsuites>\n", out);
}
