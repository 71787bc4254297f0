/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loops: which loops cannot end, and which only another warp can end.
 *
 * A loop is stuck where it has no way out but its condition, and nothing in it changes that: it
 * runs never, or for ever. It spins where its ways out hang on memory alone that is read at the
 * same addresses each time: warps run here one after the other, so that nobody changes it. Before
 * registers are packed; every temporary has one definition.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "code.h"

/* Work beyond this is not done: generated code with thousands of loops. */
#define MAX_WORK ((size_t)1 << 27)

typedef struct span_of_loop {
    size_t first, last; /* LOOP and ENDLOOP */
    size_t test, jump;
    bool leaves; /* break or return */
    bool waits;  /* a barrier */
    bool stores; /* to memory of the lane's own, perhaps */
} span_of_loop;

typedef struct finder {
    bw_code *code;
    uint8_t *level; /* by register, within the loop at hand */
    size_t work;
} finder;

/* How a register of a loop comes about. */
enum { VARIES, REPEATS, INVARIANT };

/* What makes its result of its operands alone. */
static bool is_plain(const bw_ins *i)
{
    return i->op < BW_I_SHFL && i->op != BW_I_UNKNOWN;
}

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static uint8_t level_of(const finder *f, uint32_t reg)
{
    return reg == BW_NO_REG ? INVARIANT : f->level[reg];
}

/* What a definition within the loop gives its register, as far as its operands are known. */
static uint8_t defined_level(const finder *f, const span_of_loop *loop, const bw_ins *i)
{
    uint8_t operands = least(level_of(f, i->a), least(level_of(f, i->b), level_of(f, i->c)));
    if (is_plain(i))
        return operands;
    switch (i->op) {
    case BW_I_COPY:
    case BW_I_MOVE:
    case BW_I_FRESH:
    case BW_I_LOAD:
    case BW_I_ATOMIC: return least(operands, REPEATS);
    case BW_I_LLOAD: return loop->stores ? VARIES : INVARIANT;
    default: return VARIES;
    }
}

/* Levels rise from VARIES as long as all definitions of a register allow it: what depends on itself
 * stays there. */
static void find_levels(finder *f, const span_of_loop *loop)
{
    const bw_code *c = f->code;
    memset(f->level, INVARIANT, c->reg_count);
    for (size_t k = loop->first; k < loop->last; k++)
        if (c->items[k].dst != BW_NO_REG)
            f->level[c->items[k].dst] = VARIES;
    uint8_t *next = bw_alloc(c->reg_count + 1);
    for (bool changed = true; changed && f->work < MAX_WORK;) {
        memset(next, INVARIANT, c->reg_count);
        for (size_t k = loop->first; k < loop->last; k++)
            if (c->items[k].dst != BW_NO_REG)
                next[c->items[k].dst] =
                    least(next[c->items[k].dst], defined_level(f, loop, &c->items[k]));
        changed = memcmp(next, f->level, c->reg_count) != 0;
        memcpy(f->level, next, c->reg_count);
        f->work += loop->last - loop->first + c->reg_count / 8;
    }
    free(next);
}

/* The loop that begins at instruction `first`. */
static span_of_loop look_at(const bw_code *c, size_t first)
{
    span_of_loop loop = {.first = first};
    unsigned inner = 0, functions = 0;
    for (size_t k = first + 1;; k++) {
        const bw_ins *i = &c->items[k];
        inner += i->op == BW_I_LOOP;
        functions += i->op == BW_I_FUNC;
        functions -= i->op == BW_I_ENDFUNC;
        if (i->op == BW_I_ENDLOOP && inner-- == 0) {
            loop.last = k;
            return loop;
        }
        if (i->op == BW_I_TEST && !inner)
            loop.test = k;
        if (i->op == BW_I_JUMP && !inner)
            loop.jump = k;
        loop.leaves |= i->op == BW_I_BREAK || (i->op == BW_I_RETURN && !functions);
        loop.waits |= i->op == BW_I_BARRIER;
        loop.stores |= i->op == BW_I_STORE || i->op == BW_I_VSTORE || i->op == BW_I_LSTORE ||
                       i->op == BW_I_VLOAD || i->op == BW_I_LCOPY;
    }
}

/* Whether every condition in the loop repeats: those of its ways out are among them. */
static bool conditions_repeat(const finder *f, const span_of_loop *loop)
{
    bool reads = false;
    for (size_t k = loop->first; k < loop->last; k++) {
        const bw_ins *i = &f->code->items[k];
        reads |= i->op == BW_I_LOAD || i->op == BW_I_ATOMIC;
        bool decides = i->op == BW_I_IF || i->op == BW_I_TEST || i->op == BW_I_SWITCH;
        if (decides && level_of(f, i->a) == VARIES)
            return false;
    }
    return reads;
}

static void judge(finder *f, size_t first)
{
    bw_code *c = f->code;
    span_of_loop loop = look_at(c, first);
    f->work += loop.last - first;
    if (!loop.test || !loop.jump || f->work > MAX_WORK)
        return;
    find_levels(f, &loop);
    bw_ins *test = &c->items[loop.test];
    if (!loop.leaves && level_of(f, test->a) == INVARIANT)
        test->flags |= BW_INS_STUCK;
    else if (!loop.waits && conditions_repeat(f, &loop))
        c->items[loop.jump].flags |= BW_INS_SPIN;
}

void bw_code_loops(bw_code *code)
{
    finder f = {.code = code, .level = bw_calloc(code->reg_count + 1, 1)};
    for (size_t k = 0; k < code->count && f.work < MAX_WORK; k++)
        if (code->items[k].op == BW_I_LOOP)
            judge(&f, k);
    free(f.level);
}
