/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "vm_join.h"
#include "vm_race.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- diagnostics
 * --------------------------------------------------------------------------------------- */

bw_diagnostic *bw_vm_error(bw_vm *vm, bw_message_id id, bw_span span, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return bw_diagnose(vm->diags, id, vm->source, span, "%s", message);
}

#define HOW_TO_KNOW                                                                                \
    "say what the memory holds, in a comment: // assume: NAME = random(256), or "                  \
    "NAME = i * 7 % 1024 (i: the element's index), or NAME = 3, 1, 2"

void bw_vm_explain_unknown(bw_vm *vm, bw_diagnostic *d, uint32_t origin)
{
    bw_explain_unknown(vm->diags, d, vm->source, vm->code->unknowns, origin, HOW_TO_KNOW);
}

static void unknown_branch(bw_vm *vm, const bw_warp *w, const bw_ins *i, const bw_reg *a)
{
    bw_diagnostic *d =
        bw_vm_error(vm, BW_MSG_UNKNOWN_CONDITION, i->span,
                    "this condition depends on a value that is not known here (lane %d of warp %u)",
                    __builtin_ctz(a->unknown & w->mask), w->index);
    bw_vm_explain_unknown(vm, d, a->origin);
    vm->failed = true;
}

/* ---- control flow
 * ----------------------------------------------------------------------------------------- */

static bw_frame *push_frame(bw_vm *vm, bw_warp *w, const bw_ins *i)
{
    if (w->depth == BW_MAX_FRAMES) {
        bw_note(vm->diags,
                bw_vm_error(vm, BW_MSG_NESTING_DEPTH, i->span, "control flow nested too deeply"),
                "use fewer levels of branches, loops and calls");
        vm->failed = true;
        return NULL;
    }
    bw_frame *f = &w->frames[w->depth++];
    *f = (bw_frame){.saved = w->mask};
    return f;
}

/* The active lanes where condition a holds; false if that is not known. */
static bool condition(bw_vm *vm, const bw_warp *w, const bw_ins *i, uint32_t *lanes)
{
    const bw_reg *a = &w->regs[i->a];
    if (a->unknown & w->mask) {
        unknown_branch(vm, w, i, a);
        return false;
    }
    *lanes = bw_reg_truth(a) & w->mask;
    return true;
}

static void enter_if(bw_vm *vm, bw_warp *w, const bw_ins *i)
{
    uint32_t lanes;
    if (!condition(vm, w, i, &lanes))
        return;
    bw_frame *f = push_frame(vm, w, i);
    if (!f)
        return;
    f->other = w->mask & ~lanes;
    w->mask = lanes;
    if (!lanes)
        w->pc = (uint32_t)i->imm;
}

static void enter_switch(bw_vm *vm, bw_warp *w, const bw_ins *i)
{
    const bw_reg *a = &w->regs[i->a];
    const bw_case_table *t = &vm->code->tables[i->imm];
    if (a->unknown & w->mask) {
        unknown_branch(vm, w, i, a);
        return;
    }
    bw_frame *f = push_frame(vm, w, i);
    if (!f)
        return;
    f->reg = i->a;
    f->table = (uint32_t)i->imm;
    for (int l = 0; l < BW_LANES; l++) {
        bool found = false;
        for (uint32_t k = 0; k < t->count; k++)
            found |= t->values[k] == a->l[a->uniform ? 0 : l];
        if (!found)
            f->other |= 1u << l;
    }
    f->other &= w->mask;
    f->resting = w->mask; /* lanes that have not reached their label */
    w->mask = 0;
}

/* Lanes whose label this is join those that fall through from above. */
static void reach_case(bw_warp *w, const bw_case_table *tables, const bw_ins *i)
{
    bw_frame *f = &w->frames[w->depth - 1];
    uint32_t joins = f->other;
    if (i->imm >= 0) {
        const bw_reg *a = &w->regs[f->reg];
        joins = 0;
        for (int l = 0; l < BW_LANES; l++)
            if (a->l[a->uniform ? 0 : l] == tables[f->table].values[i->imm])
                joins |= 1u << l;
    }
    joins &= f->resting;
    f->resting &= ~joins;
    w->mask |= joins;
}

/* ---- barriers
 * ---------------------------------------------------------------------------------------------- */

static void reach_barrier(bw_vm *vm, bw_warp *w, const bw_ins *i)
{
    uint32_t live = w->all & ~w->exited;
    if (w->mask == 0)
        return;
    if (w->mask != live) {
        bw_note(vm->diags,
                bw_vm_error(vm, BW_MSG_PARTIAL_BARRIER, i->span,
                            "a barrier that part of the block skips: lane %d of warp %u "
                            "is not here",
                            __builtin_ctz(live & ~w->mask), w->index),
                "move it out of the branch or loop, to where all threads of the block pass");
        vm->failed = true;
        return;
    }
    w->phase++;
    w->turn = (bw_turn){.state = BW_WARP_WAITS, .barrier = w->pc};
    w->barrier = i->span;
}

/* One warp waits where another never comes. */
static void report_apart(void *context, uint32_t waiting, uint32_t other)
{
    bw_vm *vm = context;
    const bw_warp *w = &vm->warps[other];
    bool done = w->turn.state == BW_WARP_DONE;
    bw_diagnostic *d = bw_vm_error(vm, BW_MSG_PARTIAL_BARRIER, vm->warps[waiting].barrier,
                                   "a barrier that part of the block skips: warp %u waits here, "
                                   "warp %u %s",
                                   waiting, other, done ? "never comes" : "waits elsewhere");
    if (!done)
        bw_also(vm->diags, d, vm->source, w->barrier, "warp %u waits here", other);
    bw_note(vm->diags, d, "every thread of the block must reach the same __syncthreads()");
    vm->failed = true;
}

/* ---- the loop
 * ------------------------------------------------------------------------------------------------
 */

static void out_of_steps(bw_vm *vm, const bw_ins *i)
{
    bw_note(
        vm->diags,
        bw_vm_error(vm, BW_MSG_STEP_BUDGET, i->span,
                    "the step budget of %llu is used up in this loop",
                    (unsigned long long)vm->max_steps),
        "check that the loop ends, make the grid smaller, or raise the budget with --max-steps");
    vm->failed = true;
}

static void run_control(bw_vm *vm, bw_warp *w, const bw_ins *i);

/* Runs until the warp waits, is done, or an assumption's code ends. */
static void run_warp(bw_vm *vm, bw_warp *w)
{
    const bw_ins *items = vm->code->items;
    while (w->turn.state == BW_WARP_READY && !vm->failed && !vm->stopped) {
        const bw_ins *i = &items[w->pc++];
        if (i->op < BW_I_CHECK)
            bw_vm_value(vm, w, i);
        else if (i->op < BW_I_IF)
            bw_vm_memory(vm, w, i);
        else if (i->op == BW_I_ENDLAW)
            return;
        else
            run_control(vm, w, i);
    }
}

/* A loop that waits for another warp turns no more often than this: nobody else runs meanwhile. */
#define MOST_TURNS 1000000

static void endless_loop(bw_vm *vm, const bw_warp *w, const bw_ins *i)
{
    bool spins = i->flags & BW_INS_SPIN && i->op == BW_I_JUMP;
    bw_note(
        vm->diags,
        bw_vm_error(vm, BW_MSG_ENDLESS_LOOP, i->span,
                    spins ? "this loop waits for what another thread writes: warp %u has turned "
                            "in it a million times"
                          : "this loop does not end: nothing in it changes its condition (warp %u)",
                    w->index),
        spins ? "warps run one after the other here, from barrier to barrier: put "
                "__syncthreads() in the place of the loop, or take the waiting out"
              : "change what the condition reads, or leave the loop with break");
    vm->failed = true;
}

static void test_loop(bw_vm *vm, bw_warp *w, const bw_ins *i)
{
    bool stuck = i->flags & BW_INS_STUCK;
    if ((i->flags & BW_INS_IDLE) && i->a != BW_NO_REG && w->regs[i->a].unknown & w->mask) {
        bw_frame *f = &w->frames[w->depth - 1]; /* it does nothing: as if it ended */
        f->gone |= w->mask;
        w->off |= w->mask;
        w->mask = 0;
    }
    if (i->a != BW_NO_REG && w->mask) {
        uint32_t lanes;
        if (!condition(vm, w, i, &lanes))
            return;
        bw_frame *f = &w->frames[w->depth - 1];
        f->gone |= w->mask & ~lanes;
        w->off |= w->mask & ~lanes;
        w->mask = lanes;
    }
    if (w->mask && stuck)
        endless_loop(vm, w, i);
    if (!w->mask)
        w->pc = (uint32_t)i->imm;
}

/* break, continue and return: the active lanes wait in the frame they leave. */
static void jump_out(bw_warp *w, bw_opcode op)
{
    uint32_t k = w->depth - 1;
    for (; k > 0; k--) {
        uint8_t kind = w->kinds[k];
        if (op == BW_I_RETURN ? kind == BW_I_FUNC
                              : kind == BW_I_LOOP || (op == BW_I_BREAK && kind == BW_I_SWITCH))
            break;
    }
    if (op == BW_I_CONTINUE)
        w->frames[k].resting |= w->mask;
    else
        w->frames[k].gone |= w->mask;
    if (op == BW_I_RETURN && k == 0)
        w->exited |= w->mask;
    w->off |= w->mask;
    w->mask = 0;
}

static void run_control(bw_vm *vm, bw_warp *w, const bw_ins *i)
{
    bw_frame *f = w->depth ? &w->frames[w->depth - 1] : NULL;
    uint32_t before = w->depth;
    switch (i->op) {
    case BW_I_IF: enter_if(vm, w, i); break;
    case BW_I_ELSE:
        assert(f);
        w->mask = f->other;
        if (!w->mask)
            w->pc = (uint32_t)i->imm;
        break;
    case BW_I_ENDIF:
        assert(f);
        w->mask = f->saved & ~w->off;
        w->depth--;
        break;
    case BW_I_LOOP:
    case BW_I_FUNC: push_frame(vm, w, i); break;
    case BW_I_TEST: test_loop(vm, w, i); break;
    case BW_I_NEXT:
        assert(f);
        w->off &= ~f->resting;
        w->mask |= f->resting;
        f->resting = 0;
        break;
    case BW_I_JUMP:
        vm->steps += w->pc - (uint64_t)i->imm;
        if (vm->steps > vm->max_steps)
            out_of_steps(vm, i);
        assert(f);
        if (++f->turns > MOST_TURNS && (i->flags & BW_INS_SPIN))
            endless_loop(vm, w, i);
        w->pc = (uint32_t)i->imm;
        break;
    case BW_I_ENDLOOP:
    case BW_I_ENDSWITCH:
    case BW_I_ENDFUNC:
        assert(f);
        w->off &= ~f->gone;
        w->mask = f->saved & ~w->off;
        w->depth--;
        break;
    case BW_I_SWITCH: enter_switch(vm, w, i); break;
    case BW_I_CASE: reach_case(w, vm->code->tables, i); break;
    case BW_I_BREAK:
    case BW_I_CONTINUE:
    case BW_I_RETURN: jump_out(w, (bw_opcode)i->op); break;
    case BW_I_BARRIER:
        bw_join_end(vm);
        reach_barrier(vm, w, i);
        break;
    case BW_I_FENCE:
        bw_join_end(vm);
        if (i->number & BW_FENCE_FORGETS)
            bw_image_forget(&vm->shared, i->origin);
        vm->racing &= !i->number; /* it waits in a way that is not followed */
        if (i->number)
            bw_races_pause(vm->races, w);
        break;
    default: w->turn = (bw_turn){.state = BW_WARP_DONE, .left = w->exited == w->all};
    }
    if (w->depth > before)
        w->kinds[w->depth - 1] = i->op;
}

#define MAX_LAWS 8 /* assumptions that read other arrays' assumptions */

void bw_vm_law(bw_vm *vm, bw_warp *w, const bw_object *o, const int64_t *index, uint32_t lanes,
               double *value, int64_t *integer)
{
    if (vm->laws == MAX_LAWS) {
        bw_note(vm->diags,
                bw_vm_error(vm, BW_MSG_ASSUMPTION, o->assume->span,
                            "the assumption of '%s' leads back to itself", o->name),
                "assume something that does not read what it defines");
        vm->failed = true;
        return;
    }
    vm->laws++;
    uint32_t pc = w->pc, mask = w->mask;
    if (o->law_index != BW_NO_REG) {
        bw_reg *r = &w->regs[o->law_index];
        memcpy(r->l, index, sizeof r->l);
        r->uniform = false;
        r->unknown = 0;
        r->home = UINT32_MAX;
    }
    w->pc = o->law_entry;
    w->mask = lanes;
    run_warp(vm, w);
    vm->laws--;
    w->pc = pc;
    w->mask = mask;
    bw_reg *r = &w->regs[o->law_value];
    bool real = bw_type_is_float(o->elem);
    for (int l = 0; l < BW_LANES; l++) {
        int k = r->uniform ? 0 : l;
        value[l] = real ? r->d[k] : 0;
        integer[l] = real ? 0 : r->l[k];
    }
}

/* ---- blocks
 * ----------------------------------------------------------------------------------------------------
 */

static void set_special(bw_vm *vm, bw_warp *w, bw_special which)
{
    uint32_t reg = vm->code->specials[which];
    if (reg == BW_NO_REG)
        return;
    bw_reg *r = &w->regs[reg];
    const uint32_t *dim = vm->shape.block;
    r->unknown = 0;
    r->home = UINT32_MAX;
    r->uniform = false;
    for (uint32_t l = 0; l < BW_LANES; l++) {
        uint32_t rank = w->index * BW_LANES + l;
        r->u[l] = which == BW_THREAD_X   ? rank % dim[0]
                  : which == BW_THREAD_Y ? rank / dim[0] % dim[1]
                  : which == BW_THREAD_Z ? rank / dim[0] / dim[1]
                  : which == BW_RANK     ? rank
                                         : l;
    }
    if (which >= BW_BLOCK_X && which <= BW_GRIDDIM_Z) {
        const uint32_t *from = which < BW_BLOCKDIM_X  ? vm->block_index
                               : which < BW_GRIDDIM_X ? vm->shape.block
                                                      : vm->shape.grid;
        bw_reg_set(r, BW_U32, from[(which - BW_BLOCK_X) % 3], 0);
        return;
    }
    bool same = true; /* threadIdx.y of a 32x8 block: one value a warp */
    for (uint32_t l = 1; l < BW_LANES; l++)
        same &= r->u[l] == r->u[0];
    r->uniform = same;
}

static void start_warp(bw_vm *vm, bw_warp *w, uint32_t index)
{
    const bw_code *c = vm->code;
    w->index = index;
    w->all = w->mask = bw_shape_lanes(&vm->shape, index);
    w->off = w->exited = w->depth = w->pc = w->phase = 0;
    w->turn = (bw_turn){.state = BW_WARP_READY};
    for (size_t k = 0; k < c->constant_count; k++) {
        const bw_constant *q = &c->constants[k];
        bw_reg_set(&w->regs[q->reg], q->cls, q->cls < BW_F32 ? q->integer : 0,
                   q->cls >= BW_F32 ? q->real : 0);
    }
    for (int k = 0; k < BW_SPECIALS; k++)
        set_special(vm, w, (bw_special)k);
    memset(w->local_state, 0xff, c->local_bytes * sizeof *w->local_state);
    memset(w->local_origin, 0, (c->local_bytes / 4 + 1) * sizeof *w->local_origin);
    if (c->local_words)
        memcpy(w->local_origin, c->local_origins, c->local_words * sizeof *w->local_origin);
}

static bw_turn *turn_of(void *context, uint32_t warp)
{
    return &((bw_vm *)context)->warps[warp].turn;
}

static void run_turn(void *context, uint32_t warp)
{
    bw_vm *vm = context;
    vm->racing = bw_races_turn(vm->races, &vm->warps[warp], vm->steps);
    run_warp(vm, &vm->warps[warp]);
}

static bool has_ended(void *context)
{
    const bw_vm *vm = context;
    return vm->failed || vm->stopped;
}

static void run_block(bw_vm *vm)
{
    const bw_turns turns = {vm, vm->warp_count, turn_of, run_turn, has_ended, report_apart};
    bw_image_reset(&vm->shared);
    bw_races_start(vm->races);
    memset(vm->stored_to, 0, vm->code->object_count * sizeof *vm->stored_to);
    for (uint32_t k = 0; k < vm->warp_count; k++)
        start_warp(vm, &vm->warps[k], k);
    vm->steps += vm->code->count * (uint64_t)vm->warp_count;
    bw_turns_run(&turns);
    bw_join_end(vm);
}

static bool allocate(bw_vm *vm, size_t max_memory, bw_span span)
{
    const bw_code *c = vm->code;
    uint64_t local = (uint64_t)c->local_bytes;
    uint64_t each = sizeof(bw_warp) + c->reg_count * sizeof(bw_reg) + local * (BW_LANES + 4 + 1);
    uint64_t total = each * vm->warp_count + BW_IMAGE_BYTES(vm->shared.size);
    if (total > max_memory) {
        bw_note(vm->diags,
                bw_vm_error(vm, BW_MSG_MEMORY_BUDGET, span,
                            "evaluating this needs %llu KiB, and the budget is %llu KiB",
                            (unsigned long long)(total >> 10),
                            (unsigned long long)(max_memory >> 10)),
                "make local arrays or the block smaller, or raise the budget with --max-memory");
        return false;
    }
    vm->warps = bw_calloc(vm->warp_count, sizeof *vm->warps);
    for (uint32_t k = 0; k < vm->warp_count; k++) {
        bw_warp *w = &vm->warps[k];
        w->regs = bw_calloc(c->reg_count, sizeof *w->regs);
        w->local = bw_calloc(c->local_bytes + 4, BW_LANES);
        w->local_state = bw_calloc(c->local_bytes + 4, sizeof *w->local_state);
        w->local_origin = bw_calloc(c->local_bytes / 4 + 1, sizeof *w->local_origin);
    }
    bw_image_create(&vm->shared, vm->shared.size);
    vm->races = bw_races_create(vm->shared.size, vm->warp_count);
    vm->stored_to = bw_calloc(c->object_count + 1, sizeof *vm->stored_to);
    return true;
}

static void release(bw_vm *vm)
{
    for (uint32_t k = 0; vm->warps && k < vm->warp_count; k++) {
        free(vm->warps[k].regs);
        free(vm->warps[k].local);
        free(vm->warps[k].local_state);
        free(vm->warps[k].local_origin);
    }
    free(vm->warps);
    bw_image_finish(&vm->shared);
    bw_races_destroy(vm->races);
    free(vm->stored_to);
}

/* False where the run has to end. */
static bool start_block(void *context, uint64_t block, uint64_t copies)
{
    bw_vm *vm = context;
    size_t errors = vm->diags->errors;
    vm->block = block;
    vm->copies = copies;
    bw_shape_place(&vm->shape, block, vm->block_index);
    if (vm->steps > vm->max_steps) {
        out_of_steps(vm, &(bw_ins){.span = vm->span});
        return false;
    }
    run_block(vm);
    vm->run->blocks_evaluated++;
    return !vm->failed && !vm->stopped && vm->diags->errors == errors;
}

bool bw_vm_run(bw_vm *vm, bool scale, size_t max_memory, bw_span span)
{
    size_t errors = vm->diags->errors;
    vm->span = span;
    vm->warp_count = bw_shape_warps(&vm->shape);
    for (size_t k = 0; k < vm->sites->count; k++)
        vm->sites->items[k].reported = false;
    uint64_t blocks = bw_shape_blocks(&vm->shape);
    vm->run->sampled = !scale && vm->sample.blocks && vm->sample.blocks < blocks;
    bool ready = allocate(vm, max_memory, span);
    if (ready && vm->run->sampled)
        bw_shape_run_sample(&vm->shape, vm->sample.blocks, vm->sample.seed, start_block, vm);
    else if (ready)
        bw_shape_run(&vm->shape, scale, start_block, vm);
    release(vm);
    vm->run->steps = vm->steps;
    vm->run->scaled = scale && blocks > 1;
    return vm->diags->errors == errors && !vm->failed;
}
