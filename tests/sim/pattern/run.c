/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include <check.h>

static double draw(void *context, bw_law law, double a, double b)
{
    int *next = context;
    int limit = a >= 1 ? (int)a : 1;
    (void)b;
    return law == BW_LAW_NORMAL ? 0.5 : (*next)++ % limit;
}

static bool take(void *context, const bw_request_origin *origin, const bw_request *request,
                 uint64_t copies)
{
    ran *r = context;
    BW_GROW(r->items, r->count, r->capacity);
    r->items[r->count++] = (ran_request){*origin, *request, copies};
    return true;
}

ran *run_source(const char *text, const bw_pattern_options *options)
{
    int next = 0;
    ran *r = bw_calloc(1, sizeof *r);
    r->source = (bw_source){"t.pat", text, strlen(text), NULL};
    bw_pattern_options o = options ? *options : (bw_pattern_options){0};
    o.host = (bw_host){&next, draw, NULL};
    r->pattern = bw_pattern_parse(&r->source, &o, &r->diags);
    r->ok = r->diags.errors == 0;
    const bw_launch *launches;
    size_t count = r->ok ? bw_program_launches(r->pattern, &launches) : 0;
    for (size_t i = 0; i < count; i++)
        r->ok &= bw_program_run(r->pattern, i, &(bw_sink){r, take}, &r->last, &r->diags);
    size_t len = 0;
    FILE *out = open_memstream(&r->errors, &len);
    if (!out)
        abort();
    bw_diags_print(&r->diags, out, false);
    fclose(out);
    return r;
}

void run_finish(ran *r)
{
    bw_program_destroy(r->pattern);
    bw_diags_finish(&r->diags);
    free(r->items);
    free(r->errors);
    free(r);
}

unsigned run_word(const ran *r, size_t n, int lane)
{
    if (n >= r->count || !(r->items[n].request.active >> lane & 1))
        return UINT32_MAX;
    return r->items[n].request.addr[lane] / 4;
}

void expect_words(const char *text, int lane, size_t count, const unsigned *expected)
{
    ran *r = run_source(text, NULL);
    ck_assert_msg(r->ok, "%s\n%s", text, r->errors);
    ck_assert_msg(r->count == count, "%s: %zu requests, not %zu", text, r->count, count);
    for (size_t k = 0; k < count; k++)
        ck_assert_msg(run_word(r, k, lane) == expected[k],
                      "%s: request %zu, lane %d: word %u, not %u", text, k, lane,
                      run_word(r, k, lane), expected[k]);
    run_finish(r);
}

void expect_error(const char *text, const char *part)
{
    ran *r = run_source(text, NULL);
    ck_assert_msg(!r->ok && strstr(r->errors, part), "%s: no '%s' in:\n%s", text, part, r->errors);
    run_finish(r);
}
