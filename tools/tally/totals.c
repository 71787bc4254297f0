/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "totals.h"

#include <stdlib.h>
#include <string.h>

/* So many that the wavefronts of all of them, 1 << 16 each, can be counted. */
#define MOST_REQUESTS (UINT64_MAX >> 16)

void bw_totals_finish(bw_totals *totals)
{
    free(totals->rows);
    free(totals->others);
    free(totals->files);
    bw_arena_finish(&totals->arena);
    *totals = (bw_totals){.rows = NULL};
}

/* ---- keys ---- */

static int compare_texts(const char *a, const char *b)
{
    if (a == b || !a || !b)
        return a == b ? 0 : a ? 1 : -1;
    return strcmp(a, b);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_keys(const bw_total_key *a, const bw_total_key *b)
{
    const int orders[] = {
        compare_texts(a->kernel, b->kernel),     compare_numbers(a->line, b->line),
        compare_numbers(a->column, b->column),   compare_numbers(a->has_address, b->has_address),
        compare_numbers(a->address, b->address), compare_numbers((uint64_t)a->op, (uint64_t)b->op),
        compare_texts(a->opcode, b->opcode),
    };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (orders[i])
            return orders[i];
    return 0;
}

static uint32_t hash_of(const bw_total_key *key)
{
    uint32_t hash =
        bw_hash_text(key->kernel ? key->kernel : "", key->kernel ? strlen(key->kernel) : 0);
    hash = bw_hash_number(hash, key->line << 12 ^ key->column);
    hash = bw_hash_number(hash, key->address);
    return bw_hash_number(hash, (uint64_t)key->op);
}

bw_total *bw_totals_row(bw_totals *totals, const bw_total_key *key)
{
    uint32_t hash = hash_of(key), found;
    for (size_t at = 0; (found = bw_index_next(&totals->index, hash, &at)) != BW_NO_ROW;)
        if (compare_keys(&totals->rows[found].key, key) == 0)
            return &totals->rows[found];
    BW_GROW(totals->rows, totals->count, totals->capacity);
    bw_total *row = &totals->rows[totals->count];
    *row = (bw_total){.key = *key};
    row->key.kernel = bw_arena_text(&totals->arena, key->kernel);
    row->key.opcode = bw_arena_text(&totals->arena, key->opcode);
    bw_index_add(&totals->arena, &totals->index, hash, (uint32_t)totals->count++);
    return row;
}

/* ---- adding ---- */

/* One that lives elsewhere: its file's name is copied unless it is that of the one before. */
static void take_example(bw_totals *totals, bw_total *row, const bw_total_example *from)
{
    const char *file = row->worst.file;
    if (compare_texts(file, from->file) != 0)
        file = bw_arena_text(&totals->arena, from->file);
    row->worst = *from;
    row->worst.file = file;
    row->worst.request.sources = NULL;
    row->given = from->file;
}

/* Whether a request takes the place of the row's example: nearly always not, told by two
 * comparisons. */
static inline bool is_better(const bw_total *row, uint32_t wavefronts, const char *file,
                             uint64_t line)
{
    if (row->requests == 0 || wavefronts > row->worst.wavefronts)
        return true;
    if (wavefronts < row->worst.wavefronts)
        return false;
    int order = file == row->given ? 0 : compare_texts(file, row->worst.file);
    return (order ? order : compare_numbers(line, row->worst.line)) < 0;
}

/* Whether so many more can be counted. */
static bool has_room(bw_totals *totals, uint64_t requests)
{
    if (requests > MOST_REQUESTS - totals->requests)
        totals->overflow = true;
    else
        totals->requests += requests;
    return !totals->overflow;
}

void bw_totals_add(bw_totals *totals, bw_total *row, const bw_total_place *at, const bw_cost *cost,
                   uint64_t copies)
{
    if (!has_room(totals, copies))
        return;
    if (row->requests == 0 || cost->basis > row->basis)
        row->basis = cost->basis;
    if (is_better(row, cost->wavefronts, at->file, at->line))
        take_example(totals, row,
                     &(bw_total_example){*at->request, cost->wavefronts, at->file, at->line,
                                         at->block, at->warp});
    row->requests += copies;
    row->wavefronts += copies * cost->wavefronts;
    row->ideal += copies * cost->ideal;
    row->cycles += copies * cost->cycles;
    row->excess_layout += copies * cost->excess_layout;
    row->excess_serial += copies * cost->excess_serial;
    row->at_least += cost->at_least ? copies : 0;
    row->degree_sum += copies * cost->degree;
    row->degree = cost->degree > row->degree ? cost->degree : row->degree;
}

void bw_totals_other(bw_totals *totals, const char *opcode, const char *why, uint64_t count)
{
    for (size_t i = 0; i < totals->other_count; i++)
        if (strcmp(totals->others[i].opcode, opcode) == 0 &&
            strcmp(totals->others[i].why, why) == 0) {
            totals->others[i].count += count;
            return;
        }
    BW_GROW(totals->others, totals->other_count, totals->other_capacity);
    totals->others[totals->other_count++] = (bw_total_other){
        bw_arena_text(&totals->arena, opcode), bw_arena_text(&totals->arena, why), count};
}

void bw_totals_file(bw_totals *totals, const bw_total_file *file)
{
    BW_GROW(totals->files, totals->file_count, totals->file_capacity);
    totals->files[totals->file_count++] =
        (bw_total_file){bw_arena_text(&totals->arena, file->name),
                        bw_arena_text(&totals->arena, file->form), file->guesses_lanes};
}

/* ---- merging ---- */

static void add_sums(bw_total *to, const bw_total *from)
{
    to->basis = from->basis > to->basis ? from->basis : to->basis;
    to->requests += from->requests;
    to->wavefronts += from->wavefronts;
    to->ideal += from->ideal;
    to->cycles += from->cycles;
    to->excess_layout += from->excess_layout;
    to->excess_serial += from->excess_serial;
    to->at_least += from->at_least;
    to->degree_sum += from->degree_sum;
    to->degree = from->degree > to->degree ? from->degree : to->degree;
}

void bw_totals_merge(bw_totals *totals, const bw_totals *more)
{
    for (size_t i = 0; i < more->count; i++) {
        const bw_total *from = &more->rows[i];
        if (!from->requests)
            continue;
        bw_total *row = bw_totals_row(totals, &from->key);
        if (!has_room(totals, from->requests))
            return;
        if (is_better(row, from->worst.wavefronts, from->worst.file, from->worst.line))
            take_example(totals, row, &from->worst);
        row->given = NULL; /* the other totals' texts may be gone when the next are merged */
        add_sums(row, from);
    }
    for (size_t i = 0; i < more->file_count; i++)
        bw_totals_file(totals, &more->files[i]);
    totals->skipped += more->skipped;
    totals->idle += more->idle;
    totals->overflow = totals->overflow || more->overflow;
    for (size_t i = 0; i < more->other_count; i++)
        bw_totals_other(totals, more->others[i].opcode, more->others[i].why, more->others[i].count);
}

bw_total bw_totals_sum(const bw_totals *totals)
{
    bw_total sum = {.requests = 0};
    for (size_t i = 0; i < totals->count; i++) {
        const bw_total *row = &totals->rows[i];
        if (row->requests &&
            is_better(&sum, row->worst.wavefronts, row->worst.file, row->worst.line))
            sum.worst = row->worst;
        add_sums(&sum, row);
    }
    return sum;
}

/* ---- order ---- */

static int by_excess(const void *left, const void *right)
{
    const bw_total *a = left, *b = right;
    int order = compare_numbers(b->wavefronts - b->ideal, a->wavefronts - a->ideal);
    return order ? order : compare_keys(&a->key, &b->key);
}

static int by_opcode(const void *left, const void *right)
{
    const bw_total_other *a = left, *b = right;
    int order = strcmp(a->opcode, b->opcode);
    return order ? order : strcmp(a->why, b->why);
}

static int by_name(const void *left, const void *right)
{
    const bw_total_file *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->form, b->form);
}

void bw_totals_sort(bw_totals *totals)
{
    if (totals->count)
        qsort(totals->rows, totals->count, sizeof *totals->rows, by_excess);
    if (totals->other_count)
        qsort(totals->others, totals->other_count, sizeof *totals->others, by_opcode);
    if (totals->file_count)
        qsort(totals->files, totals->file_count, sizeof *totals->files, by_name);
    /* the rows are elsewhere than the index says */
    totals->index = (bw_index){.slots = NULL};
    for (size_t i = 0; i < totals->count; i++)
        bw_index_add(&totals->arena, &totals->index, hash_of(&totals->rows[i].key), (uint32_t)i);
}
