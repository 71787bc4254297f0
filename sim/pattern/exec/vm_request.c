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

static const char *array_at(const bw_vm *vm, uint32_t offset)
{
    const bw_code *c = vm->code;
    for (size_t k = 0; k < c->shared_count; k++)
        if (offset >= c->shared[k].offset && offset - c->shared[k].offset < c->shared[k].size)
            return c->shared[k].name;
    return "shared memory";
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

/* The access of a site for requests of `op`, made where there is none yet. */
static int32_t access_of(bw_vm *vm, bw_site *site, bw_op op, uint32_t offset)
{
    int32_t *index = op == site->op ? &site->access : &site->joined[bw_op_get(op)->bytes == 16];
    if (*index >= 0)
        return *index;
    bw_place place = bw_lines_place(vm->lines, site->span.offset);
    if (*vm->access_count == *vm->access_capacity) { /* in the arena: earlier lists stay readable */
        size_t capacity = *vm->access_capacity ? *vm->access_capacity * 2 : 16;
        bw_access *grown = bw_arena_alloc(vm->arena, capacity * sizeof *grown);
        if (*vm->access_count)
            memcpy(grown, *vm->accesses, *vm->access_count * sizeof *grown);
        *vm->accesses = grown;
        *vm->access_capacity = capacity;
    }
    *index = (int32_t)*vm->access_count;
    (*vm->accesses)[(*vm->access_count)++] = (bw_access){.span = site->span,
                                                         .line = place.line,
                                                         .column = place.column,
                                                         .source = folded(vm, site->span),
                                                         .array = array_at(vm, offset),
                                                         .op = op,
                                                         .joins = op};
    return *index;
}

void bw_deliver(bw_vm *vm, uint32_t number, uint32_t warp, const bw_request *request)
{
    bw_site *site = &vm->sites->items[number];
    int32_t access = site->access;
    if (access < 0 || request->op != site->op)
        access = access_of(vm, site, request->op, request->addr[bw_lowest_lane(request->active)]);
    bw_request_origin origin = {(uint32_t)access, warp, vm->block};
    if (!vm->sink->request(vm->sink->context, &origin, request, vm->copies))
        vm->stopped = true;
}

void bw_mark_joins(bw_vm *vm, uint32_t number, bw_op op)
{
    int32_t access = vm->sites->items[number].access;
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
