/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cooperative groups: what a block, a tile or the active lanes are asked as methods.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "parse.h"

static bw_expr *integer(bw_parser *p, int64_t value, bw_span span)
{
    return bw_new_integer(p, &bw_ty_int, value, span);
}

bw_expr *bw_group_rank(bw_parser *p, const bw_type *group, bw_span span)
{
    bw_expr *rank = bw_new_special(p, BW_RANK, span);
    return group->count == 0 ? rank
                             : bw_new_binary(p, BW_REM, rank, integer(p, group->count, span), span);
}

bw_expr *bw_group_size(bw_parser *p, const bw_type *group, bw_span span)
{
    if (group->count)
        return bw_new_integer(p, &bw_ty_uint, group->count, span);
    bw_expr *xy = bw_new_binary(p, BW_MUL, bw_new_special(p, BW_BLOCKDIM_X, span),
                                bw_new_special(p, BW_BLOCKDIM_Y, span), span);
    return bw_new_binary(p, BW_MUL, xy, bw_new_special(p, BW_BLOCKDIM_Z, span), span);
}

static bw_expr *call_one(bw_parser *p, bw_intrinsic what, const bw_type *type, bw_expr *a,
                         bw_expr *b, bw_span span)
{
    bw_expr **args = bw_arena_alloc(p->arena, 2 * sizeof *args);
    args[0] = a;
    args[1] = b;
    return bw_new_intrinsic(p, what, 0, type, span, b ? 2 : 1, args);
}

/* A shuffle of a group of active lanes: `rank` counts them. */
static bw_expr *coalesced_shuffle(bw_parser *p, bw_expr *mask, bw_expr *value, bw_expr *rank,
                                  bw_span span)
{
    bw_expr **full = bw_arena_alloc(p->arena, 4 * sizeof *full);
    value = bw_value(p, value);
    full[0] = bw_new_integer(p, &bw_ty_uint, -1, span);
    full[1] = bw_convert(p, value, bw_type_promote(value->type));
    full[2] = call_one(p, BW_IN_NTH, &bw_ty_int, mask, bw_convert(p, rank, &bw_ty_uint), span);
    full[3] = integer(p, BW_LANES, span);
    return bw_new_intrinsic(p, BW_IN_SHFL, BW_SHUFFLE_INDEX, full[1]->type, span, 4, full);
}

/* active.thread_rank(), active.shfl(v, 0) … of cg::coalesced_threads() */
bw_expr *bw_parse_coalesced(bw_parser *p, bw_expr *group, const bw_token *name, bw_span span)
{
    bw_expr **args = NULL;
    size_t count = bw_parse_arguments(p, &args);
    bw_expr *mask = bw_new_member(p, group, &group->type->members[0], span);
    bw_expr *bit = bw_new_binary(p, BW_SHL, bw_new_integer(p, &bw_ty_uint, 1, span),
                                 bw_new_special(p, BW_LANE, span), span);
    bw_expr *below = bw_new_binary(p, BW_AND, mask,
                                   bw_new_binary(p, BW_SUB, bit, integer(p, 1, span), span), span);
    bw_expr *rank =
        bw_convert(p, call_one(p, BW_IN_POPC, &bw_ty_int, below, NULL, span), &bw_ty_uint);
    if (bw_token_is(name, BW_TOK_SYNC))
        return bw_new_intrinsic(p, BW_IN_NOP, 0, &bw_ty_void, span, 0, NULL);
    if (bw_token_is(name, BW_TOK_THREAD_RANK))
        return rank;
    if (bw_token_is(name, BW_TOK_SIZE) || bw_token_is(name, BW_TOK_NUM_THREADS))
        return bw_convert(p, call_one(p, BW_IN_POPC, &bw_ty_int, mask, NULL, span), &bw_ty_uint);
    if (bw_token_is(name, BW_TOK_SHFL) && count == 2)
        return coalesced_shuffle(p, mask, args[0], args[1], span);
    bool up = bw_token_is(name, BW_TOK_SHFL_UP);
    if ((up || bw_token_is(name, BW_TOK_SHFL_DOWN)) && count == 2)
        return coalesced_shuffle(
            p, mask, args[0],
            bw_new_binary(p, up ? BW_SUB : BW_ADD, rank, bw_convert(p, args[1], &bw_ty_uint), span),
            span);
    bool any = bw_token_is(name, BW_TOK_ANY);
    if ((any || bw_token_is(name, BW_TOK_ALL)) && count == 1) {
        bw_expr **full = bw_arena_alloc(p->arena, 2 * sizeof *full);
        full[0] = mask;
        full[1] = bw_convert(p, args[0], &bw_ty_bool);
        return bw_new_intrinsic(p, BW_IN_VOTE, any ? BW_VOTE_ANY : BW_VOTE_ALL, &bw_ty_int, span, 2,
                                full);
    }
    return bw_refuse(p, BW_MSG_UNKNOWN_FUNCTION, span,
                     bw_arena_format(p->arena, "a group of active lanes has no function '%.*s'",
                                     (int)name->len, name->text),
                     "known: sync, thread_rank, size, num_threads, shfl, shfl_up, shfl_down, any, "
                     "all");
}

/* Of a thread_group, which may be the block or a tile of it: its value is how many threads it has.
 */
bw_expr *bw_parse_group_method(bw_parser *p, bw_expr *group, const bw_token *name, bw_span span)
{
    bw_expr **args = NULL;
    bw_parse_arguments(p, &args);
    bw_expr *size = bw_cast(p, group, &bw_ty_uint, span);
    if (bw_token_is(name, BW_TOK_SIZE) || bw_token_is(name, BW_TOK_NUM_THREADS))
        return size;
    if (bw_token_is(name, BW_TOK_THREAD_RANK))
        return bw_new_binary(p, BW_REM, bw_new_special(p, BW_RANK, span), size, span);
    if (!bw_token_is(name, BW_TOK_SYNC))
        return bw_refuse(p, BW_MSG_UNKNOWN_FUNCTION, span,
                         bw_arena_format(p->arena, "a thread_group has no function '%.*s' here",
                                         (int)name->len, name->text),
                         "known: sync, thread_rank, size, num_threads; name the group's own type, "
                         "cg::thread_block_tile<16>, for others");
    bw_expr *whole = bw_group_size(p, bw_type_handle(p->arena, 0), span);
    return bw_new_conditional(p, bw_new_binary(p, BW_EQ, size, whole, span),
                              bw_new_intrinsic(p, BW_IN_SYNCTHREADS, 0, &bw_ty_void, span, 0, NULL),
                              bw_new_intrinsic(p, BW_IN_FENCE, 0, &bw_ty_void, span, 0, NULL),
                              span);
}

/* block.sync(), tile.thread_rank(), tile.shfl_down(v, 4) … */
bw_expr *bw_parse_method(bw_parser *p, bw_expr *handle, const bw_token *name, bw_span span)
{
    int64_t threads = handle->type->count;
    bw_expr **args = NULL;
    size_t count = bw_parse_arguments(p, &args);
    bw_expr *size = integer(p, threads, span);
    static const bw_token_kind shuffles[] = {[BW_SHUFFLE_INDEX] = BW_TOK_SHFL,
                                             [BW_SHUFFLE_UP] = BW_TOK_SHFL_UP,
                                             [BW_SHUFFLE_DOWN] = BW_TOK_SHFL_DOWN,
                                             [BW_SHUFFLE_XOR] = BW_TOK_SHFL_XOR};
    _Static_assert(sizeof shuffles / sizeof *shuffles == BW_SHUFFLE_XOR + 1, "a word for each");
    static const bw_token_kind votes[] = {
        [BW_VOTE_BALLOT] = BW_TOK_BALLOT, [BW_VOTE_ANY] = BW_TOK_ANY, [BW_VOTE_ALL] = BW_TOK_ALL};
    _Static_assert(sizeof votes / sizeof *votes == BW_VOTE_ALL + 1,
                   "a word for each that is written");
    if (bw_token_is(name, BW_TOK_SYNC))
        return bw_new_intrinsic(p, threads == 0 ? BW_IN_SYNCTHREADS : BW_IN_FENCE, 0, &bw_ty_void,
                                span, 0, NULL);
    if (bw_token_is(name, BW_TOK_THREAD_RANK))
        return bw_group_rank(p, handle->type, span);
    if (bw_token_is(name, BW_TOK_SIZE) || bw_token_is(name, BW_TOK_NUM_THREADS))
        return bw_group_size(p, handle->type, span);
    if (threads && bw_token_is(name, BW_TOK_META_GROUP_RANK))
        return bw_new_binary(p, BW_DIV, bw_new_special(p, BW_RANK, span), size, span);
    for (int i = 0; threads && i <= BW_SHUFFLE_XOR; i++)
        if (bw_token_is(name, shuffles[i]) && count == 2) {
            bw_expr **full = bw_arena_alloc(p->arena, 4 * sizeof *full);
            full[0] = bw_new_integer(p, &bw_ty_uint, -1, span);
            full[1] = bw_value(p, args[0]);
            full[2] = bw_convert(p, args[1], &bw_ty_int);
            full[3] = size;
            full[1] = bw_convert(p, full[1], bw_type_promote(full[1]->type));
            return bw_new_intrinsic(p, BW_IN_SHFL, i, full[1]->type, span, 4, full);
        }
    for (int i = 0; threads == BW_LANES && i <= BW_VOTE_ALL; i++)
        if (bw_token_is(name, votes[i]) && count == 1) {
            bw_expr **full = bw_arena_alloc(p->arena, 2 * sizeof *full);
            full[0] = bw_new_integer(p, &bw_ty_uint, -1, span);
            full[1] = bw_convert(p, args[0], &bw_ty_bool);
            return bw_new_intrinsic(p, BW_IN_VOTE, i, i ? &bw_ty_int : &bw_ty_uint, span, 2, full);
        }
    return bw_refuse(
        p, BW_MSG_UNKNOWN_FUNCTION, span,
        bw_arena_format(p->arena, "this group has no function '%.*s'", (int)name->len, name->text),
        "known: sync, thread_rank, size, num_threads, meta_group_rank, shfl, shfl_up, "
        "shfl_down, shfl_xor, ballot, any, all");
}
