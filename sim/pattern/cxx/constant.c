/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of constexpr functions with constant arguments, computed while parsing, so that they can
 * give array sizes and template arguments.
 *
 * The function's tree is interpreted: numbers in local variables, every operator, if, loops, calls
 * of other constexpr functions. Anything else makes the call an ordinary one, which runs later.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cxx.h"

#define MAX_VARIABLES 64
#define MAX_STEPS 100000 /* of one call: each allocates a node */
#define MAX_CALLS 64

typedef enum flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN } flow;

typedef struct machine {
    bw_parser *p;
    const bw_symbol *names[MAX_VARIABLES]; /* of this call */
    bw_expr *values[MAX_VARIABLES];
    unsigned count, calls;
    unsigned *steps;
    bw_expr *result;
    bool failed;
} machine;

static bw_expr *call(const machine *outer, const bw_function *f, bw_expr *const *args);

static bw_expr *fail(machine *m)
{
    m->failed = true;
    return NULL;
}

static bw_expr **slot(machine *m, const bw_expr *e)
{
    for (unsigned i = m->count; e->kind == BW_EX_SYMBOL && i-- > 0;)
        if (m->names[i] == e->symbol)
            return &m->values[i];
    return NULL;
}

static bw_expr *evaluate(machine *m, const bw_expr *e);

static bool is_true(const bw_expr *e)
{
    return bw_type_is_float(e->type) ? e->real != 0 : e->integer != 0;
}

static bw_expr *evaluate_logical(machine *m, const bw_expr *e)
{
    bw_expr *a = evaluate(m, e->a);
    if (m->failed)
        return NULL;
    bool decided = is_true(a) == (e->kind == BW_EX_OR);
    bw_expr *b = decided ? a : evaluate(m, e->binary.b);
    return m->failed ? NULL : bw_new_integer(m->p, &bw_ty_bool, is_true(b), e->span);
}

static bw_expr *evaluate_assignment(machine *m, const bw_expr *e)
{
    bw_expr **target = slot(m, e->a), *value = evaluate(m, e->binary.b);
    if (m->failed || !target || !*target || !bw_type_is_arithmetic(e->type))
        return fail(m);
    if (e->binary.has_op) {
        bw_expr *old = bw_cast(m->p, *target, e->binary.work, e->span);
        value = bw_new_binary(m->p, e->binary.op, old, value, e->span);
    }
    return *target = bw_cast(m->p, value, e->type, e->span);
}

static bw_expr *evaluate_step(machine *m, const bw_expr *e)
{
    bw_expr **target = slot(m, e->a), *old = target ? *target : NULL;
    if (!old || !bw_type_is_arithmetic(e->type))
        return fail(m);
    bw_expr *one = bw_new_integer(m->p, &bw_ty_int, 1, e->span);
    *target = bw_cast(m->p, bw_new_binary(m->p, e->step.op, old, one, e->span), e->type, e->span);
    return e->step.post ? old : *target;
}

static bw_expr *evaluate_call(machine *m, const bw_expr *e)
{
    bw_expr *args[MAX_VARIABLES], *const *given;
    uint32_t count = bw_arguments(e, &given);
    if (count > MAX_VARIABLES)
        return fail(m);
    for (uint32_t i = 0; i < count && !m->failed; i++)
        args[i] = evaluate(m, given[i]);
    if (m->failed)
        return NULL;
    if (e->kind == BW_EX_CALL) {
        bw_expr *result = call(m, e->call.function, args);
        return result ? result : fail(m);
    }
    bool least = e->intrinsic.what == BW_IN_MIN;
    if ((!least && e->intrinsic.what != BW_IN_MAX) || count != 2)
        return fail(m);
    bw_expr *less = bw_new_binary(m->p, BW_LT, args[0], args[1], e->span);
    return is_true(less) == least ? args[0] : args[1];
}

static bw_expr *evaluate_kind(machine *m, const bw_expr *e)
{
    bw_expr *a, *b, **variable;
    switch (e->kind) {
    case BW_EX_CONST: return bw_type_is_arithmetic(e->type) ? (bw_expr *)e : fail(m);
    case BW_EX_SYMBOL: variable = slot(m, e); return variable && *variable ? *variable : fail(m);
    case BW_EX_BINARY:
        a = evaluate(m, e->a);
        b = m->failed ? NULL : evaluate(m, e->binary.b);
        return m->failed ? NULL : bw_new_binary(m->p, e->binary.op, a, b, e->span);
    case BW_EX_AND:
    case BW_EX_OR: return evaluate_logical(m, e);
    case BW_EX_NOT:
    case BW_EX_NEG:
    case BW_EX_INVERT:
        a = evaluate(m, e->a);
        return m->failed ? NULL : bw_new_unary(m->p, e->kind, a, e->span);
    case BW_EX_COND:
        a = evaluate(m, e->a);
        return m->failed ? NULL : evaluate(m, is_true(a) ? e->cond.yes : e->cond.no);
    case BW_EX_COMMA: return evaluate(m, e->a), m->failed ? NULL : evaluate(m, e->binary.b);
    case BW_EX_CAST:
        a = bw_type_is_arithmetic(e->type) ? evaluate(m, e->a) : fail(m);
        return m->failed ? NULL : bw_cast(m->p, a, e->type, e->span);
    case BW_EX_ASSIGN: return evaluate_assignment(m, e);
    case BW_EX_STEP: return evaluate_step(m, e);
    case BW_EX_CALL:
    case BW_EX_INTRINSIC: return evaluate_call(m, e);
    default: return fail(m);
    }
}

static bw_expr *evaluate(machine *m, const bw_expr *e)
{
    if (m->failed || ++*m->steps > MAX_STEPS)
        return fail(m);
    bw_expr *value = evaluate_kind(m, e);
    return m->failed || !value || !bw_is_constant(value) ? fail(m) : value;
}

static flow run(machine *m, const bw_stmt *s);

static flow run_list(machine *m, const bw_stmt *s)
{
    flow f = FLOW_ON;
    for (; s && f == FLOW_ON && !m->failed; s = s->next)
        f = run(m, s);
    return f;
}

static flow run_loop(machine *m, const bw_stmt *s)
{
    run_list(m, s->init);
    for (bool first = s->kind == BW_SM_DO; !m->failed; first = false) {
        const bw_expr *test = first || !s->cond ? NULL : evaluate(m, s->cond);
        if (m->failed || (test && !is_true(test)))
            break;
        flow f = run(m, s->body);
        if (f == FLOW_BREAK)
            break;
        if (f == FLOW_RETURN)
            return f;
        if (s->step && !m->failed)
            evaluate(m, s->step);
        if (++*m->steps > MAX_STEPS)
            fail(m);
    }
    return FLOW_ON;
}

static flow run(machine *m, const bw_stmt *s)
{
    if (!s || m->failed)
        return FLOW_ON;
    switch (s->kind) {
    case BW_SM_EMPTY: return FLOW_ON;
    case BW_SM_EXPR: evaluate(m, s->expr); return FLOW_ON;
    case BW_SM_DECLARE:
        if (m->count == MAX_VARIABLES || !bw_type_is_arithmetic(s->symbol->type) ||
            s->symbol->is_reference || s->symbol->storage != BW_ST_REGISTER)
            fail(m);
        else {
            bw_expr *value = s->expr ? evaluate(m, s->expr) : NULL;
            m->names[m->count] = s->symbol;
            m->values[m->count++] = value;
        }
        return FLOW_ON;
    case BW_SM_BLOCK: {
        unsigned count = m->count;
        flow f = run_list(m, s->body);
        m->count = count;
        return f;
    }
    case BW_SM_IF: {
        const bw_expr *test = evaluate(m, s->cond);
        return m->failed ? FLOW_ON : run(m, is_true(test) ? s->body : s->other);
    }
    case BW_SM_LOOP:
    case BW_SM_DO: return run_loop(m, s);
    case BW_SM_BREAK: return FLOW_BREAK;
    case BW_SM_CONTINUE: return FLOW_CONTINUE;
    case BW_SM_RETURN: m->result = s->expr ? evaluate(m, s->expr) : NULL; return FLOW_RETURN;
    default: fail(m); return FLOW_ON;
    }
}

static bw_expr *call(const machine *outer, const bw_function *f, bw_expr *const *args)
{
    machine m = {.p = outer->p, .calls = outer->calls + 1, .steps = outer->steps};
    if (m.calls > MAX_CALLS || !f->is_constexpr || !f->parsed ||
        !bw_type_is_arithmetic(f->result) || f->param_count > MAX_VARIABLES)
        return NULL;
    for (uint32_t i = 0; i < f->param_count; i++) {
        if (!bw_is_constant(args[i]) || !bw_type_is_arithmetic(f->params[i]->type) ||
            f->params[i]->is_reference)
            return NULL;
        m.names[m.count] = f->params[i];
        m.values[m.count++] = args[i];
    }
    run(&m, f->body);
    return m.failed ? NULL : m.result;
}

bw_expr *bw_fold_call(bw_parser *p, const bw_function *f, bw_expr *const *args, bw_span span)
{
    unsigned steps = 0;
    bw_expr *value = call(&(machine){.p = p, .steps = &steps}, f, args);
    if (!value)
        return NULL;
    bw_expr *made = bw_new_expr(p, BW_EX_CONST, value->type, span);
    *made = *value;
    made->span = span;
    return made;
}
