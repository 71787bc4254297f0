/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Documents of totals, read back to be added.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "tally_report.h"

/* Whole numbers up to here are exact in JSON as programs read it (RFC 8259, 6). */
#define MOST 9007199254740992.0

/* What is read, and the first thing that is wrong with it. */
typedef struct reading {
    const char *wrong;
} reading;

static uint64_t number_of(reading *at, const bw_json *object, const char *name)
{
    const bw_json *member = bw_json_member(object, name);
    if (!member || member->kind != BW_JSON_NUMBER || member->number < 0 || member->number > MOST ||
        member->number != (double)(uint64_t)member->number) {
        at->wrong = at->wrong ? at->wrong : name;
        return 0;
    }
    return (uint64_t)member->number;
}

/* 0 where it is null. */
static uint64_t said_number(reading *at, const bw_json *object, const char *name)
{
    const bw_json *member = bw_json_member(object, name);
    return member && member->kind == BW_JSON_NULL ? 0 : number_of(at, object, name);
}

static const char *text_of(reading *at, const bw_json *object, const char *name)
{
    const char *text = bw_json_text(object, name);
    if (!text)
        at->wrong = at->wrong ? at->wrong : name;
    return text ? text : "";
}

static uint64_t hexadecimal(reading *at, const bw_json *object, const char *name)
{
    char *end;
    const char *text = text_of(at, object, name);
    uint64_t value = strtoull(text, &end, 16);
    if (!*text || *end)
        at->wrong = at->wrong ? at->wrong : name;
    return value;
}

static bw_op op_of(reading *at, const bw_json *object)
{
    const char *name = text_of(at, object, "op");
    bw_op op = bw_op_find(name, strlen(name));
    if (op == BW_OP_COUNT)
        at->wrong = at->wrong ? at->wrong : "op";
    return op;
}

static bw_basis basis_of(reading *at, const bw_json *object)
{
    const char *name = text_of(at, object, "basis");
    for (int basis = BW_BASIS_MEASURED; basis <= BW_BASIS_DOCUMENTED; basis++)
        if (strcmp(name, bw_basis_name((bw_basis)basis)) == 0)
            return (bw_basis)basis;
    at->wrong = at->wrong ? at->wrong : "basis";
    return BW_BASIS_DOCUMENTED;
}

static void read_addresses(reading *at, const bw_json *worst, bw_request *request)
{
    const bw_json *list = bw_json_member(worst, "addresses");
    const bw_json *address = list ? list->first : NULL;
    for (unsigned lane = 0; lane < BW_LANES; lane++, address = address->next) {
        if (!address || (address->kind != BW_JSON_NUMBER && address->kind != BW_JSON_NULL) ||
            address->number < 0 || address->number > UINT32_MAX) {
            at->wrong = at->wrong ? at->wrong : "addresses";
            return;
        }
        request->addr[lane] = address->kind == BW_JSON_NUMBER ? (uint32_t)address->number : 0;
    }
}

static void read_example(reading *at, const bw_json *object, bw_total *row)
{
    const bw_json *worst = bw_json_member(object, "worst");
    row->worst = (bw_total_example){.wavefronts = (uint32_t)number_of(at, worst, "wavefronts"),
                                    .file = text_of(at, worst, "file"),
                                    .line = number_of(at, worst, "line"),
                                    .block = number_of(at, worst, "block"),
                                    .warp = number_of(at, worst, "warp")};
    row->worst.request.op = row->key.op;
    row->worst.request.active = (uint32_t)hexadecimal(at, worst, "active");
    read_addresses(at, worst, &row->worst.request);
}

static bw_total read_row(reading *at, const bw_json *object)
{
    bw_total row = {.key = {.kernel = bw_json_text(object, "kernel"),
                            .line = said_number(at, object, "line"),
                            .column = said_number(at, object, "column"),
                            .opcode = bw_json_text(object, "opcode"),
                            .op = op_of(at, object)},
                    .requests = number_of(at, object, "requests"),
                    .wavefronts = number_of(at, object, "wavefronts"),
                    .ideal = number_of(at, object, "ideal"),
                    .cycles = number_of(at, object, "cycles"),
                    .excess_layout = number_of(at, object, "excess_layout"),
                    .excess_serial = number_of(at, object, "excess_serial"),
                    .at_least = number_of(at, object, "at_least"),
                    .degree_sum = number_of(at, object, "degree_sum"),
                    .degree = (uint32_t)number_of(at, object, "degree"),
                    .basis = basis_of(at, object)};
    if (bw_json_text(object, "address")) {
        row.key.has_address = true;
        row.key.address = hexadecimal(at, object, "address");
    }
    read_example(at, object, &row);
    if (row.wavefronts < row.ideal)
        at->wrong = at->wrong ? at->wrong : "wavefronts";
    return row;
}

static const bw_json *first_of(reading *at, const bw_json *root, const char *name)
{
    const bw_json *list = bw_json_member(root, name);
    if (!list || list->kind != BW_JSON_ARRAY)
        at->wrong = at->wrong ? at->wrong : name;
    return list ? list->first : NULL;
}

static void read_document(reading *at, const bw_json *root, bw_totals *totals)
{
    totals->skipped = number_of(at, root, "skipped");
    totals->idle = number_of(at, root, "idle");
    for (const bw_json *file = first_of(at, root, "files"); file; file = file->next) {
        const bw_json *guessed = bw_json_member(file, "lanes_guessed");
        bw_totals_file(totals,
                       &(bw_total_file){text_of(at, file, "name"), text_of(at, file, "form"),
                                        guessed && guessed->kind == BW_JSON_TRUE});
    }
    for (const bw_json *other = first_of(at, root, "unpriced"); other; other = other->next)
        bw_totals_other(totals, text_of(at, other, "opcode"), text_of(at, other, "why"),
                        number_of(at, other, "count"));
    for (const bw_json *object = first_of(at, root, "instructions"); object && !at->wrong;
         object = object->next) {
        bw_total row = read_row(at, object);
        bw_totals one = {.rows = &row, .count = 1};
        if (!at->wrong)
            bw_totals_merge(totals, &one);
    }
}

static bool refuse(const char *name, const char *note, const char *what, const char *which)
{
    bw_complain(BW_MSG_TALLY_FORM, note, "%s: %s%s", name, what, which);
    return false;
}

bool bw_tally_read(const char *name, const char *text, size_t len, const bw_arch *arch,
                   bw_totals *totals)
{
    bw_arena arena = {NULL};
    bw_totals read = {.rows = NULL};
    reading at = {NULL};
    size_t where;
    const char *note = "merge what 'bankwise tally --format json' wrote";
    const bw_json *root = bw_json_read(&arena, text, len, &where);
    const char *schema = bw_json_text(root, "schema"), *of = bw_json_text(root, "arch");
    bool good = true;
    if (!schema || strcmp(schema, "bankwise.tally/1") != 0)
        good = refuse(name, note, "this is no tally in JSON", "");
    else if (!of || strcmp(of, arch->name) != 0)
        good = refuse(name, "tallies are of one architecture, as --arch says",
                      "the tally is of another architecture: ", of ? of : "none");
    if (good)
        read_document(&at, root, &read);
    if (good && at.wrong)
        good = refuse(name, note, "the tally has no good ", at.wrong);
    if (good)
        bw_totals_merge(totals, &read);
    bw_totals_finish(&read);
    bw_arena_finish(&arena);
    return good;
}
