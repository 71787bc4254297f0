/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view.h"

#include <inttypes.h>
#include <stdlib.h>

#include "unique.h"

/* Of one access in one launch. */
typedef struct passed {
    uint64_t count;   /* requests that passed the filter */
    bw_unique unique; /* the different ones, where all are picked */
} passed;

typedef struct picker {
    bw_views *views;
    bw_session *session;
    const bw_view_filter *filter;
    const bw_arch *arch;
    size_t launch, first; /* views of this launch begin there */
    passed *passed;       /* by access index */
    size_t access_count;
    bw_status status;
    bw_request failed;
    size_t failed_access;
} picker;

static void grow_accesses(picker *to, size_t count)
{
    if (count <= to->access_count)
        return;
    to->passed = bw_realloc(to->passed, count * sizeof *to->passed);
    for (size_t i = to->access_count; i < count; i++)
        to->passed[i] = (passed){.count = 0};
    to->access_count = count;
}

static void forget_passed(picker *to)
{
    for (size_t i = 0; i < to->access_count; i++) {
        bw_unique_finish(&to->passed[i].unique);
        to->passed[i] = (passed){.count = 0};
    }
}

/* More excess; of equal excess more wavefronts; of equal ones more lanes, as they show more. */
static bool is_worse(const bw_view *a, const bw_view *b)
{
    uint32_t more = a->cost.wavefronts - a->cost.ideal, less = b->cost.wavefronts - b->cost.ideal;
    if (more != less)
        return more > less;
    if (a->cost.wavefronts != b->cost.wavefronts)
        return a->cost.wavefronts > b->cost.wavefronts;
    return __builtin_popcount(bw_request_lanes(&a->request)) >
           __builtin_popcount(bw_request_lanes(&b->request));
}

static bw_view *view_of(picker *to, size_t access)
{
    for (size_t i = to->first; i < to->views->count; i++)
        if (to->views->items[i].access_index == access)
            return &to->views->items[i];
    return NULL;
}

/* The view, with sources that last as long as the views. */
static bw_view owned(bw_views *views, const bw_view *view)
{
    bw_view own = *view;
    if (!bw_op_get(view->request.op)->copies || !view->request.sources)
        return own;
    bw_sources *sources = bw_arena_alloc(&views->arena, sizeof *sources);
    *sources = *view->request.sources;
    own.request.sources = sources;
    return own;
}

static void add_view(picker *to, const bw_view *view)
{
    bw_views *views = to->views;
    BW_GROW(views->items, views->count, views->capacity);
    views->items[views->count++] = owned(views, view);
}

static void keep_different(picker *to, const bw_view *view, uint64_t copies)
{
    bw_unique *set = &to->passed[view->access_index].unique;
    bool known = bw_unique_find(set, &view->request) != BW_UNIQUE_NONE;
    if (!known && set->count == BW_VIEWS_MAX) {
        to->views->dropped++;
        return;
    }
    bw_unique_add(set, &view->request, copies);
    if (!known)
        add_view(to, view);
}

static void keep_worst(picker *to, const bw_view *view)
{
    bw_view *old = view_of(to, view->access_index);
    if (!old)
        add_view(to, view);
    else if (is_worse(view, old))
        *old = owned(to->views, view);
}

static bool take_request(void *context, const bw_request_origin *origin, const bw_request *request,
                         uint64_t copies)
{
    picker *to = context;
    const bw_view_filter *filter = to->filter;
    const bw_access *accesses;
    bw_program_accesses(to->session->program, &accesses);
    if (filter->line && accesses[origin->access].line != filter->line)
        return true;
    grow_accesses(to, origin->access + 1);
    to->views->requests++;
    to->views->last_warp =
        origin->warp > to->views->last_warp ? origin->warp : to->views->last_warp;
    if (filter->has_warp && origin->warp != filter->warp)
        return true;
    uint64_t number = ++to->passed[origin->access].count;
    if (number > to->views->last_request)
        to->views->last_request = number;
    if (filter->number && number != filter->number)
        return true;
    bw_view view = {.launch_index = to->launch,
                    .access_index = origin->access,
                    .request = *request,
                    .warp = origin->warp,
                    .block = origin->block,
                    .number = number};
    to->status = bw_cost_of(to->arch, request, &view.cost);
    to->failed = *request;
    to->failed_access = origin->access;
    if (to->status != BW_OK)
        return false;
    if (filter->all)
        keep_different(to, &view, copies);
    else
        keep_worst(to, &view);
    return true;
}

static void report_refusal(picker *to)
{
    const bw_access *accesses;
    bw_session *session = to->session;
    bw_program_accesses(session->program, &accesses);
    bw_diagnostic *diagnostic =
        bw_diagnose(&session->diags, BW_MSG_UNSUPPORTED_OPERATION, &session->input.source,
                    accesses[to->failed_access].span, "%s on %s: %s",
                    bw_op_get(to->failed.op)->name, to->arch->name, bw_status_text(to->status));
    if (to->status == BW_UNSUPPORTED)
        bw_note(&session->diags, diagnostic, "choose another architecture with --arch");
}

/* What is only known when the launch has ended. */
static void count_view(const picker *to, bw_view *view)
{
    const passed *of = &to->passed[view->access_index];
    size_t index = bw_unique_find(&of->unique, &view->request);
    view->of = of->count;
    view->equal = index == BW_UNIQUE_NONE ? 0 : of->unique.items[index].count;
}

static bool run_launch(picker *to)
{
    bw_run run;
    bw_sink sink = {to, take_request};
    bw_session *session = to->session;
    to->first = to->views->count;
    bw_laws_seed(session->laws, (uint32_t)session->args->values[BW_OPTION_SEED].number);
    bool good = bw_program_run(session->program, to->launch, &sink, &run, &session->diags);
    if (good && to->status != BW_OK) {
        report_refusal(to);
        good = false;
    }
    for (size_t i = to->first; i < to->views->count; i++)
        count_view(to, &to->views->items[i]);
    forget_passed(to);
    return good;
}

static int by_place(const void *left, const void *right)
{
    const bw_view *a = left, *b = right;
    if (a->launch_index != b->launch_index)
        return a->launch_index < b->launch_index ? -1 : 1;
    if (a->access->line != b->access->line)
        return a->access->line < b->access->line ? -1 : 1;
    if (a->access->column != b->access->column)
        return a->access->column < b->access->column ? -1 : 1;
    if (a->access != b->access)
        return a->access < b->access ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* The list of accesses may have moved while it grew, so pointers are set when all is run. */
static void finish_views(picker *to, const bw_launch *launches)
{
    const bw_access *accesses;
    bw_views *views = to->views;
    bw_program_accesses(to->session->program, &accesses);
    for (size_t i = 0; i < views->count; i++) {
        views->items[i].access = &accesses[views->items[i].access_index];
        views->items[i].launch = &launches[views->items[i].launch_index];
    }
    if (views->count)
        qsort(views->items, views->count, sizeof *views->items, by_place);
}

bool bw_views_pick(bw_views *views, bw_session *session, const bw_view_filter *filter)
{
    const bw_launch *launches;
    size_t count = bw_program_launches(session->program, &launches);
    *views = (bw_views){.items = NULL};
    picker to = {
        .views = views, .session = session, .filter = filter, .arch = session->program->arch};
    bool good = true;
    for (to.launch = 0; to.launch < count && good; to.launch++)
        good = run_launch(&to);
    if (good)
        finish_views(&to, launches);
    free(to.passed);
    return good;
}

void bw_views_finish(bw_views *views)
{
    free(views->items);
    bw_arena_finish(&views->arena);
    *views = (bw_views){.items = NULL};
}

size_t bw_views_worst(const bw_views *views)
{
    size_t worst = 0;
    for (size_t i = 1; i < views->count; i++)
        if (is_worse(&views->items[i], &views->items[worst]))
            worst = i;
    return worst;
}

const char *bw_view_place(const bw_view *view, bw_arena *arena)
{
    const uint32_t *grid = view->launch->grid;
    const char *block = "";
    if ((uint64_t)grid[0] * grid[1] * grid[2] > 1)
        block = bw_arena_format(arena, "block (%" PRIu64 ", %" PRIu64 ", %" PRIu64 "), ",
                                view->block % grid[0], view->block / grid[0] % grid[1],
                                view->block / grid[0] / grid[1]);
    const char *equal =
        view->equal > 1 ? bw_arena_format(arena, " and %" PRIu64 " like it", view->equal - 1) : "";
    return bw_arena_format(arena, "%swarp %" PRIu32 ", request %" PRIu64 " of %" PRIu64 "%s", block,
                           view->warp, view->number, view->of, equal);
}
