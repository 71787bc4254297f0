/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asking for what is missing: each thing once, at the first instruction that needs it.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "kernel_private.h"

#define EXAMPLE_LAWS "zero, iota, random:u32:0..255, rand:1%%256 or file:NAME"

/* What is missing: in words, and how to give it. */
typedef struct lack {
    const char *what; /* "argument 1 (int), which was not given" */
    const char *how;
} lack;

const char *bw_kernel_place_text(bw_arena *arena, const bw_sass_line *line)
{
    const char *text = NULL;
    for (; line; line = line->inlined_at)
        text = text ? bw_arena_format(arena, "%s, inlined at %s:%u", text, line->file, line->line)
                    : bw_arena_format(arena, "%s:%u", line->file, line->line);
    return text;
}

static const bw_kernel_data *data_of(const bw_kernel *k, size_t pointer)
{
    for (size_t i = 0; i < k->data_count; i++)
        if (k->data[i].pointer == pointer)
            return &k->data[i];
    return NULL;
}

/* The same of a buffer that is called @NAME. */
static lack of_named(bw_kernel *k, const bw_kernel_data *d, uint64_t address)
{
    unsigned long long offset = address - bw_machine_pointer((uint32_t)d->pointer);
    const char *what = bw_arena_format(&k->arena, "byte %llu of buffer @%s", offset, d->name);
    if (!d->has_law)
        return (lack){
            bw_arena_format(&k->arena, "what buffer @%s holds, where no launch stored it", d->name),
            bw_arena_format(&k->arena, "--data @%s=LAW: " EXAMPLE_LAWS, d->name)};
    if (offset < d->size)
        return (lack){
            bw_arena_format(&k->arena, "%s, where a kernel stored an unknown value", what),
            "give the arguments and data that the value is made of"};
    return (lack){what, "check the arguments that the address is made of, or raise --max-memory"};
}

/* What a load gave that nothing is known of. */
static lack of_memory(bw_kernel *k, const bw_machine_origin *from)
{
    int index = from->has_address ? bw_machine_pointer_index(from->address) : -1;
    size_t named = index < 0 ? SIZE_MAX : (size_t)(BW_MACHINE_POINTERS - 1 - index);
    if (named < k->memory->count)
        return of_named(k, &k->memory->data[named], from->address);
    if (index < 0 || (size_t)index >= k->arguments.pointer_count)
        return (lack){"global memory, at an address that belongs to no argument",
                      "give the arguments that the address is made of"};
    const char *name = bw_pointer_name(&k->arena, &k->arguments, (size_t)index);
    const bw_kernel_data *d = data_of(k, (size_t)index);
    if (!d)
        return (lack){bw_arena_format(&k->arena, "what argument %s points to", name),
                      bw_arena_format(&k->arena, "--data %s=LAW: " EXAMPLE_LAWS, name)};
    unsigned long long offset = from->address - bw_machine_pointer((uint32_t)index);
    const char *what =
        bw_arena_format(&k->arena, "byte %llu of what argument %s points to", offset, name);
    if (d->law.kind == BW_DATA_FILE)
        return (lack){what, bw_arena_format(&k->arena, "give a larger file: %s has %llu bytes",
                                            d->law.path, (unsigned long long)d->size)};
    if (offset < d->size)
        return (lack){
            bw_arena_format(&k->arena, "%s, where the kernel stored an unknown value", what),
            "give the arguments and data that the value is made of"};
    return (lack){what, "check the arguments that the address is made of, or raise --max-memory"};
}

static lack of_instruction(bw_kernel *k, const bw_machine_origin *from)
{
    const bw_sass_ins *ins = from->ins < k->text->count ? &k->text->ins[from->ins] : NULL;
    const char *name = ins ? ins->name : "?";
    const char *why = ins && ins->unmodelled ? ins->unmodelled : "not modelled";
    return (lack){bw_arena_format(&k->arena, "the result of %s, which is not known: %s", name, why),
                  "nothing can be given for it: this kernel cannot be predicted as a whole"};
}

static lack lack_of(bw_kernel *k, const bw_machine_origin *from)
{
    switch (from->kind) {
    case BW_MACHINE_FROM_PARAM: {
        const char *flag = bw_argument_flag(&k->arena, &k->arguments, from->offset);
        return (lack){
            bw_arena_format(&k->arena, "an argument at byte %u that was not given", from->offset),
            flag};
    }
    case BW_MACHINE_FROM_CONSTANT:
        if (from->bank)
            return (lack){bw_arena_format(&k->arena, "constant bank %u, whose content is not known",
                                          from->bank),
                          bw_arena_format(&k->arena, "--data c%u=LAW: " EXAMPLE_LAWS, from->bank)};
        return (lack){bw_arena_format(&k->arena,
                                      "byte 0x%x of constant bank 0, which only the "
                                      "driver knows",
                                      from->offset),
                      "nothing can be given for it"};
    case BW_MACHINE_FROM_LOAD:
    case BW_MACHINE_FROM_ATOMIC: return of_memory(k, from);
    case BW_MACHINE_FROM_SHARED:
        return (lack){"shared memory that nothing has written", "give the data that fills it"};
    case BW_MACHINE_FROM_LOCAL:
        return (lack){"local memory that nothing has written", "give the arguments that fill it"};
    case BW_MACHINE_FROM_SPECIAL:
        return (lack){"a register that only a card knows", "nothing can be given for it"};
    case BW_MACHINE_FROM_BLOCK:
        return (lack){"another block's shared memory", "nothing can be given for it: blocks are "
                                                       "run one by one"};
    case BW_MACHINE_FROM_UNWRITTEN:
        return (lack){"a register that nothing has written", "is the text whole?"};
    default: return of_instruction(k, from);
    }
}

static const char *dependent(bw_machine_need_kind kind)
{
    switch (kind) {
    case BW_MACHINE_NEED_BRANCH: return "which way this goes depends on";
    case BW_MACHINE_NEED_ADDRESS: return "the address of this access depends on";
    default: return "whether this access is made depends on";
    }
}

static void report(bw_kernel *k, const bw_machine_need *need, const lack *lacks, size_t others,
                   bw_diags *diags)
{
    const bw_sass_ins *ins = &k->text->ins[need->ins];
    const char *place = bw_kernel_place_text(&k->arena, ins->line);
    bw_diagnostic *d =
        bw_diagnose(diags, BW_MSG_VALUE_NEEDED, k->source, ins->span, "%s: %s %s%s%s%s",
                    k->signature.name, dependent(need->kind), lacks->what,
                    place ? " (made of " : "", place ? place : "", place ? ")" : "");
    bool other = need->origin.ins < k->text->count && need->origin.ins != need->ins;
    if (other)
        bw_also(diags, d, k->source, k->text->ins[need->origin.ins].span, "the value comes from %s",
                "here");
    if (others)
        bw_note(diags, d, "%s (%zu more instruction%s too)", lacks->how, others,
                others == 1 ? " needs it" : "s need it");
    else
        bw_note(diags, d, "%s", lacks->how);
}

void bw_kernel_report_needs(bw_kernel *k, const bw_machine_result *result, bw_diags *diags)
{
    lack *lacks = bw_arena_alloc(&k->arena, (result->need_count + 1) * sizeof *lacks);
    for (size_t i = 0; i < result->need_count; i++)
        lacks[i] = lack_of(k, &result->needs[i].origin);
    for (size_t i = 0; i < result->need_count; i++) {
        size_t others = 0;
        bool said = false;
        for (size_t j = 0; j < result->need_count; j++) {
            bool same = strcmp(lacks[i].what, lacks[j].what) == 0 &&
                        strcmp(lacks[i].how, lacks[j].how) == 0;
            said |= same && j < i;
            others += same && j > i && result->needs[j].ins != result->needs[i].ins;
        }
        if (!said)
            report(k, &result->needs[i], &lacks[i], others, diags);
    }
}

void bw_kernel_report_launch(bw_kernel *k, bw_diags *diags)
{
    bw_diagnostic *d =
        bw_diagnose(diags, BW_MSG_LAUNCH_NOT_GIVEN, k->source, k->text->span,
                    "machine code does not say how %s is launched", k->signature.name);
    const char *flags = "--block 256 (its threads), --grid 64 where it is more than one block";
    bool any = false;
    for (size_t i = 0; i < k->arguments.count; i++) {
        const bw_param_place *p = &k->arguments.places[i];
        if (p->given || p->param.kind == BW_PARAM_POINTER)
            continue;
        flags = bw_arena_format(&k->arena, "%s%s --arg %zu=VALUE (%s)", flags,
                                any ? "," : ", and where it matters", i,
                                p->param.type ? p->param.type : "?");
        any = true;
    }
    if (!k->signature.known && !k->arguments.count)
        flags = bw_arena_format(&k->arena, "%s, and its arguments from the first on: --arg 0=ptr",
                                flags);
    bw_note(diags, d, "give %s", flags);
}
