/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "vm_join.h"
#include "vm_race.h"

/* ---- addresses
 * ---------------------------------------------------------------------------------------- */

void bw_report_unknown_address(bw_vm *vm, const bw_warp *w, const bw_ins *i, const bw_reg *a,
                               uint32_t lanes)
{
    bw_site *site = bw_vm_site(vm, i);
    if (site->reported)
        return;
    site->reported = true;
    bw_diagnostic *d =
        bw_vm_error(vm, BW_MSG_UNKNOWN_ADDRESS, i->span,
                    "the address of this access depends on a value that is not known "
                    "here (lane %d of warp %u)",
                    bw_lowest_lane(lanes), w->index);
    bw_vm_explain_unknown(vm, d, a->origin);
}

/* Sorts the active lanes of `a` by space. */
void bw_find_places(const bw_vm *vm, const bw_reg *a, uint32_t lanes, bw_places *p)
{
    p->shared = p->local = p->object = p->bad = 0;
    BW_FOR_LANES (l) {
        if (!(lanes >> l & 1))
            continue;
        uint64_t q = a->q[a->uniform ? 0 : l];
        uint64_t tag = q >> BW_TAG_SHIFT, offset = q - BW_POINTER(tag, 0);
        uint32_t bit = 1u << l;
        p->address[l] = q;
        p->offset[l] = (uint32_t)offset;
        bool far = offset > UINT32_MAX;
        if (tag == BW_TAG_SHARED && !far)
            p->shared |= bit;
        else if (tag == BW_TAG_LOCAL && !far)
            p->local |= bit;
        else if (tag >= BW_TAG_OBJECT && tag - BW_TAG_OBJECT < vm->code->object_count) {
            if (!p->object)
                p->object_index = (uint32_t)(tag - BW_TAG_OBJECT);
            p->object |= bit;
        } else
            p->bad |= bit;
    }
}

/* The common case, fast: every active lane points into shared memory. */
bool bw_all_shared(const bw_reg *a, uint32_t lanes, uint32_t *offset)
{
    uint32_t high = 0;
    const uint32_t tag = (uint32_t)(BW_POINTER(BW_TAG_SHARED, 0) >> 32);
    if (a->uniform) {
        BW_FOR_LANES (l)
            offset[l] = (uint32_t)a->q[0];
        return (uint32_t)(a->q[0] >> 32) == tag;
    }
    if (lanes == UINT32_MAX) {
        BW_FOR_LANES (l) {
            offset[l] = (uint32_t)a->q[l];
            high |= (uint32_t)(a->q[l] >> 32) ^ tag;
        }
        return high == 0;
    }
    BW_FOR_LANES (l) {
        offset[l] = (uint32_t)a->q[l];
        high |= lanes >> l & 1 ? (uint32_t)(a->q[l] >> 32) ^ tag : 0;
    }
    return high == 0;
}

/* ---- requests
 * -------------------------------------------------------------------------------------------- */

static const bw_shared_object *array_at(const bw_vm *vm, uint32_t offset)
{
    const bw_code *c = vm->code;
    for (size_t k = 0; k < c->shared_count; k++)
        if (offset - c->shared[k].offset < c->shared[k].size)
            return &c->shared[k];
    return NULL;
}

/* "tile  [x]\n [y]" as "tile [x] [y]". */
static const char *folded(bw_vm *vm, bw_span span)
{
    char *text = bw_arena_copy(vm->arena, vm->source->text + span.offset, span.len), *to = text;
    for (const char *from = text; *from; from++) {
        bool space = *from == ' ' || *from == '\t' || *from == '\n' || *from == '\r';
        if (!space)
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
    return text;
}

/* A new access of a place that has others: what of them differs is said of each. Those before it
 * are all said alike. */
static void mark_several(bw_vm *vm, bw_access *first, bw_access *added)
{
    bool calls = first->several_calls, arrays = first->several_arrays;
    added->several_calls = calls || first->call != added->call;
    added->several_arrays = arrays || strcmp(first->array, added->array) != 0;
    if (added->several_calls == calls && added->several_arrays == arrays)
        return;
    for (bw_access *a = *vm->accesses; a < added; a++)
        if (bw_access_same_place(a, added)) {
            a->several_calls = added->several_calls;
            a->several_arrays = added->several_arrays;
        }
}

static uint32_t hash_place(bw_span span, bw_op op)
{
    return bw_hash_number((uint32_t)op, (uint64_t)span.offset << 32 | span.len);
}

/* Makes the list longer by one, and knows its place. */
static void index_access(bw_vm *vm, bw_access *added)
{
    uint32_t hash = hash_place(added->span, added->op);
    size_t at = 0;
    for (uint32_t i; (i = bw_index_next(&vm->sites->places, hash, &at)) != BW_NO_ROW;)
        if (bw_access_same_place(&(*vm->accesses)[i], added)) {
            mark_several(vm, &(*vm->accesses)[i], added);
            return;
        }
    bw_index_add(vm->arena, &vm->sites->places, hash, (uint32_t)*vm->access_count);
}

static uint32_t add_access(bw_vm *vm, const bw_site *site, bw_op op, const char *array)
{
    bw_place place = bw_lines_place(vm->lines, site->span.offset);
    if (*vm->access_count == *vm->access_capacity) { /* in the arena: earlier lists stay readable */
        size_t capacity = *vm->access_capacity ? *vm->access_capacity * 2 : 16;
        bw_access *grown = bw_arena_alloc(vm->arena, capacity * sizeof *grown);
        if (*vm->access_count)
            memcpy(grown, *vm->accesses, *vm->access_count * sizeof *grown);
        *vm->accesses = grown;
        *vm->access_capacity = capacity;
    }
    (*vm->accesses)[*vm->access_count] = (bw_access){.span = site->span,
                                                     .line = place.line,
                                                     .column = place.column,
                                                     .source = folded(vm, site->shown),
                                                     .array = array,
                                                     .call = site->call,
                                                     .op = op,
                                                     .joins = op};
    index_access(vm, &(*vm->accesses)[*vm->access_count]);
    return (uint32_t)(*vm->access_count)++;
}

static bool is_access(const bw_access *a, const bw_site *site, bw_op op, const char *array)
{
    return a->span.offset == site->span.offset && a->span.len == site->span.len && a->op == op &&
           a->call == site->call && strcmp(a->array, array) == 0;
}

/* The access of a site for requests of `op` at an offset, made where there is none yet. */
static uint32_t access_of(bw_vm *vm, bw_site *site, bw_op op, uint32_t offset)
{
    const bw_shared_object *object = array_at(vm, offset);
    const char *array = object ? object->name : "shared memory";
    uint32_t hash = bw_hash_number(hash_place(site->span, op) ^ bw_hash_text(array, strlen(array)),
                                   (uintptr_t)site->call);
    uint32_t k;
    size_t at = 0;
    while ((k = bw_index_next(&vm->sites->accesses, hash, &at)) != BW_NO_ROW &&
           !is_access(&(*vm->accesses)[k], site, op, array)) {
    }
    if (k == BW_NO_ROW) {
        k = add_access(vm, site, op, array);
        bw_index_add(vm->arena, &vm->sites->accesses, hash, k);
    }
    site->latest = (int32_t)k;
    site->op_latest = op;
    site->from = object ? object->offset : 0;
    site->bytes = object ? object->size : UINT32_MAX;
    return k;
}

void bw_deliver(bw_vm *vm, uint32_t number, uint32_t warp, const bw_request *request)
{
    bw_site *site = &vm->sites->items[number];
    uint32_t offset = request->addr[bw_lowest_lane(request->active)],
             access = (uint32_t)site->latest;
    if (site->latest < 0 || request->op != site->op_latest || offset - site->from >= site->bytes)
        access = access_of(vm, site, request->op, offset);
    bw_request_origin origin = {access, warp, vm->block};
    if (!vm->sink->request(vm->sink->context, &origin, request, vm->copies))
        vm->stopped = true;
}

void bw_mark_joins(bw_vm *vm, uint32_t number, bw_op op)
{
    int32_t access = vm->sites->items[number].latest;
    if (access < 0)
        return;
    bw_access *a = &(*vm->accesses)[access];
    if (bw_op_get(op)->bytes > bw_op_get(a->joins)->bytes)
        a->joins = op;
}

static bool bad_request(bw_vm *vm, const bw_warp *w, const bw_ins *i, const bw_request *r, int lane)
{
    bw_site *site = bw_vm_site(vm, i);
    if (site->reported)
        return false;
    site->reported = true;
    const bw_op_info *info = bw_op_get(r->op);
    uint32_t a = r->addr[lane];
    if (a % info->bytes) {
        bw_diagnostic *d = bw_vm_error(
            vm, BW_MSG_MISALIGNED_ACCESS, i->span,
            "misaligned access: lane %d of warp %u uses byte address %u, which is not a "
            "multiple of %u",
            lane, w->index, a, info->bytes);
        bw_note(vm->diags, d,
                info->matrices
                    ? "a matrix row begins at a multiple of 16 bytes: check the row's stride"
                    : "an access of %u bytes needs such an address: check the index and "
                      "the row's stride, or use a narrower type",
                info->bytes);
    } else {
        bw_diagnostic *d =
            bw_vm_error(vm, BW_MSG_OUTSIDE_SHARED, i->span,
                        "lane %d of warp %u uses byte address %u, but the block has %u "
                        "bytes of shared memory",
                        lane, w->index, a, vm->shared.size);
        bw_note(vm->diags, d,
                vm->code->dynamic_shared
                    ? "check the index, or ask for more in the launch's third argument"
                    : "check the index, or make the array larger");
    }
    return false;
}

void bw_report_matrix_lanes(bw_vm *vm, const bw_warp *w, const bw_ins *i)
{
    bw_site *site = bw_vm_site(vm, i);
    if (site->reported)
        return;
    site->reported = true;
    bw_note(vm->diags,
            bw_vm_error(vm, BW_MSG_INACTIVE_LANES, i->span,
                        "%s needs all 32 lanes of the warp: lane %d of warp %u is off",
                        bw_op_get(site->op)->name, bw_lowest_lane(~w->mask), w->index),
            "run it outside the branch, with a block whose size is a multiple of 32");
}

/* Checks the request and hands it on. False if it is impossible. */
bool bw_make_request(bw_vm *vm, const bw_warp *w, const bw_ins *i, uint32_t lanes,
                     const uint32_t *offset)
{
    bw_site *site = bw_vm_site(vm, i);
    bw_request r;
    r.op = site->op;
    r.active = lanes;
    r.sources = NULL;
    const bw_op_info *info = bw_op_get(site->op);
    uint32_t low = 0, high = 0;
    if (lanes == UINT32_MAX) {
        BW_FOR_LANES (l) {
            r.addr[l] = offset[l];
            low |= offset[l];
            high = offset[l] > high ? offset[l] : high;
        }
    } else {
        BW_FOR_LANES (l) {
            uint32_t a = lanes >> l & 1 ? offset[l] : 0;
            r.addr[l] = a;
            low |= a;
            high = a > high ? a : high;
        }
    }
    if ((low & (info->bytes - 1u)) || high >= vm->shared.size ||
        vm->shared.size - high < info->bytes) {
        int lane = bw_request_bad_lane(&r, vm->shared.size);
        if (lane >= 0)
            return bad_request(vm, w, i, &r, lane);
    }
    if (vm->racing)
        bw_races_see(vm, w, i, &r);
    if (!vm->joining || !bw_join(vm, w, i, &r))
        bw_deliver(vm, i->site, w->index, &r);
    return true;
}

void bw_report_bad(bw_vm *vm, const bw_warp *w, const bw_ins *i, const bw_places *p)
{
    bw_site *site = bw_vm_site(vm, i);
    if (!p->bad || site->reported)
        return;
    site->reported = true;
    int l = bw_lowest_lane(p->bad);
    int64_t offset = (int64_t)(p->address[l] - BW_POINTER(BW_TAG_SHARED, 0));
    if (offset > -(int64_t)BW_BIAS && offset < (int64_t)BW_BIAS)
        bw_note(vm->diags,
                bw_vm_error(vm, BW_MSG_OUTSIDE_SHARED, i->span,
                            "lane %d of warp %u uses byte address %lld of the block's %u "
                            "bytes of shared memory",
                            l, w->index, (long long)offset, vm->shared.size),
                "check the pointer and the index: they leave the array");
    else
        bw_note(vm->diags,
                bw_vm_error(vm, BW_MSG_NULL_POINTER, i->span,
                            "lane %d of warp %u uses a pointer to nothing (0x%llx)", l, w->index,
                            (unsigned long long)p->address[l]),
                "give the pointer a value: an array, or the address of an element");
}
