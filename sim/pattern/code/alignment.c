/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * alignment: what a compiler can prove of the addresses of accesses.
 *
 * A value is a part that the compiler knows (constants, counters of loops that it unrolls) and a
 * part that it does not (threadIdx, blockDim, arguments, what is loaded). For each register: how
 * many low bits of the unknown part are surely 0. Found without regard to the order of
 * instructions, by repeating until nothing changes, from above. What a loop carries from one time
 * round to the next is known only where its condition is, for only then it is unrolled. An access
 * whose unknown part is a multiple of 8 or 16 is marked so; where its known part then puts it shows
 * when it runs.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>

#include "code.h"
#include "numbers.h"

#define ALL 31 /* no unknown part */

typedef struct bits {
    const bw_code *code;
    uint8_t *zeros;         /* by register */
    const int64_t **number; /* by register: of a constant, else NULL */
    uint32_t *loop;         /* by instruction: the innermost LOOP around it, or BW_NO_REG */
    bool *rolled;           /* by LOOP: a compiler cannot know how often it runs */
} bits;

static unsigned zeros_of(const bits *b, uint32_t reg)
{
    return reg == BW_NO_REG ? ALL : b->zeros[reg];
}

static unsigned least(unsigned x, unsigned y)
{
    return x < y ? x : y;
}

static unsigned trailing(int64_t number)
{
    unsigned zeros = number ? (unsigned)__builtin_ctzll((uint64_t)number) : ALL;
    return least(zeros, ALL);
}

static unsigned times(const bits *b, uint32_t reg, unsigned zeros)
{
    unsigned own = zeros_of(b, reg);
    return own == ALL ? ALL : least(own + zeros, ALL - 1);
}

static unsigned of_product(const bits *b, const bw_ins *i)
{
    unsigned x = zeros_of(b, i->a), y = zeros_of(b, i->b);
    if (b->number[i->a])
        return times(b, i->b, trailing(*b->number[i->a]));
    if (b->number[i->b])
        return times(b, i->a, trailing(*b->number[i->b]));
    return least(x, y); /* (known + unknown) (known + unknown): the known parts may be odd */
}

/* Division by, and shift to the right of, 2 to the `shift`. */
static unsigned of_quotient(const bits *b, uint32_t reg, unsigned shift)
{
    unsigned own = zeros_of(b, reg);
    return own == ALL ? ALL : own > shift ? own - shift : 0;
}

static bool is_power(int64_t n)
{
    return n > 0 && bw_is_power_of_two((uint64_t)n);
}

static unsigned of_binary(const bits *b, const bw_ins *i)
{
    unsigned x = zeros_of(b, i->a), y = zeros_of(b, i->b);
    const int64_t *by = b->number[i->b];
    unsigned known = x == ALL && y == ALL ? ALL : 0;
    switch ((bw_binary)i->number) {
    case BW_ADD:
    case BW_SUB:
    case BW_OR:
    case BW_XOR: return least(x, y);
    case BW_MUL: return of_product(b, i);
    case BW_SHL: return by ? times(b, i->a, (unsigned)*by & 31) : known;
    case BW_SHR: return by ? of_quotient(b, i->a, (unsigned)*by & 31) : known;
    case BW_DIV: return by && is_power(*by) ? of_quotient(b, i->a, trailing(*by)) : known;
    case BW_REM:
        return by && is_power(*by) && x >= trailing(*by) ? ALL : by && is_power(*by) ? x : known;
    case BW_AND: {
        const int64_t *mask = by ? by : b->number[i->a];
        unsigned other = by ? x : y;
        return !mask                     ? known
               : other == ALL            ? ALL
               : other > trailing(*mask) ? other
                                         : trailing(*mask);
    }
    default: return known;
    }
}

static unsigned of_instruction(const bits *b, const bw_ins *i)
{
    unsigned x = zeros_of(b, i->a), y = zeros_of(b, i->b), z = zeros_of(b, i->c);
    if (i->flags & BW_INS_ARGUMENT)
        return 0;
    switch ((bw_opcode)i->op) {
    case BW_I_BINARY: return of_binary(b, i);
    case BW_I_INDEX: return least(x, times(b, i->b, trailing(i->imm)));
    case BW_I_SELECT: return x == ALL ? least(y, z) : 0;
    case BW_I_NEG:
    case BW_I_INVERT:
    case BW_I_CONVERT:
    case BW_I_TRUNCATE:
    case BW_I_TO_SHARED:
    case BW_I_FROM_SHARED:
    case BW_I_COPY:
    case BW_I_MOVE: return x;
    case BW_I_POINTER:
    case BW_I_FRESH: return ALL;
    case BW_I_LNOT:
    case BW_I_LAND:
    case BW_I_LOR:
    case BW_I_TRUTH:
    case BW_I_MINMAX:
    case BW_I_ABS:
    case BW_I_POPC:
    case BW_I_CLZ:
    case BW_I_FFS:
    case BW_I_BREV:
    case BW_I_MULHI:
    case BW_I_MATH:
    case BW_I_ROUND: return least(least(x, y), z) == ALL ? ALL : 0;
    default: return 0; /* loaded, drawn, exchanged between lanes */
    }
}

/* Finds for each instruction the loop that it is in. */
static void find_loops(bits *b)
{
    uint32_t now = BW_NO_REG;
    for (size_t k = 0; k < b->code->count; k++) {
        b->loop[k] = now;
        if (b->code->items[k].op == BW_I_LOOP)
            now = (uint32_t)k; /* the loop around it stands at its own place */
        else if (b->code->items[k].op == BW_I_ENDLOOP)
            now = b->loop[now];
    }
}

/* A variable that gets a value which a loop carries on. */
static bool is_carried(const bits *b, size_t k)
{
    const bw_ins *i = &b->code->items[k];
    bool rolled = b->loop[k] != BW_NO_REG && b->rolled[b->loop[k]];
    bool fresh = i->op == BW_I_COPY || i->op == BW_I_FRESH;
    bool set = i->op == BW_I_MOVE && b->number[i->a]; /* to a constant */
    return rolled && b->code->is_variable[i->dst] && !fresh && !set;
}

static bool settle(bits *b)
{
    bool changed = false;
    for (size_t k = 0; k < b->code->count; k++) {
        const bw_ins *i = &b->code->items[k];
        if (i->op == BW_I_TEST && b->loop[k] != BW_NO_REG && !b->rolled[b->loop[k]] &&
            zeros_of(b, i->a) != ALL)
            b->rolled[b->loop[k]] = changed = true;
        if (i->dst == BW_NO_REG)
            continue;
        unsigned zeros = of_instruction(b, i);
        if (zeros == ALL && is_carried(b, k))
            zeros = 0;
        if (zeros < b->zeros[i->dst]) {
            b->zeros[i->dst] = (uint8_t)zeros;
            changed = true;
        }
    }
    return changed;
}

void bw_code_alignment(bw_code *code)
{
    bits b = {.code = code,
              .zeros = bw_alloc(code->reg_count + 1),
              .number = bw_calloc(code->reg_count + 1, sizeof *b.number),
              .loop = bw_calloc(code->count + 1, sizeof *b.loop),
              .rolled = bw_calloc(code->count + 1, sizeof *b.rolled)};
    find_loops(&b);
    for (uint32_t r = 0; r < code->reg_count; r++)
        b.zeros[r] = ALL;
    for (int k = 0; k < BW_SPECIALS; k++)
        if (code->specials[k] != BW_NO_REG)
            b.zeros[code->specials[k]] = 0;
    for (size_t k = 0; k < code->constant_count; k++)
        if (code->constants[k].cls < BW_F32)
            b.number[code->constants[k].reg] = &code->constants[k].integer;
    while (settle(&b))
        ;
    for (size_t k = 0; k < code->count; k++) {
        bw_ins *i = &code->items[k];
        bool access = i->op == BW_I_LOAD || i->op == BW_I_STORE || i->op == BW_I_VLOAD ||
                      i->op == BW_I_VSTORE;
        if (access && zeros_of(&b, i->a) >= 3)
            i->flags |= zeros_of(&b, i->a) >= 4 ? BW_INS_ALIGN_8 | BW_INS_ALIGN_16 : BW_INS_ALIGN_8;
    }
    free(b.zeros);
    free(b.number);
    free(b.loop);
    free(b.rolled);
}
