/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * optimize: what of a launch's code has to run.
 *
 * Three questions, each answered without regard to the order of instructions, by repeating until
 * nothing changes: where can a pointer point (provenance); which values does an address or a
 * branch need; which of those depend on blockIdx or on chance. A branch or loop in which nothing
 * has to run is dropped with its condition, so that what only concerns global memory or registers
 * needs no known values. Then registers are packed.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "code.h"

/* Provenance: the union of what a register may point to. Numbers have none. */
#define P_SHARED 1
#define P_LOCAL 2
#define P_PLAIN 4  /* global memory of unknown content */
#define P_VALUED 8 /* global memory whose content is assumed or given */
#define P_ANY 15

typedef struct facts {
    bw_code *code;
    uint8_t *place;     /* by register: provenance */
    bool *needed;       /* by register */
    bool *tainted;      /* by register */
    uint32_t *region;   /* by instruction: the IF, LOOP, SWITCH or FUNC around it (or itself) */
    uint32_t *outer;    /* by region's first instruction: the region around it */
    bool *live;         /* by region's first instruction: something in it has to run */
    bool shared, local; /* values in memory are needed */
    bool shared_taint, local_taint; /* … and may differ between blocks */
    bool changed;
} facts;

static void set_flag(facts *f, bool *flag)
{
    f->changed |= !*flag;
    *flag = true;
}

static void need(facts *f, uint32_t reg)
{
    if (reg != BW_NO_REG)
        set_flag(f, &f->needed[reg]);
}

static bool is_needed(const facts *f, uint32_t reg)
{
    return reg != BW_NO_REG && f->needed[reg];
}

/* ---- provenance
 * ------------------------------------------------------------------------------------- */

static uint8_t tag_place(const bw_code *code, uint64_t pointer)
{
    uint64_t tag = pointer >> BW_TAG_SHIFT;
    if (tag == BW_TAG_SHARED)
        return P_SHARED;
    if (tag == BW_TAG_LOCAL)
        return P_LOCAL;
    if (tag >= BW_TAG_OBJECT && tag - BW_TAG_OBJECT < code->object_count) {
        const bw_object *o = &code->objects[tag - BW_TAG_OBJECT];
        return o->assume || o->content ? P_VALUED : P_PLAIN;
    }
    return 0;
}

static uint8_t place_of(const facts *f, uint32_t reg)
{
    return reg == BW_NO_REG ? 0 : f->place[reg];
}

/* Where an address may point; P_ANY where nothing is known of it. */
static uint8_t target(const facts *f, uint32_t reg)
{
    uint8_t p = place_of(f, reg);
    return p ? p : P_ANY;
}

static uint8_t result_place(const facts *f, const bw_ins *i)
{
    switch (i->op) {
    case BW_I_POINTER: return tag_place(f->code, (uint64_t)i->imm);
    case BW_I_FROM_SHARED: return P_SHARED;
    case BW_I_TO_SHARED: return 0;
    case BW_I_LOAD:
    case BW_I_LLOAD:
    case BW_I_ATOMIC: return i->cls == BW_U64 && i->memory == BW_MEM_64 ? P_ANY : 0;
    case BW_I_BINARY: /* alignment tricks keep a pointer what it is */
    case BW_I_CONVERT:
    case BW_I_INDEX:
    case BW_I_COPY:
    case BW_I_MOVE:
    case BW_I_MINMAX:
    case BW_I_SHFL: return place_of(f, i->a) | (i->op == BW_I_BINARY ? place_of(f, i->b) : 0);
    case BW_I_SELECT: return place_of(f, i->b) | place_of(f, i->c);
    default: return 0;
    }
}

/* What indices are computed from. */
static void mark_indices(const facts *f)
{
    bw_code *c = f->code;
    bool *feeds = bw_calloc(c->reg_count + 1, sizeof *feeds);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = c->count; k-- > 0;) {
            bw_ins *i = &c->items[k];
            bool through = i->op <= BW_I_CONVERT || i->op == BW_I_TRUNCATE || i->op == BW_I_COPY ||
                           i->op == BW_I_MOVE || i->op == BW_I_MINMAX || i->op == BW_I_SELECT;
            bool fed = through && i->dst != BW_NO_REG && feeds[i->dst];
            const uint32_t operands[3] = {i->op == BW_I_INDEX || i->op == BW_I_SELECT ? BW_NO_REG
                                                                                      : i->a,
                                          i->b, i->op == BW_I_SELECT ? i->c : BW_NO_REG};
            for (int r = 0; r < 3; r++)
                if ((fed || i->op == BW_I_INDEX) && operands[r] != BW_NO_REG && !feeds[operands[r]])
                    feeds[operands[r]] = changed = true;
            bool grows = i->op == BW_I_BINARY && i->cls == BW_I32 && i->number <= BW_MUL;
            if (grows && feeds[i->dst] && !(i->flags & BW_INS_MAYBE))
                i->flags |= BW_INS_INDEX;
        }
    }
    free(feeds);
}

static void find_places(facts *f)
{
    bw_code *c = f->code;
    for (size_t k = 0; k < c->constant_count; k++)
        if (c->constants[k].cls == BW_U64)
            f->place[c->constants[k].reg] = tag_place(c, (uint64_t)c->constants[k].integer);
    do {
        f->changed = false;
        for (size_t k = 0; k < c->count; k++) {
            const bw_ins *i = &c->items[k];
            if (i->dst == BW_NO_REG)
                continue;
            uint8_t p = f->place[i->dst] | result_place(f, i);
            f->changed |= p != f->place[i->dst];
            f->place[i->dst] = p;
        }
    } while (f->changed);
}

/* ---- needs
 * -------------------------------------------------------------------------------------------- */

/* Notes for each instruction which region it belongs to. */
static void find_regions(facts *f)
{
    const bw_code *c = f->code;
    uint32_t current = BW_NO_REG;
    for (uint32_t k = 0; k < c->count; k++) {
        switch (c->items[k].op) {
        case BW_I_IF:
        case BW_I_LOOP:
        case BW_I_SWITCH:
        case BW_I_FUNC:
            f->outer[k] = current;
            current = k;
            break;
        default: break;
        }
        f->region[k] = current;
        switch (c->items[k].op) {
        case BW_I_ENDIF:
        case BW_I_ENDLOOP:
        case BW_I_ENDSWITCH:
        case BW_I_ENDFUNC: current = f->outer[current]; break;
        default: break;
        }
    }
}

/* The region that a jump out of regions ends: for BREAK, CONTINUE and RETURN. */
static uint32_t jump_region(const facts *f, uint32_t k)
{
    const bw_code *c = f->code;
    uint8_t op = c->items[k].op;
    uint32_t r = f->region[k];
    for (; r != BW_NO_REG; r = f->outer[r]) {
        uint8_t kind = c->items[r].op;
        if (op == BW_I_RETURN ? kind == BW_I_FUNC
                              : kind == BW_I_LOOP || (op == BW_I_BREAK && kind == BW_I_SWITCH))
            break;
    }
    return r;
}

/* The instruction itself must run; its value may still be unneeded. */
static bool must_run(const facts *f, const bw_ins *i)
{
    switch (i->op) {
    case BW_I_CHECK:
    case BW_I_TOUCH:
    case BW_I_BARRIER:
    case BW_I_FENCE:
    case BW_I_EXIT:
    case BW_I_ENDLAW: return true;
    case BW_I_LOAD:
    case BW_I_VLOAD: return (target(f, i->a) & P_SHARED) != 0;
    case BW_I_STORE:
    case BW_I_VSTORE:
    case BW_I_ATOMIC: return (target(f, i->a) & (P_SHARED | P_VALUED)) != 0;
    default: return false;
    }
}

/* The value that the instruction loads or stores matters. */
static bool value_needed(const facts *f, const bw_ins *i)
{
    uint8_t p = i->a == BW_NO_REG ? P_LOCAL : target(f, i->a);
    bool memory = (f->shared && (p & P_SHARED)) || (f->local && (p & P_LOCAL));
    switch (i->op) {
    case BW_I_LOAD: return is_needed(f, i->dst);
    case BW_I_ATOMIC: return is_needed(f, i->dst) || memory;
    case BW_I_STORE:
    case BW_I_LSTORE:
    case BW_I_VSTORE: return memory;
    case BW_I_VLOAD:
    case BW_I_LCOPY: return f->local;
    case BW_I_TOUCH: return f->shared && i->number;
    default: return i->dst != BW_NO_REG && is_needed(f, i->dst);
    }
}

static bool runs(const facts *f, const bw_ins *i)
{
    uint32_t k = (uint32_t)(i - f->code->items);
    if (i->op == BW_I_BREAK || i->op == BW_I_CONTINUE || i->op == BW_I_RETURN) {
        uint32_t r = jump_region(f, k);
        return r != BW_NO_REG && f->live[r];
    }
    if (i->op >= BW_I_IF && !must_run(f, i))
        return f->live[f->region[k]];
    return must_run(f, i) || value_needed(f, i);
}

/* What runs keeps the regions around it; their own first and last instructions do not. */
static void keep_regions(facts *f, const bw_ins *i)
{
    uint32_t k = (uint32_t)(i - f->code->items);
    bool own = i->op >= BW_I_IF && !must_run(f, i) && i->op != BW_I_BREAK &&
               i->op != BW_I_CONTINUE && i->op != BW_I_RETURN;
    uint32_t r = f->region[k];
    if (own && r != BW_NO_REG)
        r = f->outer[r];
    for (; r != BW_NO_REG; r = f->outer[r])
        set_flag(f, &f->live[r]);
}

static void need_memory(facts *f, uint8_t place)
{
    if (place & P_SHARED)
        set_flag(f, &f->shared);
    if (place & P_LOCAL)
        set_flag(f, &f->local);
}

static void note_needs(facts *f, const bw_ins *i)
{
    if (!runs(f, i))
        return;
    keep_regions(f, i);
    bool value = value_needed(f, i);
    switch (i->op) {
    case BW_I_LOAD:
        if (target(f, i->a) != P_PLAIN)
            need(f, i->a);
        if (value)
            need_memory(f, target(f, i->a));
        break;
    case BW_I_VLOAD:
        if (target(f, i->a) != P_PLAIN)
            need(f, i->a);
        if (value)
            need_memory(f, target(f, i->a) | P_LOCAL);
        break;
    case BW_I_STORE:
        need(f, i->a);
        if (value)
            need(f, i->b);
        break;
    case BW_I_VSTORE:
        need(f, i->a);
        if (value)
            set_flag(f, &f->local);
        break;
    case BW_I_ATOMIC:
        need(f, i->a);
        if (value) {
            need(f, i->b);
            need(f, i->c);
            need_memory(f, target(f, i->a));
        }
        break;
    case BW_I_LLOAD: set_flag(f, &f->local); break;
    default:
        need(f, i->a);
        need(f, i->b);
        need(f, i->c);
    }
}

/* A loop that does nothing, and perhaps for ever: it is what keeps the rest from running. */
static void keep_endless(facts *f)
{
    bw_code *c = f->code;
    for (size_t k = 0; k < c->count; k++) {
        uint32_t r = f->region[k];
        if (c->items[k].op != BW_I_TEST || !(c->items[k].flags & BW_INS_STUCK) || f->live[r])
            continue;
        bool reached = true;
        for (uint32_t outer = f->outer[r]; outer != BW_NO_REG; outer = f->outer[outer])
            reached &= f->live[outer];
        if (!reached)
            continue;
        set_flag(f, &f->live[r]);
        c->items[k].flags |= BW_INS_IDLE;
    }
}

static void find_needs(facts *f)
{
    bw_code *c = f->code;
    find_regions(f);
    f->live[0] = true; /* the kernel itself */
    do {
        f->changed = false;
        for (size_t k = c->count; k-- > 0;)
            note_needs(f, &c->items[k]);
        for (size_t k = 0; k < c->object_count; k++) /* an assumption's value is read by loads */
            if (c->objects[k].assume && c->objects[k].assume->law)
                need(f, c->objects[k].law_value);
        if (!f->changed)
            keep_endless(f);
    } while (f->changed);
}

/* ---- taint: what may differ between blocks
 * ------------------------------------------------------------ */

static bool taint_of(const facts *f, uint32_t reg)
{
    return reg != BW_NO_REG && f->tainted[reg];
}

static bool laws_tainted(const facts *f)
{
    const bw_code *c = f->code;
    for (size_t k = 0; k < c->object_count; k++)
        if (c->objects[k].assume && c->objects[k].assume->law &&
            f->tainted[c->objects[k].law_value])
            return true;
    return false;
}

static void spread_taint(facts *f, const bw_ins *i)
{
    if (!runs(f, i))
        return;
    uint8_t p = i->a == BW_NO_REG ? P_LOCAL : target(f, i->a);
    bool in = taint_of(f, i->a) || taint_of(f, i->b) || taint_of(f, i->c);
    bool memory = ((p & P_SHARED) && f->shared_taint) || ((p & P_LOCAL) && f->local_taint);
    bool out = in;
    switch (i->op) {
    case BW_I_DRAW: out = true; break;
    case BW_I_LOAD:
        out = memory || ((p & P_VALUED) && (in || laws_tainted(f))) || (in && p != P_PLAIN);
        break;
    case BW_I_LLOAD: out = f->local_taint; break;
    case BW_I_ATOMIC: out = in || memory; break;
    case BW_I_VLOAD: out = false; break;
    default: break;
    }
    if (out && i->dst != BW_NO_REG)
        set_flag(f, &f->tainted[i->dst]);
    bool stores = i->op == BW_I_STORE || i->op == BW_I_ATOMIC || i->op == BW_I_LSTORE;
    if (stores && in && (p & P_SHARED))
        set_flag(f, &f->shared_taint);
    if (stores && in && (p & P_LOCAL))
        set_flag(f, &f->local_taint);
    if (i->op == BW_I_VLOAD && (memory || ((p & P_VALUED) && (in || laws_tainted(f)))))
        set_flag(f, &f->local_taint);
    if (i->op == BW_I_VSTORE && f->local_taint && (p & P_SHARED))
        set_flag(f, &f->shared_taint);
}

/* An address or a branch that is tainted makes blocks differ. */
static bool sinks_taint(const facts *f, const bw_ins *i)
{
    switch (i->op) {
    case BW_I_IF:
    case BW_I_TEST:
    case BW_I_SWITCH:
    case BW_I_TOUCH: return taint_of(f, i->a);
    case BW_I_LOAD:
    case BW_I_STORE:
    case BW_I_VLOAD:
    case BW_I_VSTORE:
    case BW_I_ATOMIC: return taint_of(f, i->a) && (target(f, i->a) & P_SHARED);
    default: return false;
    }
}

static void find_taint(facts *f)
{
    bw_code *c = f->code;
    for (int k = BW_BLOCK_X; k <= BW_BLOCK_Z; k++)
        if (c->specials[k] != BW_NO_REG)
            f->tainted[c->specials[k]] = true;
    for (size_t k = 0; k < c->object_count; k++) { /* its index comes from a tainted address */
        const bw_object *o = &c->objects[k];
        if (o->assume && o->assume->law && f->tainted[o->law_index])
            f->tainted[o->law_value] = true;
    }
    do {
        f->changed = false;
        for (size_t k = 0; k < c->count; k++)
            spread_taint(f, &c->items[k]);
    } while (f->changed);
    c->blocks_alike = true;
    for (size_t k = 0; k < c->count; k++)
        if (runs(f, &c->items[k]) && sinks_taint(f, &c->items[k]))
            c->blocks_alike = false;
}

/* ---- dropping and packing
 * ------------------------------------------------------------------------------- */

static bool jumps(const bw_ins *i)
{
    return i->op == BW_I_IF || i->op == BW_I_ELSE || i->op == BW_I_TEST || i->op == BW_I_JUMP;
}

static void drop(facts *f)
{
    bw_code *c = f->code;
    uint32_t *moved = bw_alloc((c->count + 1) * sizeof *moved);
    uint32_t kept = 0;
    bool *keeps = bw_alloc(c->count * sizeof *keeps); /* decided before anything moves */
    for (size_t k = 0; k < c->count; k++) {
        moved[k] = kept;
        keeps[k] = runs(f, &c->items[k]);
        kept += keeps[k];
    }
    moved[c->count] = kept;
    for (size_t k = 0; k < c->count; k++) {
        bw_ins *i = &c->items[k];
        if (!keeps[k])
            continue;
        if (value_needed(f, i))
            i->flags |= BW_INS_VALUE;
        if (i->dst != BW_NO_REG && !f->needed[i->dst])
            i->dst = BW_NO_REG;
        if (i->op == BW_I_LOAD && target(f, i->a) == P_PLAIN)
            i->op = BW_I_UNKNOWN;
        if (i->op == BW_I_STORE || i->op == BW_I_ATOMIC)
            if (!(i->flags & BW_INS_VALUE))
                i->b = i->c = BW_NO_REG;
        if (i->op == BW_I_UNKNOWN || (i->op == BW_I_VLOAD && target(f, i->a) == P_PLAIN))
            i->a = BW_NO_REG;
        if (jumps(i))
            i->imm = moved[i->imm];
        c->items[moved[k]] = *i;
    }
    for (size_t k = 0; k < c->object_count; k++)
        c->objects[k].law_entry = moved[c->objects[k].law_entry];
    c->count = kept;
    free(moved);
    free(keeps);
}

typedef struct packing {
    uint32_t *to, *last, *free_list;
    uint32_t free_count, next;
} packing;

static void see_last_uses(const bw_code *c, uint32_t *last)
{
    for (size_t k = 0; k < c->count; k++) {
        const bw_ins *i = &c->items[k];
        const uint32_t regs[4] = {i->dst, i->a, i->b, i->c};
        for (int r = 0; r < 4; r++)
            if (regs[r] != BW_NO_REG)
                last[regs[r]] = (uint32_t)k;
    }
}

static void assign(const bw_code *c, packing *p, uint32_t *reg)
{
    if (*reg == BW_NO_REG)
        return;
    if (p->to[*reg] == BW_NO_REG) {
        bool reuse = !c->is_variable[*reg] && p->free_count;
        p->to[*reg] = reuse ? p->free_list[--p->free_count] : p->next++;
    }
    *reg = p->to[*reg];
}

/* Temporaries live from their first to their last mention; code between them is contiguous, so a
 * loop lies either within that stretch or around it. Variables keep a register of their own. */
static void pack(bw_code *c)
{
    uint32_t n = c->reg_count;
    packing p = {.to = bw_alloc(n * sizeof *p.to),
                 .last = bw_calloc(n, sizeof *p.last),
                 .free_list = bw_alloc(n * sizeof *p.free_list)};
    memset(p.to, 0xff, n * sizeof *p.to);
    see_last_uses(c, p.last);
    for (size_t k = 0; k < c->count; k++) {
        bw_ins *i = &c->items[k];
        if (i->op == BW_I_EXIT) /* assumptions run amid the rest: they share no register with it */
            p.free_count = 0;
        const uint32_t before[4] = {i->a, i->b, i->c, i->dst};
        assign(c, &p, &i->dst); /* before its sources are freed: no operation works in place */
        assign(c, &p, &i->a);
        assign(c, &p, &i->b);
        assign(c, &p, &i->c);
        for (int r = 0; r < 4; r++) {
            bool again = false;
            for (int q = 0; q < r; q++)
                again |= before[q] == before[r];
            if (before[r] != BW_NO_REG && !again && !c->is_variable[before[r]] &&
                p.last[before[r]] == k)
                p.free_list[p.free_count++] = p.to[before[r]];
        }
    }
    uint32_t kept = 0;
    for (size_t k = 0; k < c->constant_count; k++)
        if (p.to[c->constants[k].reg] != BW_NO_REG) {
            c->constants[kept] = c->constants[k];
            c->constants[kept++].reg = p.to[c->constants[k].reg];
        }
    c->constant_count = kept;
    for (int k = 0; k < BW_SPECIALS; k++)
        if (c->specials[k] != BW_NO_REG)
            c->specials[k] = p.to[c->specials[k]];
    for (size_t k = 0; k < c->object_count; k++) {
        bw_object *o = &c->objects[k];
        if (!o->assume || !o->assume->law)
            continue;
        o->law_index = p.to[o->law_index] == BW_NO_REG ? BW_NO_REG : p.to[o->law_index];
        o->law_value = p.to[o->law_value];
    }
    c->reg_count = p.next;
    free(p.to);
    free(p.last);
    free(p.free_list);
}

void bw_code_optimize(bw_code *c)
{
    facts f = {.code = c,
               .place = bw_calloc(c->reg_count, 1),
               .needed = bw_calloc(c->reg_count, sizeof *f.needed),
               .tainted = bw_calloc(c->reg_count, sizeof *f.tainted),
               .region = bw_calloc(c->count, sizeof *f.region),
               .outer = bw_calloc(c->count, sizeof *f.outer),
               .live = bw_calloc(c->count, sizeof *f.live)};
    find_places(&f);
    mark_indices(&f);
    find_needs(&f);
    find_taint(&f);
    drop(&f);
    pack(c);
    free(f.place);
    free(f.needed);
    free(f.tainted);
    free(f.region);
    free(f.outer);
    free(f.live);
}
