/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "program.h"

const char *bw_program_title(const bw_program *program)
{
    return program->front->title ? program->front->title(program) : NULL;
}

size_t bw_program_parameters(const bw_program *program, const bw_parameter **found)
{
    *found = NULL;
    return program->front->parameters ? program->front->parameters(program, found) : 0;
}

size_t bw_program_expects(const bw_program *program, const bw_expect **found)
{
    *found = NULL;
    return program->front->expects ? program->front->expects(program, found) : 0;
}

bool bw_program_expects_of(const bw_program *program, const bw_expect *expect,
                           const bw_access *access)
{
    return program->front->expects_of && program->front->expects_of(program, expect, access);
}

bool bw_program_is_random(const bw_program *program)
{
    return program->front->is_random && program->front->is_random(program);
}

size_t bw_program_launches(const bw_program *program, const bw_launch **found)
{
    return program->front->launches(program, found);
}

size_t bw_program_accesses(const bw_program *program, const bw_access **found)
{
    return program->front->accesses(program, found);
}

size_t bw_program_instructions(const bw_program *program, const bw_instruction **found)
{
    *found = NULL;
    return program->front->instructions ? program->front->instructions(program, found) : 0;
}

size_t bw_program_shared_arrays(const bw_program *program, const bw_shared_array **found)
{
    *found = NULL;
    return program->front->shared_arrays ? program->front->shared_arrays(program, found) : 0;
}

bool bw_program_run(bw_program *program, size_t launch, const bw_sink *sink, bw_run *run,
                    bw_diags *diags)
{
    *run = (bw_run){0};
    return program->front->run(program, launch, sink, run, diags);
}

void bw_program_destroy(bw_program *program)
{
    if (program)
        program->front->destroy(program);
}

bool bw_access_same_place(const bw_access *a, const bw_access *b)
{
    return a->span.offset == b->span.offset && a->span.len == b->span.len && a->op == b->op &&
           a->instruction == b->instruction;
}

const char *bw_access_identity(bw_arena *arena, const bw_access *access)
{
    const char *text = "";
    for (const bw_call_site *c = access->several_calls ? access->call : NULL; c; c = c->from)
        text = bw_arena_format(arena, *text ? "%s, from line %u" : "%scalled at line %u", text,
                               c->line);
    if (access->several_arrays)
        text = bw_arena_format(arena, "%s%sarray %s", text, *text ? ", " : "", access->array);
    return *text ? text : NULL;
}

const char *bw_access_text(bw_arena *arena, const bw_access *access)
{
    const char *identity = bw_access_identity(arena, access);
    return identity ? bw_arena_format(arena, "%s (%s)", access->source, identity) : access->source;
}
