/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "vm.h"

/* ---- scalars in memory
 * --------------------------------------------------------------------------------------- */

static uint32_t memory_bytes(bw_memory m)
{
    static const uint8_t bytes[] = {
        [BW_MEM_S8] = 1, [BW_MEM_U8] = 1,  [BW_MEM_S16] = 2,  [BW_MEM_U16] = 2,  [BW_MEM_32] = 4,
        [BW_MEM_64] = 8, [BW_MEM_F16] = 2, [BW_MEM_BF16] = 2, [BW_MEM_BOOL] = 1,
    };
    _Static_assert(sizeof bytes == BW_MEMORIES, "a size for each");
    return bytes[m];
}

/* Raw bits as the register class holds them. */
static void decode(bw_reg *d, int l, bw_memory m, uint64_t bits)
{
    switch (m) {
    /* NOLINTNEXTLINE(bugprone-signed-char-misuse,cert-str34-c): the sign is to be extended */
    case BW_MEM_S8: d->i[l] = (int8_t)bits; break;
    case BW_MEM_S16: d->i[l] = (int16_t)bits; break;
    case BW_MEM_64: d->q[l] = bits; break;
    case BW_MEM_F16: d->f[l] = bw_half_value((uint16_t)bits); break;
    case BW_MEM_BF16: d->u[l] = (uint32_t)bits << 16; break;
    case BW_MEM_BOOL: d->i[l] = bits != 0; break;
    default: d->u[l] = (uint32_t)bits;
    }
}

static uint64_t encode(const bw_reg *a, int l, bw_memory m)
{
    l = a->uniform ? 0 : l;
    switch (m) {
    case BW_MEM_64: return a->q[l];
    case BW_MEM_F16: return bw_half_bits(a->f[l]);
    case BW_MEM_BF16: return a->u[l] >> 16;
    default: return a->u[l];
    }
}

/* What is read of shared memory that nothing wrote is of the reading instruction. */
static uint32_t shared_origin(const bw_ins *i, uint32_t origin)
{
    return origin == BW_NEVER_WRITTEN ? i->origin | BW_ORIGIN_UNWRITTEN : origin;
}

/* ---- a lane's own memory: words of the 32 lanes lie side by side
 * -------------------------------------------------- */

static uint8_t *local_byte(const bw_warp *w, uint32_t offset, int lane)
{
    return w->local + ((size_t)(offset / 4) * BW_LANES + (size_t)lane) * 4 + offset % 4;
}

static bool local_read(const bw_warp *w, uint32_t offset, uint32_t bytes, int lane, uint64_t *bits,
                       uint32_t *origin)
{
    *bits = 0;
    bool known = true;
    for (uint32_t k = 0; k < bytes; k++) {
        *bits |= (uint64_t)*local_byte(w, offset + k, lane) << (8 * k);
        if (w->local_state[offset + k] >> lane & 1) {
            known = false;
            *origin = w->local_origin[(offset + k) / 4];
        }
    }
    return known;
}

static void local_write(bw_warp *w, uint32_t offset, uint32_t bytes, int lane, uint64_t bits,
                        bool known, uint32_t origin)
{
    for (uint32_t k = 0; k < bytes; k++) {
        *local_byte(w, offset + k, lane) = (uint8_t)(bits >> (8 * k));
        uint32_t bit = 1u << lane;
        if (known) {
            w->local_state[offset + k] &= ~bit;
        } else {
            w->local_state[offset + k] |= bit;
            w->local_origin[(offset + k) / 4] = origin;
        }
    }
}

/* Scalars lie whole in one word or two: they need their alignment; pieces of structs go by bytes.
 */
static bool local_in_bounds(bw_vm *vm, const bw_warp *w, const bw_ins *i, const bw_places *p,
                            uint32_t bytes, uint32_t align)
{
    BW_FOR_LANES (l) {
        if (!(p->local >> l & 1))
            continue;
        if (p->offset[l] + (uint64_t)bytes <= vm->code->local_bytes && p->offset[l] % align == 0)
            continue;
        bw_note(vm->diags,
                bw_vm_error(vm, BW_MSG_OUTSIDE_LOCAL, i->span,
                            "lane %d of warp %u goes outside its local variables", l, w->index),
                "check the pointer or index: it leaves the object it was made from");
        vm->failed = true;
        return false;
    }
    return true;
}

/* ---- global values: assumed or given
 * ---------------------------------------------------------------------------- */

static void mark(bw_reg *d, int l, uint32_t origin)
{
    d->unknown |= 1u << l;
    d->origin = origin;
}

static void object_error(bw_vm *vm, const bw_ins *i, const bw_object *o, int64_t index,
                         size_t count)
{
    bw_note(vm->diags,
            bw_vm_error(vm, BW_MSG_ASSUMPTION, i->span,
                        "element %lld of '%s' is read, which has %zu element%s", (long long)index,
                        o->name, count, count == 1 ? "" : "s"),
            "give more values, or check the index");
    vm->failed = true;
}

/* Whether an element has the number; one without a sign has negative ones as C converts them. */
static bool element_has(const bw_object *o, double value)
{
    bw_class cls = bw_type_class(o->elem);
    int bits = 8 * (int)o->elem->size;
    return cls == BW_F32 || cls == BW_F64 ||
           (value >= -ldexp(1, bits - 1) && value < ldexp(1, bits));
}

static void number_error(bw_vm *vm, const bw_ins *i, const bw_object *o, int64_t index)
{
    bw_note(vm->diags,
            bw_vm_error(vm, BW_MSG_ASSUMPTION, i->span,
                        "element %lld of '%s' is %g, which its type does not have",
                        (long long)index, o->name, o->assume->table[index]),
            "give a number of its type");
    vm->failed = true;
}

/* The integer of a number from a table or a list; of one that no integer has, the nearest. */
static int64_t integer_of(double value)
{
    if (value != value) /* not a number */
        return 0;
    if (value >= 0x1p63)
        return value < 0x1p64 ? (int64_t)(uint64_t)value : INT64_MAX;
    return value < -0x1p63 ? INT64_MIN : (int64_t)value;
}

/* Element indices of `lanes` in `o`, read as values of o's element type. */
static void object_values(bw_vm *vm, bw_warp *w, const bw_ins *i, const bw_object *o,
                          const int64_t *index, uint32_t lanes, double *value, int64_t *integer)
{
    if (o->assume && o->assume->law) {
        bw_vm_law(vm, w, o, index, lanes, value, integer);
        return;
    }
    size_t count = o->assume ? o->assume->table_count : o->content_count;
    BW_FOR_LANES (l) {
        if (!(lanes >> l & 1))
            continue;
        if (index[l] < 0 || (uint64_t)index[l] >= count) {
            object_error(vm, i, o, index[l], count);
            return;
        }
        if (o->assume) {
            value[l] = o->assume->table[index[l]];
            if (!element_has(o, value[l])) {
                number_error(vm, i, o, index[l]);
                return;
            }
            integer[l] = integer_of(value[l]);
        } else {
            const bw_expr *e = o->content[index[l]];
            bool real = e && bw_type_is_float(e->type);
            value[l] = !e ? 0 : real ? e->real : (double)e->integer;
            integer[l] = !e ? 0 : real ? integer_of(e->real) : e->integer;
        }
    }
}

static bool has_values(const bw_vm *vm, const bw_object *o, uint32_t object)
{
    if (o->assume)
        return true;
    if (!o->content || vm->stored_to[object])
        return false;
    for (uint32_t k = 0; k < o->content_count; k++)
        if (o->content[k] && !bw_is_constant(o->content[k]))
            return false;
    return true;
}

static uint64_t element_bits(const bw_object *o, double value, int64_t integer)
{
    bw_reg r;
    r.uniform = true;
    bw_class cls = bw_type_class(o->elem);
    if (cls == BW_F32)
        r.f[0] = (float)value;
    else if (cls == BW_F64)
        r.d[0] = value;
    else if (o->elem->size == 8)
        r.l[0] = integer;
    else
        r.u[0] = (uint32_t)integer;
    return encode(&r, 0, bw_type_memory(o->elem));
}

/* Reads `bytes` for each object lane as raw bits; unknown lanes come back in the result's mask. */
static uint32_t object_read(bw_vm *vm, bw_warp *w, const bw_ins *i, const bw_places *p,
                            uint32_t bytes, uint32_t part, uint64_t *bits)
{
    uint32_t unknown = p->object, done = 0;
    while (p->object & ~done) {
        int first = bw_lowest_lane(p->object & ~done);
        uint32_t k = (uint32_t)((p->address[first] >> BW_TAG_SHIFT) - BW_TAG_OBJECT), lanes = 0;
        const bw_object *o = &vm->code->objects[k];
        int64_t index[BW_LANES] = {0}, integer[BW_LANES] = {0};
        double value[BW_LANES] = {0};
        BW_FOR_LANES (l) {
            if (!(p->object >> l & 1) || (p->address[l] >> BW_TAG_SHIFT) != k + BW_TAG_OBJECT)
                continue;
            lanes |= 1u << l;
            int64_t offset = (int64_t)(p->address[l] - BW_POINTER(BW_TAG_OBJECT + k, 0)) + part;
            index[l] = offset / (int64_t)o->elem_size;
            if (offset % (int64_t)o->elem_size)
                lanes &= ~(1u << l), done |= 1u << l;
        }
        done |= lanes;
        if (!has_values(vm, o, k) || bytes != o->elem_size || !bw_type_is_scalar(o->elem))
            continue;
        object_values(vm, w, i, o, index, lanes, value, integer);
        if (vm->failed)
            return p->object;
        BW_FOR_LANES (l)
            if (lanes >> l & 1)
                bits[l] = element_bits(o, value[l], integer[l]);
        unknown &= ~lanes;
    }
    return unknown;
}

/* ---- instructions
 * --------------------------------------------------------------------------------------------------
 */

static void load_rest(bw_vm *vm, bw_warp *w, const bw_ins *i, const bw_places *p, bw_reg *d)
{
    bw_memory m = (bw_memory)i->memory;
    uint32_t bytes = memory_bytes(m);
    uint64_t bits[BW_LANES] = {0};
    if (p->object) {
        uint32_t unknown = object_read(vm, w, i, p, bytes, 0, bits);
        BW_FOR_LANES (l) {
            if (!(p->object >> l & 1))
                continue;
            decode(d, l, m, bits[l]);
            if (unknown >> l & 1)
                mark(d, l, i->origin);
        }
    }
    if (p->local && local_in_bounds(vm, w, i, p, bytes, bytes))
        BW_FOR_LANES (l) {
            uint32_t origin = 0;
            if (!(p->local >> l & 1))
                continue;
            bool known = local_read(w, p->offset[l], bytes, l, &bits[l], &origin);
            decode(d, l, m, bits[l]);
            if (!known)
                mark(d, l, origin);
        }
}

static void load_shared_values(bw_vm *vm, const bw_ins *i, uint32_t lanes, const uint32_t *offset,
                               bw_reg *d)
{
    bw_memory m = (bw_memory)i->memory;
    uint32_t bytes = memory_bytes(m);
    BW_FOR_LANES (l) {
        uint64_t bits;
        uint32_t origin;
        if (!(lanes >> l & 1))
            continue;
        if (!bw_image_read(&vm->shared, offset[l], bytes, &bits, &origin))
            mark(d, l, shared_origin(i, origin));
        decode(d, l, m, bits);
    }
}

static void run_load(bw_vm *vm, bw_warp *w, const bw_ins *i)
{
    const bw_reg *a = &w->regs[i->a];
    bw_reg *d = i->dst == BW_NO_REG ? NULL : &w->regs[i->dst];
    uint32_t lanes = w->mask;
    assert(a);
    if (d) {
        d->uniform = false;
        d->unknown = 0;
    }
    if (a->unknown & lanes) {
        bw_report_unknown_address(vm, w, i, a, a->unknown & lanes);
        if (d) {
            d->unknown = lanes;
            d->origin = a->origin;
        }
        return;
    }
    bw_places p;
    if (bw_all_shared(a, lanes, p.offset)) {
        if (bw_make_request(vm, w, i, lanes, p.offset)) {
            if (d)
                load_shared_values(vm, i, lanes, p.offset, d);
        } else if (d) {
            d->unknown = lanes;
            d->origin = i->origin;
        }
        return;
    }
    bw_find_places(vm, a, lanes, &p);
    bw_report_bad(vm, w, i, &p);
    if (p.shared && bw_make_request(vm, w, i, p.shared, p.offset) && d)
        load_shared_values(vm, i, p.shared, p.offset, d);
    if (d)
        load_rest(vm, w, i, &p, d);
}

/*
 * The k-th lane to store, so that what is left of equal addresses is what the card leaves: of a
 * phase its lowest lane, of several phases the last one's (measured on sm_90: gpu/MEASURED.md,
 * "Which lane's store is left"; NVIDIA's documents leave it open).
 */
static int store_turn(int k, uint32_t bytes)
{
    int width = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
    return k / width * width + width - 1 - k % width;
}

static void store_values(bw_vm *vm, bw_warp *w, const bw_ins *i, const bw_places *p,
                         const bw_reg *b)
{
    bw_memory m = (bw_memory)i->memory;
    uint32_t bytes = memory_bytes(m);
    BW_FOR_LANES (k) {
        int l = store_turn(k, bytes);
        bool known = !(b->unknown >> l & 1);
        if (p->shared >> l & 1)
            bw_image_write(&vm->shared, p->offset[l], bytes, encode(b, l, m), known, b->origin);
        else if (p->local >> l & 1)
            local_write(w, p->offset[l], bytes, l, encode(b, l, m), known, b->origin);
    }
}

static void run_store(bw_vm *vm, bw_warp *w, const bw_ins *i)
{
    const bw_reg *a = &w->regs[i->a];
    const bw_reg *b = i->b == BW_NO_REG ? NULL : &w->regs[i->b];
    uint32_t lanes = w->mask;
    if (a->unknown & lanes) {
        bw_report_unknown_address(vm, w, i, a, a->unknown & lanes);
        return;
    }
    bw_places p = {.shared = lanes};
    if (!bw_all_shared(a, lanes, p.offset)) {
        bw_find_places(vm, a, lanes, &p);
        bw_report_bad(vm, w, i, &p);
    }
    if (p.shared && !bw_make_request(vm, w, i, p.shared, p.offset))
        p.shared = 0;
    if (p.object)
        BW_FOR_LANES (l)
            if (p.object >> l & 1)
                vm->stored_to[(p.address[l] >> BW_TAG_SHIFT) - BW_TAG_OBJECT] = true;
    if (!b || !(i->flags & BW_INS_VALUE))
        return;
    uint32_t bytes = memory_bytes((bw_memory)i->memory);
    if (p.local && !local_in_bounds(vm, w, i, &p, bytes, bytes))
        return;
    store_values(vm, w, i, &p, b);
}

/* Part of a struct, from shared or local memory: byte by byte where some of it is unknown, as the
 * padding between members is. */
static void load_chunk(bw_vm *vm, bw_warp *w, const bw_ins *i, const bw_places *p, int l,
                       uint32_t k, uint32_t step)
{
    uint64_t bits;
    uint32_t origin = i->origin;
    bool shared = p->shared >> l & 1;
    bool known = shared ? bw_image_read(&vm->shared, p->offset[l] + k, step, &bits, &origin)
                        : local_read(w, p->offset[l] + k, step, l, &bits, &origin);
    if (!known && step > 1) {
        for (uint32_t byte = 0; byte < step; byte++)
            load_chunk(vm, w, i, p, l, k + byte, 1);
        return;
    }
    if (shared)
        origin = shared_origin(i, origin);
    local_write(w, (uint32_t)i->imm + k, step, l, bits, known, origin);
}

/* Where the vector at *a lies, and its request. False where no value has to move. */
static bool reach_vector(bw_vm *vm, const bw_warp *w, const bw_ins *i, bw_places *p)
{
    const bw_reg *a = &w->regs[i->a];
    uint32_t bytes = (uint32_t)i->number, unknown = a->unknown & w->mask;
    if (unknown) {
        bw_report_unknown_address(vm, w, i, a, unknown);
        return false;
    }
    bw_find_places(vm, a, w->mask, p);
    bw_report_bad(vm, w, i, p);
    if (p->shared && !bw_make_request(vm, w, i, p->shared, p->offset))
        p->shared = 0;
    return (i->flags & BW_INS_VALUE) &&
           !(p->local && !local_in_bounds(vm, w, i, p, bytes, bytes < 4 ? bytes : 4));
}

/* local[imm …] = number bytes at *a */
static void run_vector_load(bw_vm *vm, bw_warp *w, const bw_ins *i)
{
    uint32_t bytes = (uint32_t)i->number, at = (uint32_t)i->imm, lanes = w->mask;
    bw_places p = {.shared = 0};
    if (i->a == BW_NO_REG) { /* global memory of unknown content */
        BW_FOR_LANES (l)
            if (lanes >> l & 1)
                for (uint32_t k = 0; k < bytes; k += 4)
                    local_write(w, at + k, bytes - k < 4 ? bytes - k : 4, l, 0, false, i->origin);
        return;
    }
    if (!reach_vector(vm, w, i, &p))
        return;
    uint32_t step = p.object ? vm->code->objects[p.object_index].elem_size : bytes < 4 ? bytes : 4;
    if (step > 8 || bytes % step)
        step = bytes < 4 ? bytes : 4;
    for (uint32_t k = 0; k < bytes; k += step) {
        uint64_t bits[BW_LANES] = {0};
        uint32_t unknown = p.object ? object_read(vm, w, i, &p, step, k, bits) : 0;
        BW_FOR_LANES (l) {
            if ((p.shared | p.local) >> l & 1)
                load_chunk(vm, w, i, &p, l, k, step);
            else if (lanes >> l & 1)
                local_write(w, at + k, step, l, bits[l], !(unknown >> l & 1), i->origin);
        }
    }
}

static void store_chunk(bw_vm *vm, bw_warp *w, const bw_ins *i, const bw_places *p, int l,
                        uint32_t k, uint32_t step)
{
    uint64_t bits;
    uint32_t origin = 0;
    bool known = local_read(w, (uint32_t)i->imm + k, step, l, &bits, &origin);
    if (!known && step > 1) {
        for (uint32_t byte = 0; byte < step; byte++)
            store_chunk(vm, w, i, p, l, k + byte, 1);
    } else if (p->shared >> l & 1) {
        bw_image_write(&vm->shared, p->offset[l] + k, step, bits, known, origin);
    } else {
        local_write(w, p->offset[l] + k, step, l, bits, known, origin);
    }
}

static void run_vector_store(bw_vm *vm, bw_warp *w, const bw_ins *i)
{
    uint32_t bytes = (uint32_t)i->number;
    bw_places p;
    if (!reach_vector(vm, w, i, &p))
        return;
    uint32_t step = bytes < 4 ? bytes : 4;
    BW_FOR_LANES (turn) {
        int l = store_turn(turn, bytes);
        for (uint32_t k = 0; k < bytes && ((p.shared | p.local) >> l & 1); k += step)
            store_chunk(vm, w, i, &p, l, k, step);
    }
}

static void run_local_load(bw_warp *w, const bw_ins *i)
{
    bw_reg *d = &w->regs[i->dst];
    bw_memory m = (bw_memory)i->memory;
    uint32_t bytes = memory_bytes(m), at = (uint32_t)i->imm;
    d->uniform = false;
    d->unknown = 0;
    if (m == BW_MEM_32) { /* the words of the lanes lie side by side */
        memcpy(d->u, w->local + (size_t)at * BW_LANES, sizeof d->u);
        for (uint32_t k = 0; k < 4; k++)
            d->unknown |= w->local_state[at + k];
        d->origin = w->local_origin[at / 4];
        return;
    }
    BW_FOR_LANES (l) {
        uint64_t bits;
        uint32_t origin = 0;
        if (!local_read(w, at, bytes, l, &bits, &origin))
            mark(d, l, origin);
        decode(d, l, m, bits);
    }
}

static void run_local_store(bw_warp *w, const bw_ins *i)
{
    const bw_reg *b = &w->regs[i->b];
    bw_memory m = (bw_memory)i->memory;
    BW_FOR_LANES (l)
        if (w->mask >> l & 1)
            local_write(w, (uint32_t)i->imm, memory_bytes(m), l, encode(b, l, m),
                        !(b->unknown >> l & 1), b->origin);
}

static void run_local_copy(bw_warp *w, const bw_ins *i)
{
    for (uint32_t k = 0; k < i->aux; k++)
        BW_FOR_LANES (l) {
            uint64_t bits;
            uint32_t origin = 0;
            if (!(w->mask >> l & 1))
                continue;
            bool known = local_read(w, (uint32_t)i->number + k, 1, l, &bits, &origin);
            local_write(w, (uint32_t)i->imm + k, 1, l, bits, known, origin);
        }
}

/* ---- atomics
 * ----------------------------------------------------------------------------------------------------------
 */

static void apply_atomic(bw_reg *r, const bw_reg *old, const bw_reg *b, const bw_reg *c, int l,
                         bw_atomic op, bw_class cls)
{
    int lb = b->uniform ? 0 : l, lc = c && c->uniform ? 0 : l;
    bool wide = cls == BW_I64 || cls == BW_U64;
    if (cls == BW_F32 || cls == BW_F64) {
        if (cls == BW_F32)
            r->f[0] = op == BW_AT_ADD ? old->f[0] + b->f[lb] : b->f[lb];
        else
            r->d[0] = op == BW_AT_ADD ? old->d[0] + b->d[lb] : b->d[lb];
        return;
    }
    uint64_t x = wide ? old->q[0] : old->u[0], y = wide ? b->q[lb] : b->u[lb], v;
    int64_t sx = wide ? old->l[0] : old->i[0], sy = wide ? b->l[lb] : b->i[lb];
    bool less = cls == BW_I32 || cls == BW_I64 ? sx < sy : x < y;
    switch (op) {
    case BW_AT_ADD: v = x + y; break;
    case BW_AT_SUB: v = x - y; break;
    case BW_AT_MIN: v = less ? x : y; break;
    case BW_AT_MAX: v = less ? y : x; break;
    case BW_AT_AND: v = x & y; break;
    case BW_AT_OR: v = x | y; break;
    case BW_AT_XOR: v = x ^ y; break;
    case BW_AT_INC: v = x >= y ? 0 : x + 1; break;
    case BW_AT_DEC: v = x == 0 || x > y ? y : x - 1; break;
    case BW_AT_EXCH: v = y; break;
    default: /* compare and swap */
        assert(c);
        v = x == y ? (wide ? c->q[lc] : c->u[lc]) : x;
        break;
    }
    if (wide)
        r->q[0] = v;
    else
        r->u[0] = (uint32_t)v;
}

static void atomic_lane(bw_vm *vm, const bw_ins *i, uint32_t offset, int l, const bw_reg *b,
                        const bw_reg *c, bw_reg *d)
{
    bw_memory m = (bw_memory)i->memory;
    uint32_t bytes = memory_bytes(m), origin = i->origin;
    uint64_t bits;
    bw_reg old = {.uniform = true}, next = {.uniform = true};
    bool known = bw_image_read(&vm->shared, offset, bytes, &bits, &origin);
    origin = shared_origin(i, origin);
    decode(&old, 0, m, bits);
    if (d) {
        decode(d, l, m, bits);
        if (!known)
            mark(d, l, origin);
    }
    bool operands = !(b->unknown >> l & 1) && !(c && (c->unknown >> l & 1));
    if (!operands)
        origin = b->unknown >> l & 1 ? b->origin : c->origin;
    bool exchange = i->number == BW_AT_EXCH; /* whatever was there */
    if (operands && (known || exchange))
        apply_atomic(&next, &old, b, c, l, (bw_atomic)i->number, (bw_class)i->cls);
    bw_image_write(&vm->shared, offset, bytes, encode(&next, 0, m), operands && (known || exchange),
                   origin);
}

static void run_atomic(bw_vm *vm, bw_warp *w, const bw_ins *i)
{
    const bw_reg *a = &w->regs[i->a];
    const bw_reg *b = i->b == BW_NO_REG ? NULL : &w->regs[i->b];
    const bw_reg *c = i->c == BW_NO_REG ? NULL : &w->regs[i->c];
    bw_reg *d = i->dst == BW_NO_REG ? NULL : &w->regs[i->dst];
    uint32_t lanes = w->mask;
    assert(a);
    if (d) {
        d->uniform = false;
        d->unknown = 0;
        d->origin = i->origin;
    }
    if (a->unknown & lanes) {
        bw_report_unknown_address(vm, w, i, a, a->unknown & lanes);
        if (d)
            d->unknown = lanes;
        return;
    }
    bw_places p = {.shared = lanes};
    if (!bw_all_shared(a, lanes, p.offset)) {
        bw_find_places(vm, a, lanes, &p);
        bw_report_bad(vm, w, i, &p);
    }
    if (d)
        d->unknown = lanes & ~p.shared;
    if (p.shared && !bw_make_request(vm, w, i, p.shared, p.offset)) {
        if (d)
            d->unknown = lanes;
        return;
    }
    if (!b || !(i->flags & BW_INS_VALUE))
        return;
    BW_FOR_LANES (l)
        if (p.shared >> l & 1)
            atomic_lane(vm, i, p.offset[l], l, b, c, d);
}

/* A request whose values are not followed; what it writes becomes unknown. */
static void run_touch(bw_vm *vm, bw_warp *w, const bw_ins *i)
{
    const bw_reg *a = &w->regs[i->a];
    const bw_op_info *info = bw_op_get(bw_vm_site(vm, i)->op);
    bw_request lanes_of = {.op = bw_vm_site(vm, i)->op, .active = w->mask};
    uint32_t lanes =
        bw_request_lanes(&lanes_of); /* a matrix needs the addresses of some lanes only */
    if (a->unknown & lanes) {
        bw_report_unknown_address(vm, w, i, a, a->unknown & lanes);
        return;
    }
    bw_places p;
    bw_find_places(vm, a, lanes, &p);
    bw_report_bad(vm, w, i, &p);
    uint32_t elsewhere = p.local | p.object;
    if (elsewhere && !bw_vm_site(vm, i)->reported) {
        bool atomic = info->kind == BW_KIND_CAS_LOOP;
        if (!atomic) {
            bw_vm_site(vm, i)->reported = true;
            bw_note(vm->diags,
                    bw_vm_error(vm, BW_MSG_OUTSIDE_SHARED, i->span,
                                "lane %d of warp %u gives an address outside shared "
                                "memory to %s",
                                bw_lowest_lane(elsewhere), w->index, info->name),
                    "give the address of an element of a __shared__ array");
        }
    }
    if (info->matrices && w->mask != UINT32_MAX) {
        bw_report_matrix_lanes(vm, w, i);
        return;
    }
    uint32_t active = info->matrices && p.shared == lanes ? w->mask : p.shared;
    if (info->matrices)
        BW_FOR_LANES (l)
            if (!(lanes >> l & 1))
                p.offset[l] = p.offset[bw_lowest_lane(lanes)];
    if (!p.shared || !bw_make_request(vm, w, i, active, p.offset) || !(i->flags & BW_INS_VALUE))
        return;
    BW_FOR_LANES (l)
        if (p.shared >> l & 1)
            for (uint32_t k = 0; k < info->bytes; k += 4)
                bw_image_write(&vm->shared, p.offset[l] + k, 4, 0, false, i->origin);
}

static const char *source_text(bw_vm *vm, bw_span span)
{
    return bw_arena_copy(vm->arena, vm->source->text + span.offset, span.len > 60 ? 60 : span.len);
}

/* Whether some lane, active or not, has an index outside 0 … limit: the fast way to "all is well".
 */
static bool some_outside(const bw_reg *a, bw_class cls, int64_t limit)
{
    uint32_t outside = 0;
    if (limit < 0) /* an array without elements */
        return true;
    if (a->uniform)
        return cls < BW_I64 ? a->u[0] > (uint64_t)limit : a->q[0] > (uint64_t)limit;
    if (cls < BW_I64) {
        uint32_t most = (uint32_t)limit; /* an array has at most 2^28 elements */
        BW_FOR_LANES (l)
            outside |= a->u[l] > most;
    } else {
        BW_FOR_LANES (l)
            outside |= a->q[l] > (uint64_t)limit;
    }
    return outside != 0;
}

static void run_check(bw_vm *vm, const bw_warp *w, const bw_ins *i)
{
    const bw_reg *a = &w->regs[i->a];
    uint32_t lanes = w->mask & ~a->unknown;
    bw_class cls = (bw_class)i->cls;
    int64_t limit = i->imm - 1 + i->number;
    if (!some_outside(a, cls, limit))
        return;
    BW_FOR_LANES (l) {
        int k = a->uniform ? 0 : l;
        int64_t v = cls == BW_I32 ? a->i[k] : cls == BW_U32 ? (int64_t)a->u[k] : a->l[k];
        if (!(lanes >> l & 1) || (v >= 0 && v <= limit))
            continue;
        const bw_unknown *array = &vm->code->unknowns[i->origin];
        bw_diagnostic *d =
            i->imm ? bw_vm_error(vm, BW_MSG_INDEX_BOUNDS, i->span,
                                 "index %lld is out of the bounds of '%s' (0 to %lld) in lane %d "
                                 "of warp %u",
                                 (long long)v, array->what, (long long)i->imm - 1, l, w->index)
                   : bw_vm_error(vm, BW_MSG_INDEX_BOUNDS, i->span,
                                 "index %lld is out of the bounds of '%s', which has no elements, "
                                 "in lane %d of warp %u",
                                 (long long)v, array->what, l, w->index);
        bw_note(vm->diags, d,
                "'%s' here has %lld elements: guard the access with a condition, or "
                "make the array larger",
                source_text(vm, array->span), (long long)i->imm);
        vm->failed = true;
        return;
    }
}

void bw_vm_memory(bw_vm *vm, bw_warp *w, const bw_ins *i)
{
    if (w->mask == 0) {
        if (i->dst != BW_NO_REG) { /* nobody reads it, but it must be a value */
            w->regs[i->dst].uniform = false;
            w->regs[i->dst].unknown = 0;
        }
        return;
    }
    switch (i->op) {
    case BW_I_CHECK: run_check(vm, w, i); break;
    case BW_I_LOAD: run_load(vm, w, i); break;
    case BW_I_STORE: run_store(vm, w, i); break;
    case BW_I_VLOAD: run_vector_load(vm, w, i); break;
    case BW_I_VSTORE: run_vector_store(vm, w, i); break;
    case BW_I_LLOAD: run_local_load(w, i); break;
    case BW_I_LSTORE: run_local_store(w, i); break;
    case BW_I_LCOPY: run_local_copy(w, i); break;
    case BW_I_ATOMIC: run_atomic(vm, w, i); break;
    default: run_touch(vm, w, i); break;
    }
}
