/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Launches: kernel<<<grid, block, bytes, stream>>>(arguments);
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "parse.h"

static void check_shape(bw_parser *p, const uint32_t dims[3], bool grid, bw_span span)
{
    static const uint32_t block_limit[3] = {1024, 1024, 64};
    static const uint32_t grid_limit[3] = {2147483647, 65535, 65535};
    const uint32_t *limit = grid ? grid_limit : block_limit;
    uint64_t product = (uint64_t)dims[0] * dims[1] * dims[2];
    const char *note = grid ? "a grid is at most 2147483647 x 65535 x 65535 blocks"
                            : "a block is at most 1024 x 1024 x 64 and 1024 threads in all";
    for (int i = 0; i < 3; i++)
        if (dims[i] == 0 || dims[i] > limit[i]) {
            bw_note(p->diags,
                    bw_diagnose(p->diags, BW_MSG_LAUNCH_SHAPE, p->source, span,
                                "a %s of %ux%ux%u cannot be launched", grid ? "grid" : "block",
                                dims[0], dims[1], dims[2]),
                    "%s", note);
            return;
        }
    if (!grid && product > 1024)
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_LAUNCH_SHAPE, p->source, span,
                            "a block of %ux%ux%u has %llu threads", dims[0], dims[1], dims[2],
                            (unsigned long long)product),
                "%s", note);
}

void bw_parse_extents(bw_parser *p, uint32_t dims[3], bool bracketed)
{
    bw_token_kind close = !bracketed                ? BW_TOK_END
                          : bw_at(p, BW_TOK_LBRACE) ? BW_TOK_RBRACE
                                                    : BW_TOK_RPAREN;
    if (close)
        bw_take(p);
    for (int i = 0; i < (close ? 3 : 1) && !(close && bw_at(p, close)); i++) {
        int64_t value = bw_parse_integer(p, "a launch dimension", 1);
        dims[i] = value < 0 || value > UINT32_MAX ? 0 : (uint32_t)value;
        if (!close || !bw_accept(p, BW_TOK_COMMA))
            break;
    }
    if (close)
        bw_expect_token(p, close, "after the dimensions");
}

/* A number, dim3(…) or {…}. */
static void parse_numbers(bw_parser *p, uint32_t dims[3])
{
    bool named = bw_accept(p, BW_TOK_DIM3);
    if (named && !bw_at(p, BW_TOK_LBRACE) && !bw_at(p, BW_TOK_LPAREN))
        bw_expect_token(p, BW_TOK_LPAREN, "after dim3");
    bw_parse_extents(p, dims, named || bw_at(p, BW_TOK_LBRACE));
}

/* The grid or the block of a launch; --grid and --block spare those that only the host knows. */
static void parse_dims(bw_parser *p, uint32_t dims[3], bool grid)
{
    size_t start = p->at;
    dims[0] = dims[1] = dims[2] = 1;
    if (!p->order && (grid ? p->input->grid : p->input->block)[0]) {
        p->at = bw_host_value_end(p, start);
        return;
    }
    if (p->order || !p->host->shape(p, dims, grid))
        parse_numbers(p, dims);
    check_shape(p, dims, grid, bw_span_from(p, start));
}

static uint32_t parse_dynamic_shared(bw_parser *p)
{
    if (!p->order && p->input->has_shared) {
        p->at = bw_host_value_end(p, p->at);
        return 0;
    }
    if (!p->order && p->host->unknown_bytes(p))
        return 0;
    int64_t bytes = bw_parse_integer(p, "the dynamic shared memory", 0);
    return bytes < 0 || bytes > INT32_MAX ? INT32_MAX : (uint32_t)bytes;
}

/* What only the host knows: to the comma or bracket after it. */
static void skip_host_value(bw_parser *p)
{
    p->at = bw_host_value_end(p, p->at);
}

static bw_expr *constant_argument(bw_parser *p, const bw_type *type)
{
    bw_expr *e = bw_convert(p, bw_parse_assignment(p), type);
    if (bw_is_error(e) || bw_is_constant(e) || type->kind == BW_TY_STRUCT)
        return e;
    bw_note(p->diags,
            bw_diagnose(p->diags, BW_MSG_NOT_CONSTANT, p->source, e->span,
                        "a launch argument must be a constant"),
            "write a number, or declare it above: const int n = …;");
    return NULL;
}

/* { 1024, pointer, 0.5f }: one expression a number in the struct, NULL for a pointer. */
static void parse_struct_values(bw_parser *p, const bw_type *type, bw_expr *list)
{
    bw_enter(p);
    bw_expect_token(p, BW_TOK_LBRACE, "before the struct's values");
    bool array = type->kind == BW_TY_ARRAY;
    uint32_t members = !array ? type->member_count : type->count < 0 ? 0 : (uint32_t)type->count;
    for (uint32_t k = 0; k < members && !bw_at(p, BW_TOK_RBRACE); k++) {
        const bw_type *member = array ? type->elem : type->members[k].type;
        if (!array && type->members[k].overlaid)
            continue;
        if (member->kind == BW_TY_STRUCT || member->kind == BW_TY_ARRAY) {
            uint32_t end = list->list.count + bw_type_leaves(member);
            parse_struct_values(p, member, list);
            list->list.count = end;
        } else if (member->kind == BW_TY_POINTER) {
            skip_host_value(p);
            list->list.count++;
        } else {
            list->list.items[list->list.count++] = constant_argument(p, member);
        }
        if (!bw_accept(p, BW_TOK_COMMA))
            break;
    }
    bw_expect_token(p, BW_TOK_RBRACE, "after the struct's values");
    bw_leave(p);
}

static bw_expr *struct_argument(bw_parser *p, const bw_type *type)
{
    const bw_token *name = bw_peek(p, 0);
    if (!bw_at(p, BW_TOK_LBRACE)) {
        bw_symbol *s = bw_lookup(p, name->text, name->len);
        if (s || bw_is_builtin(name) || bw_at_type(p))
            return constant_argument(p, type);
        skip_host_value(p);
        return NULL;
    }
    uint32_t leaves = bw_type_leaves(type);
    if (leaves >= BW_TOO_MANY_LEAVES)
        bw_syntax_error(p, BW_MSG_OBJECT_SIZE, "pass a pointer",
                        "this struct is too large for a list");
    bw_expr *list = bw_new_expr(p, BW_EX_LIST, type, name->span);
    list->list.items = bw_arena_alloc(p->arena, (leaves + 1) * sizeof *list->list.items);
    parse_struct_values(p, type, list);
    return list;
}

/* One argument: a constant, or whatever stands for a pointer to global memory; NULL: unknown. */
static bw_expr *parse_launch_argument(bw_parser *p, const bw_symbol *param)
{
    const bw_token *token = bw_peek(p, 0);
    const bw_token *next = bw_peek(p, 1);
    bool alone =
        bw_is_name(token) && (bw_token_is(next, BW_TOK_COMMA) || bw_token_is(next, BW_TOK_RPAREN));
    bw_symbol *s = alone ? bw_lookup(p, token->text, token->len) : NULL;
    if (p->order && alone && bw_token_named(token, "_")) {
        bw_take(p);
        return NULL; /* not given */
    }
    if (param && param->type->kind == BW_TY_STRUCT)
        return struct_argument(p, param->type);
    if (param && param->type->kind == BW_TY_POINTER && (!s || s->kind != BW_SY_CONSTANT)) {
        skip_host_value(p);
        if (s && s->kind == BW_SY_VARIABLE && s->storage == BW_ST_GLOBAL && s->content)
            return bw_value(p, bw_new_symbol(p, s, token->span));
        return NULL;
    }
    bool on_host = !bw_is_global(p->scope); /* what a program computes may well be unknown here */
    if (on_host && p->host->is_unknown(p, p->at, bw_host_value_end(p, p->at))) {
        skip_host_value(p);
        return NULL;
    }
    return param ? constant_argument(p, param->type) : bw_parse_assignment(p);
}

/* <<<grid, block, bytes, stream>>> */
static void parse_shape(bw_parser *p, bw_ast_launch *launch)
{
    bw_expect_token(p, BW_TOK_LAUNCH_OPEN, "after the kernel's name");
    parse_dims(p, launch->grid, true);
    bw_expect_token(p, BW_TOK_COMMA, "between grid and block");
    parse_dims(p, launch->block, false);
    if (bw_accept(p, BW_TOK_COMMA)) {
        launch->dynamic_shared = parse_dynamic_shared(p);
        for (int depth = 0; bw_at(p, BW_TOK_COMMA) || depth > 0 || !bw_at(p, BW_TOK_LAUNCH_CLOSE);
             bw_take(p)) {
            if (bw_peek(p, 0)->kind == BW_TOK_END || bw_at(p, BW_TOK_SEMICOLON))
                break; /* the stream says nothing about costs: it is passed over */
            depth += bw_at(p, BW_TOK_LPAREN) - bw_at(p, BW_TOK_RPAREN);
        }
    }
    bw_expect_token(p, BW_TOK_LAUNCH_CLOSE, "after the launch's shape");
}

static void parse_launch_arguments(bw_parser *p, const bw_function *f, bw_ast_launch *launch)
{
    launch->args =
        bw_arena_alloc(p->arena, (BW_MAX_FUNCTION_PARAMETERS + 1) * sizeof *launch->args);
    bw_expect_token(p, BW_TOK_LPAREN, "before the kernel's arguments");
    while (!bw_at(p, BW_TOK_RPAREN) && launch->arg_count <= BW_MAX_FUNCTION_PARAMETERS) {
        const bw_symbol *param =
            launch->arg_count < f->param_count ? f->params[launch->arg_count] : NULL;
        launch->args[launch->arg_count++] = parse_launch_argument(p, param);
        if (!bw_accept(p, BW_TOK_COMMA))
            break;
    }
    bw_expect_token(p, BW_TOK_RPAREN, "after the kernel's arguments");
}

/* Names in the launch, of diagnostics from `first` on, that nothing declares. */
static void explain_unknown(bw_parser *p, size_t first)
{
    for (size_t i = first; i < p->diags->count; i++)
        if (p->diags->items[i].id == BW_MSG_UNKNOWN_NAME)
            p->host->unknown_value(p, &p->diags->items[i]);
}

/* A launch of a kernel that is not asked for: what it says need not be known. */
static void pass_over(bw_parser *p)
{
    while (bw_peek(p, 0)->kind != BW_TOK_END && !bw_at(p, BW_TOK_SEMICOLON))
        bw_take(p);
    bw_accept(p, BW_TOK_SEMICOLON);
}

/* Whether the file has this kernel, though its head was refused: that error is the cause. */
static bool is_refused_kernel(const bw_parser *p, const bw_token *name)
{
    bool kernel = false;
    if (!p->diags->errors)
        return false;
    for (size_t i = 0; i < p->input->tokens->file_count; i++) {
        const bw_token *t = &p->tokens[i];
        if (bw_token_is(t, BW_TOK_LBRACE) || bw_token_is(t, BW_TOK_SEMICOLON))
            kernel = false;
        else if (t->kind == BW_TOK_GLOBAL)
            kernel = true;
        else if (kernel && t->len == name->len && !memcmp(t->text, name->text, t->len) &&
                 i + 1 < p->input->tokens->file_count && bw_token_is(t + 1, BW_TOK_LPAREN))
            return true;
    }
    return false;
}

void bw_parse_launch(bw_parser *p)
{
    size_t start = p->at;
    const bw_token *name = bw_take(p);
    bw_symbol *s = bw_lookup(p, name->text, name->len);
    if (!s && is_refused_kernel(p, name))
        bw_unwind(p);
    if (!s || s->kind != BW_SY_FUNCTION) {
        p->at = start;
        bw_syntax_error(p, BW_MSG_UNKNOWN_KERNEL,
                        p->order ? bw_kernels_note(p)
                                 : "define it above the launch: __global__ void name(…) { … }",
                        "unknown kernel '%.*s'", (int)name->len, name->text);
    }
    bw_function *f = s->function;
    bool by_name = p->input->kernel && !strchr(p->input->kernel, '<');
    if (by_name && f->is_kernel && !bw_is_chosen(p, f)) {
        p->at = start;
        pass_over(p);
        return;
    }
    bw_template_value values[BW_MAX_TEMPLATE_PARAMETERS] = {{0}};
    size_t errors = p->diags->errors, first = p->diags->count;
    if (bw_is_template(f))
        bw_parse_template_arguments(p, f->template, values);
    bw_ast_launch launch = {0};
    parse_shape(p, &launch);
    explain_unknown(p, first);
    first = p->diags->count;
    bw_span shape = bw_span_from(p, start);
    if (p->diags->errors > errors)
        bw_unwind(p); /* its arguments would only follow from that */
    if (bw_is_template(f) && bw_at(p, BW_TOK_LPAREN))
        p->host->deduce(p, f, values, shape);
    if (bw_is_template(f) && !(f = bw_instantiate(p, f, values, shape)))
        bw_unwind(p);
    if (!f->is_kernel) {
        p->at = start;
        bw_syntax_error(p, BW_MSG_UNKNOWN_KERNEL, "declare it __global__ void",
                        "'%s' is not a kernel", f->name);
    }
    launch.kernel = f;
    launch.order = p->order;
    bool bare = p->order && bw_peek(p, 0)->kind == BW_TOK_END; /* no argument is given */
    if (!bare)
        parse_launch_arguments(p, f, &launch);
    explain_unknown(p, first);
    if (!p->order)
        bw_expect_token(p, BW_TOK_SEMICOLON, "after the launch");
    else
        bw_accept(p, BW_TOK_SEMICOLON);
    launch.span = bw_span_from(p, start);
    uint32_t needed = f->param_count;
    while (needed && f->defaults[needed - 1])
        needed--;
    if (!bare && (launch.arg_count < needed || launch.arg_count > f->param_count)) {
        bw_note(
            p->diags,
            bw_diagnose(p->diags, BW_MSG_LAUNCH_ARGUMENTS, p->source, launch.span,
                        "'%s' takes %u arguments, not %u", f->name, f->param_count,
                        launch.arg_count),
            "give one for each parameter; a name that is declared nowhere stands for a pointer");
        return;
    }
    for (uint32_t i = launch.arg_count; !bare && i < f->param_count; i++)
        launch.args[launch.arg_count++] = f->defaults[i];
    if (!bw_is_chosen(p, f))
        return;
    bw_complete_arguments(p, &launch);
    bw_tree *tree = p->tree;
    BW_GROW(tree->launches, tree->launch_count, tree->launch_capacity);
    tree->launches[tree->launch_count++] = launch;
}

size_t bw_host_value_end(const bw_parser *p, size_t at)
{
    int depth = 0;
    for (; at < p->count && p->tokens[at].kind != BW_TOK_END; at++) {
        const bw_token *t = &p->tokens[at];
        bool closes = bw_token_is(t, BW_TOK_RPAREN) || bw_token_is(t, BW_TOK_RBRACE) ||
                      bw_token_is(t, BW_TOK_RBRACKET);
        bool ends = bw_token_is(t, BW_TOK_COMMA) || bw_token_is(t, BW_TOK_SEMICOLON) ||
                    bw_token_is(t, BW_TOK_LAUNCH_CLOSE);
        if (depth == 0 && (closes || ends))
            break;
        depth += bw_token_is(t, BW_TOK_LPAREN) || bw_token_is(t, BW_TOK_LBRACE) ||
                 bw_token_is(t, BW_TOK_LBRACKET);
        depth -= closes;
    }
    return at;
}

bool bw_at_launch(const bw_parser *p)
{
    if (!bw_is_name(bw_peek(p, 0)))
        return false;
    if (bw_token_is(bw_peek(p, 1), BW_TOK_LAUNCH_OPEN))
        return true;
    if (!bw_token_is(bw_peek(p, 1), BW_TOK_LESS))
        return false;
    for (size_t i = 2;
         !bw_token_is(bw_peek(p, i), BW_TOK_SEMICOLON) && bw_peek(p, i)->kind != BW_TOK_END; i++)
        if (bw_token_is(bw_peek(p, i), BW_TOK_LAUNCH_OPEN))
            return true;
    return false;
}

bool bw_at_host_function(const bw_parser *p)
{
    static const bw_token_kind device[] = {BW_TOK_GLOBAL,   BW_TOK_DEVICE,    BW_TOK_CONSTEXPR,
                                           BW_TOK_TEMPLATE, BW_TOK_STRUCT,    BW_TOK_UNION,
                                           BW_TOK_ENUM,     BW_TOK_CLASS,     BW_TOK_TYPEDEF,
                                           BW_TOK_USING,    BW_TOK_NAMESPACE, BW_TOK_ASM};
    static const bw_token_kind after[] = {BW_TOK_CONST, BW_TOK_NOEXCEPT, BW_TOK_OVERRIDE,
                                          BW_TOK_FINAL};
    if (!p->kernel_form)
        return false;
    for (size_t at = p->at; at < p->count; at++) {
        const bw_token *t = &p->tokens[at];
        bool name = bw_is_name(t);
        if (bw_token_is(t, BW_TOK_LPAREN) && at > p->at && bw_is_name(&p->tokens[at - 1])) {
            at = bw_after_brackets(p, at);
            if (bw_token_is(&p->tokens[at < p->count ? at : p->count - 1],
                            BW_TOK_LPAREN)) /* attributes */
                return false;
            while (at < p->count && BW_IS_IN(&p->tokens[at], after))
                at++;
            return at < p->count && bw_token_is(&p->tokens[at], BW_TOK_LBRACE);
        }
        if (BW_IS_IN(t, device) ||
            !(name || bw_token_is(t, BW_TOK_STAR) || bw_token_is(t, BW_TOK_AND) ||
              bw_token_is(t, BW_TOK_SCOPE) || bw_token_is(t, BW_TOK_LESS) ||
              bw_token_is(t, BW_TOK_GREATER) || bw_token_is(t, BW_TOK_COMMA)))
            return false;
    }
    return false;
}

bool bw_at_host_dim3(const bw_parser *p)
{
    static const bw_token_kind qualifiers[] = {BW_TOK_CONST, BW_TOK_CONSTEXPR, BW_TOK_STATIC};
    size_t ahead = 0;
    while (BW_IS_IN(bw_peek(p, ahead), qualifiers))
        ahead++;
    return bw_token_is(bw_peek(p, ahead), BW_TOK_DIM3) && bw_is_name(bw_peek(p, ahead + 1));
}
