/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of functions that the file defines.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "parse.h"

/* The argument as its parameter takes it; an error node where it cannot. */
static bw_expr *fit_argument(bw_parser *p, const bw_function *f, const bw_symbol *param,
                             bw_expr *arg)
{
    const bw_record *record = arg->type->kind == BW_TY_STRUCT ? arg->type->record : NULL;
    if (!param->is_reference && record && record->has_state && arg->lvalue)
        return bw_refuse(p, BW_MSG_CXX_NOT_IN_LANGUAGE, arg->span,
                         "a copy of a mutable lambda is not in the language",
                         "take the parameter by reference: F &&f");
    if (!param->is_reference)
        return bw_convert(p, arg, param->type);
    bool same = bw_is_error(arg) || bw_type_same(arg->type, param->type);
    if (arg->lvalue && same) {
        bw_mark_address_taken(arg);
        return arg;
    }
    bool closure = record && record->is_closure;
    if (param->is_const || param->is_rvalue || closure || (f->is_method && param == f->params[0]))
        return bw_convert(p, arg, param->type);
    if (arg->lvalue)
        return bw_refuse(p, BW_MSG_REFERENCE_BINDING, arg->span,
                         bw_arena_format(p->arena, "a reference to %s cannot be bound to %s",
                                         bw_type_name(p->arena, param->type),
                                         bw_type_name(p->arena, arg->type)),
                         "give both the same type");
    return bw_refuse(p, BW_MSG_NO_ADDRESS, arg->span,
                     "a reference needs something that has an address",
                     "pass a variable or an element");
}

/* How many arguments `f` takes, as a caller counts them. */
static const char *wrong_count(bw_parser *p, const bw_function *f, uint32_t own, size_t count)
{
    uint32_t most = f->param_count - own, least = 0;
    while (least < most && !f->defaults[least + own])
        least++;
    return bw_arena_format(p->arena,
                           least == most ? "'%s' takes %u argument%s, not %zu"
                                         : "'%s' takes at least %u argument%s, not %zu",
                           f->name, count < least ? least : most,
                           (count < least ? least : most) == 1 ? "" : "s", count);
}

static bw_expr *call(bw_parser *p, bw_function *f, const bw_call_args *c, bw_span span)
{
    uint32_t own = f->is_method, least = own;
    if (f->is_kernel)
        return bw_refuse(p, BW_MSG_NOT_CALLABLE, span, "a kernel cannot be called",
                         "launch it at top level: "
                         "name<<<grid, block>>>(arguments);");
    if (own && !c->object)
        return bw_refuse(p, BW_MSG_NEEDS_OBJECT, span,
                         bw_arena_format(p->arena, "'%s' needs an object", f->name),
                         "call it as object.function(…), or make it static");
    while (least < f->param_count && !f->defaults[least])
        least++;
    size_t count = c->count + own;
    if (count > f->param_count || count < least)
        return bw_refuse(p, BW_MSG_ARGUMENT_COUNT, span, wrong_count(p, f, own, c->count),
                         "give one argument for each parameter");
    bw_expr **all = bw_arena_alloc(p->arena, (f->param_count + 1) * sizeof *all);
    for (uint32_t i = 0; i < f->param_count; i++) {
        bw_expr *arg = own && i == 0 ? c->object : i < count ? c->args[i - own] : f->defaults[i];
        all[i] = fit_argument(p, f, f->params[i], arg);
        if (bw_is_error(all[i]))
            return all[i];
    }
    bw_expr *folded = f->is_constexpr ? p->cxx->fold(p, f, all, span) : NULL;
    if (folded)
        return folded;
    bw_expr *e = bw_new_expr(p, BW_EX_CALL, f->result, span);
    e->call.function = f;
    e->call.args = all;
    e->call.count = f->param_count;
    return f->returns_reference ? bw_new_deref(p, e, span) : e;
}

static bw_function *choose(bw_parser *p, bw_function *first, const bw_call_args *c, bool templates,
                           bw_span span)
{
    return first->next_overload ? p->cxx->choose(p, first, c, templates, span) : first;
}

bw_expr *bw_call_instance(bw_parser *p, bw_function *f, const bw_call_args *c,
                          bw_template_value *values, bw_span span)
{
    if (bw_is_template(f)) {
        p->cxx->deduce(p, f, c->args, c->count, values, span);
        f = bw_instantiate(p, f, values, span);
    }
    return f ? call(p, f, c, span) : bw_new_error(p, span);
}

bw_expr *bw_call(bw_parser *p, bw_function *first, bw_expr *object, bw_expr **args, size_t count,
                 bw_span span)
{
    bw_template_value values[BW_MAX_TEMPLATE_PARAMETERS] = {{0}};
    bw_call_args c = {object, args, count};
    for (size_t i = 0; i < count; i++)
        if (bw_is_error(args[i]))
            return args[i];
    bw_function *f = choose(p, first, &c, false, span);
    return f ? bw_call_instance(p, f, &c, values, span) : bw_new_error(p, span);
}

bw_expr *bw_parse_user_call(bw_parser *p, bw_function *first, bw_expr *object, size_t start)
{
    bw_template_value values[BW_MAX_TEMPLATE_PARAMETERS] = {{0}};
    bool angled = bw_at(p, BW_TOK_LESS);
    for (bw_function *o = first; angled && o; o = o->next_overload)
        if (bw_is_template(o)) {
            bw_parse_template_arguments(p, o->template, values);
            break;
        }
    bw_call_args c = {.object = object};
    c.count = bw_parse_arguments(p, &c.args);
    bw_span span = bw_span_from(p, start);
    for (size_t i = 0; i < c.count; i++)
        if (bw_is_error(c.args[i]))
            return bw_new_error(p, span);
    bw_function *f = choose(p, first, &c, angled, span);
    return f ? bw_call_instance(p, f, &c, values, span) : bw_new_error(p, span);
}
