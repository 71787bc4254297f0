/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traffic_maker.h"

#include <string.h>

uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(next_random(state) % n);
}

static void make_struct(uint64_t *state, made *to)
{
    static const uint32_t sizes[] = {1, 2, 4, 8};
    bw_array *a = &to->array;
    uint32_t end = 0;
    a->struct_name = "item";
    a->members = to->members;
    a->member_count = 2 + below(state, 3);
    a->align = 1;
    for (unsigned i = 0; i < a->member_count; i++) {
        bw_array_member *m = &to->members[i];
        uint32_t size = sizes[below(state, 4)], count = 1 + below(state, 3);
        *m = (bw_array_member){
            "m", (end + size - 1) / size * size, size * count, size, size, 0, {0}, "float"};
        if (count > 1) {
            m->dims = 1;
            m->dim[0] = count;
        }
        end = m->offset + m->size;
        a->align = size > a->align ? size : a->align;
    }
    a->elem = (end + a->align - 1) / a->align * a->align;
}

static void make_array(uint64_t *state, made *to)
{
    static const uint32_t elems[] = {1, 2, 4, 4, 4, 8, 16};
    static const uint32_t rows[] = {2, 4, 8, 12, 16, 32}, columns[] = {8, 16, 24, 32, 32, 40};
    bw_array *a = &to->array;
    a->name = "s";
    a->elem = a->align = elems[below(state, 7)];
    a->dims = 1 + below(state, 3);
    if (below(state, 4) == 0) {
        a->dims = 1;
        make_struct(state, to);
    }
    for (unsigned i = 0; i < a->dims; i++)
        a->dim[i] =
            i + 1 == a->dims ? columns[below(state, 6)] : rows[below(state, a->dims == 3 ? 3 : 6)];
    if (a->dims == 1)
        a->dim[0] = 32u << below(state, 4);
    a->bytes = a->elem;
    for (unsigned i = 0; i < a->dims; i++)
        a->bytes *= a->dim[i];
    a->base = 128 * below(state, 3);
}

/* Lanes step through the array by constants in each dimension, or at random. */
static uint32_t element(uint64_t *state, const bw_array *a, const uint32_t *step,
                        const uint32_t *start, unsigned lane, bool chance)
{
    uint32_t index = 0;
    for (unsigned d = 0; d < a->dims; d++) {
        uint32_t at = chance ? below(state, a->dim[d]) : (start[d] + lane * step[d]) % a->dim[d];
        index = index * a->dim[d] + at;
    }
    return index;
}

static bool choose_op(uint64_t *state, const bw_array *a, bw_op *op)
{
    static const bw_op ops[] = {
        BW_OP_LD_8,        BW_OP_LD_16,        BW_OP_LD_32,      BW_OP_LD_64,       BW_OP_LD_128,
        BW_OP_ST_8,        BW_OP_ST_16,        BW_OP_ST_32,      BW_OP_ST_64,       BW_OP_ST_128,
        BW_OP_LDMATRIX_X4, BW_OP_ATOM_ADD_U32, BW_OP_CP_ASYNC_8, BW_OP_ATOM_ADD_F32};
    *op = ops[below(state, sizeof ops / sizeof *ops)];
    uint32_t bytes = bw_op_get(*op)->bytes;
    /* not wider than a row, nor so much narrower than the element that nothing is aligned */
    return bytes <= a->elem * a->dim[a->dims - 1] && a->bytes >= bytes;
}

static void make_request(uint64_t *state, const bw_array *a, bw_request *r)
{
    uint32_t step[BW_MAX_DIMENSIONS], start[BW_MAX_DIMENSIONS];
    bool chance = below(state, 6) == 0;
    while (!choose_op(state, a, &r->op))
        ;
    uint32_t bytes = bw_op_get(r->op)->bytes;
    for (unsigned d = 0; d < a->dims; d++) {
        step[d] = below(state, 3) ? below(state, 2) : below(state, a->dim[d]);
        start[d] = below(state, a->dim[d]);
    }
    r->active = below(state, 3) ? UINT32_MAX : (uint32_t)next_random(state) | 1;
    for (unsigned lane = 0; lane < BW_LANES; lane++) {
        uint32_t offset = element(state, a, step, start, lane, chance) * a->elem;
        offset = offset / bytes * bytes;
        if (offset + bytes > a->bytes)
            offset = 0;
        r->addr[lane] = a->base + offset;
    }
}

void make_traffic(uint64_t *state, made *to)
{
    memset(to, 0, sizeof *to);
    make_array(state, to);
    to->count = 1 + below(state, 12);
    for (unsigned i = 0; i < to->count; i++) {
        make_request(state, &to->array, &to->requests[i]);
        to->counts[i] = 1 + below(state, 5);
    }
}

bw_traffic traffic_of(const made *from, const bw_arch *arch)
{
    bw_traffic t = {.arch = arch};
    uint32_t instance = bw_traffic_instance(&t, &from->array);
    for (unsigned i = 0; i < from->count; i++)
        bw_traffic_add(&t, instance, i, &from->requests[i], from->counts[i]);
    bw_traffic_seal(&t);
    return t;
}
