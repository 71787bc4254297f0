/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "intrinsics.h"

#include <string.h>

static int math_number(const char *name, size_t len)
{
    for (int i = 0; i < BW_MATHS; i++) {
        const char *known = bw_math_row((bw_math_function)i)->name;
        if (strlen(known) == len && memcmp(known, name, len) == 0)
            return i;
    }
    return -1;
}

#define VOIDS(n, w, lo, hi)                                                                        \
    {                                                                                              \
        n, BW_IN_##w, 0, BW_RULE_PLAIN, &bw_ty_void, NULL, lo, hi                                  \
    }
#define FIXED(n, w, num, r, a, count)                                                              \
    {                                                                                              \
        n, BW_IN_##w, num, BW_RULE_FIXED, &bw_ty_##r, &bw_ty_##a, count, count                     \
    }
#define ANY(n, w, num, r, lo, hi)                                                                  \
    {                                                                                              \
        n, BW_IN_##w, num, BW_RULE_PLAIN, &bw_ty_##r, NULL, lo, hi                                 \
    }
#define ATOMIC(n, op, args)                                                                        \
    {                                                                                              \
        n, BW_IN_ATOMIC, BW_AT_##op, BW_RULE_ATOMIC, NULL, NULL, args, args                        \
    }
#define ATOMIC_ROWS(id, cuda, ptx, args)                                                           \
    ATOMIC(cuda, id, args), ATOMIC(cuda "_block", id, args), ATOMIC(cuda "_system", id, args),
#define RULE(n, r, num, lo, hi)                                                                    \
    {                                                                                              \
        n, BW_IN_NOP, num, BW_RULE_##r, NULL, NULL, lo, hi                                         \
    }
#define SHUFFLE(n, from)                                                                           \
    {                                                                                              \
        n "_sync", BW_IN_SHFL, BW_SHUFFLE_##from, BW_RULE_SECOND, NULL, NULL, 3, 4                 \
    }
#define ELEMENTS(n, count)                                                                         \
    {                                                                                              \
        n, BW_IN_MATH, 0, BW_RULE_ELEMENTS, NULL, NULL, count, count                               \
    }
#define LOAD(n)                                                                                    \
    {                                                                                              \
        n, BW_IN_NOP, 0, BW_RULE_LOAD, NULL, NULL, 1, 1                                            \
    }
#define STORE(n)                                                                                   \
    {                                                                                              \
        n, BW_IN_NOP, 0, BW_RULE_STORE, NULL, NULL, 2, 2                                           \
    }

/* Operations that the language has as functions; the others are lvalues, or atomics. */
#define OPERATION_ROW(id, name, kind, bytes, matrices, atomic, value, answers, least, merged, cc,  \
                      ptx, sass, cuda)                                                             \
    FUNCTION_##kind(BW_OP_##id, cuda)
#define FUNCTION_LDMATRIX(op, cuda) RULE(cuda, MATRIX, op, 1, 1),
#define FUNCTION_STMATRIX(op, cuda) RULE(cuda, MATRIX, op, 1, 5),
#define FUNCTION_ASYNC(op, cuda) RULE(cuda, COPY, op, 2, 3),
#define FUNCTION_ASYNC_CG(op, cuda) RULE(cuda, COPY, op, 2, 3),
#define FUNCTION_LOAD(op, cuda)
#define FUNCTION_STORE(op, cuda)
#define FUNCTION_ATOMIC(op, cuda)
#define FUNCTION_CAS(op, cuda)
#define FUNCTION_COUNT(op, cuda)
#define FUNCTION_CAS_LOOP(op, cuda)
#define FUNCTION_SWAP(op, cuda)
#define FUNCTION_WGMMA(op, cuda)

static const bw_builtin builtins[] = {
    VOIDS("__syncthreads", SYNCTHREADS, 0, 0),
    ANY("__syncthreads_count", SYNCTHREADS, 0, int, 1, 1),
    ANY("__syncthreads_and", SYNCTHREADS, 0, int, 1, 1),
    ANY("__syncthreads_or", SYNCTHREADS, 0, int, 1, 1),
    VOIDS("__syncwarp", FENCE, 0, 1),
    VOIDS("__threadfence", FENCE, 0, 0),
    VOIDS("__threadfence_block", FENCE, 0, 0),
    VOIDS("__threadfence_system", FENCE, 0, 0),
    VOIDS("__nanosleep", NOP, 1, 1),
    VOIDS("__pipeline_commit", NOP, 0, 0),
    VOIDS("__pipeline_wait_prior", NOP, 1, 1),
    VOIDS("__cp_async_commit", NOP, 0, 0),
    VOIDS("__cp_async_commit_group", NOP, 0, 0),
    VOIDS("__cp_async_wait_all", NOP, 0, 0),
    VOIDS("__cp_async_wait_group", NOP, 1, 1),
    VOIDS("__builtin_assume", NOP, 1, 1),
    VOIDS("__trap", NOP, 0, 0),
    VOIDS("__prof_trigger", NOP, 1, 1),
    VOIDS("sync", NOP, 1, 1), /* cg::sync(block) */
    ANY("printf", NOP, 0, int, 1, 32),
    RULE("assert", LEFT_OUT, 0, 1, 1),
    ANY("clock", UNKNOWN, 0, long, 0, 0),
    ANY("clock64", UNKNOWN, 0, llong, 0, 0),
    ANY("__activemask", VOTE, BW_VOTE_ACTIVE, uint, 0, 0),
    FIXED("__ballot_sync", VOTE, BW_VOTE_BALLOT, uint, uint, 2),
    FIXED("__any_sync", VOTE, BW_VOTE_ANY, int, uint, 2),
    FIXED("__all_sync", VOTE, BW_VOTE_ALL, int, uint, 2),
    RULE("__match_any_sync", MATCH, 0, 2, 2),
    SHUFFLE("__shfl", INDEX),
    SHUFFLE("__shfl_up", UP),
    SHUFFLE("__shfl_down", DOWN),
    SHUFFLE("__shfl_xor", XOR),
    {"__reduce_add_sync", BW_IN_REDUCE, BW_REDUCE_ADD, BW_RULE_SECOND, NULL, NULL, 2, 2},
    {"__reduce_and_sync", BW_IN_REDUCE, BW_REDUCE_AND, BW_RULE_SECOND, NULL, NULL, 2, 2},
    {"__reduce_or_sync", BW_IN_REDUCE, BW_REDUCE_OR, BW_RULE_SECOND, NULL, NULL, 2, 2},
    {"__reduce_xor_sync", BW_IN_REDUCE, BW_REDUCE_XOR, BW_RULE_SECOND, NULL, NULL, 2, 2},
    {"__reduce_min_sync", BW_IN_REDUCE, BW_REDUCE_MIN, BW_RULE_SECOND, NULL, NULL, 2, 2},
    {"__reduce_max_sync", BW_IN_REDUCE, BW_REDUCE_MAX, BW_RULE_SECOND, NULL, NULL, 2, 2},
    {"min", BW_IN_MIN, 0, BW_RULE_COMMON, NULL, NULL, 2, 2},
    {"max", BW_IN_MAX, 0, BW_RULE_COMMON, NULL, NULL, 2, 2},
    FIXED("umin", MIN, 0, uint, uint, 2),
    FIXED("umax", MAX, 0, uint, uint, 2),
    {"abs", BW_IN_ABS, 0, BW_RULE_COMMON, NULL, NULL, 1, 1},
    FIXED("labs", ABS, 0, long, long, 1),
    FIXED("llabs", ABS, 0, llong, llong, 1),
    FIXED("__popc", POPC, 0, int, uint, 1),
    FIXED("__popcll", POPC, 0, int, ullong, 1),
    FIXED("__clz", CLZ, 0, int, uint, 1),
    FIXED("__clzll", CLZ, 0, int, ullong, 1),
    FIXED("__ffs", FFS, 0, int, uint, 1),
    FIXED("__ffsll", FFS, 0, int, ullong, 1),
    FIXED("__brev", BREV, 0, uint, uint, 1),
    FIXED("__brevll", BREV, 0, ullong, ullong, 1),
    FIXED("__mulhi", MULHI, 0, int, int, 2),
    FIXED("__umulhi", MULHI, 0, uint, uint, 2),
    {"__mul24", BW_IN_NOP, 0, BW_RULE_PRODUCT, &bw_ty_int, NULL, 2, 2},
    {"__umul24", BW_IN_NOP, 0, BW_RULE_PRODUCT, &bw_ty_uint, NULL, 2, 2},
    FIXED("__float_as_int", BITCAST, 0, int, float, 1),
    FIXED("__float_as_uint", BITCAST, 0, uint, float, 1),
    FIXED("__int_as_float", BITCAST, 0, float, int, 1),
    FIXED("__uint_as_float", BITCAST, 0, float, uint, 1),
    FIXED("__double_as_longlong", BITCAST, 0, llong, double, 1),
    FIXED("__longlong_as_double", BITCAST, 0, double, llong, 1),
    FIXED("__float2int_rz", ROUND_INT, BW_ROUND_ZERO, int, float, 1),
    FIXED("__float2int_rn", ROUND_INT, BW_ROUND_NEAREST, int, float, 1),
    FIXED("__float2int_rd", ROUND_INT, BW_ROUND_DOWN, int, float, 1),
    FIXED("__float2int_ru", ROUND_INT, BW_ROUND_UP, int, float, 1),
    FIXED("__float2uint_rz", ROUND_INT, BW_ROUND_ZERO, uint, float, 1),
    FIXED("__float2uint_rn", ROUND_INT, BW_ROUND_NEAREST, uint, float, 1),
    FIXED("__float2uint_rd", ROUND_INT, BW_ROUND_DOWN, uint, float, 1),
    FIXED("__double2int_rn", ROUND_INT, BW_ROUND_NEAREST, int, double, 1),
    FIXED("__double2int_rz", ROUND_INT, BW_ROUND_ZERO, int, double, 1),
    {"__int2float_rn", BW_IN_MATH, BW_MATH_SAME, BW_RULE_FIXED, &bw_ty_float, &bw_ty_float, 1, 1},
    {"__uint2float_rn", BW_IN_MATH, BW_MATH_SAME, BW_RULE_FIXED, &bw_ty_float, &bw_ty_float, 1, 1},
    {"__half2float", BW_IN_MATH, BW_MATH_SAME, BW_RULE_FIXED, &bw_ty_float, &bw_ty_float, 1, 1},
    {"__bfloat162float", BW_IN_MATH, BW_MATH_SAME, BW_RULE_FIXED, &bw_ty_float, &bw_ty_float, 1, 1},
    {"__float2half", BW_IN_MATH, BW_MATH_SAME, BW_RULE_FIXED, &bw_ty_half, &bw_ty_half, 1, 1},
    {"__float2half_rn", BW_IN_MATH, BW_MATH_SAME, BW_RULE_FIXED, &bw_ty_half, &bw_ty_half, 1, 1},
    {"__int2half_rn", BW_IN_MATH, BW_MATH_SAME, BW_RULE_FIXED, &bw_ty_half, &bw_ty_half, 1, 1},
    {"__float2bfloat16", BW_IN_MATH, BW_MATH_SAME, BW_RULE_FIXED, &bw_ty_bfloat, &bw_ty_bfloat, 1,
     1},
    {"__float2bfloat16_rn", BW_IN_MATH, BW_MATH_SAME, BW_RULE_FIXED, &bw_ty_bfloat, &bw_ty_bfloat,
     1, 1},
    RULE("__low2half", PAIR_MEMBER, 0, 1, 1),
    RULE("__high2half", PAIR_MEMBER, 1, 1, 1),
    {"__low2float", BW_IN_NOP, 0, BW_RULE_PAIR_MEMBER, &bw_ty_float, NULL, 1, 1},
    {"__high2float", BW_IN_NOP, 1, BW_RULE_PAIR_MEMBER, &bw_ty_float, NULL, 1, 1},
    RULE("__half22float2", TO_FLOAT2, 0, 1, 1),
    RULE("__float22half2_rn", TO_HALF2, 0, 1, 1),
    RULE("__floats2half2_rn", MAKE_HALF2, 0, 2, 2),
    RULE("__halves2half2", MAKE_HALF2, 0, 2, 2),
    RULE("make_half2", MAKE_HALF2, 0, 2, 2),
    RULE("__float2half2_rn", MAKE_HALF2, 0, 1, 1),
    RULE("__half2half2", MAKE_HALF2, 0, 1, 1),
    ELEMENTS("__hadd2", 2),
    ELEMENTS("__hsub2", 2),
    ELEMENTS("__hmul2", 2),
    ELEMENTS("__h2div", 2),
    ELEMENTS("__hfma2", 3),
    ELEMENTS("__hmax2", 2),
    ELEMENTS("__hmin2", 2),
    LOAD("__ldg"),
    LOAD("__ldca"),
    LOAD("__ldcg"),
    LOAD("__ldcs"),
    STORE("__stcs"),
    STORE("__stcg"),
    STORE("__stwt"),
    BW_ATOMICS(ATOMIC_ROWS) BW_OPS(OPERATION_ROW)
        RULE("__pipeline_memcpy_async", PIPELINE_COPY, 0, 3, 4),
    {"__cvta_generic_to_shared", BW_IN_NOP, 0, BW_RULE_TO_SHARED, &bw_ty_ulong, NULL, 1, 1},
    ANY("__isShared", UNKNOWN, 0, uint, 1, 1),
    RULE("sincosf", SINCOS, 0, 3, 3),
    RULE("__sincosf", SINCOS, 0, 3, 3),
    RULE("sincos", SINCOS, 0, 3, 3),
    RULE("swizzle", SWIZZLE, 0, 1, 1),
    RULE("tma_swizzle_32B", TMA_SWIZZLE, 1, 1, 1),
    RULE("tma_swizzle_64B", TMA_SWIZZLE, 2, 1, 1),
    RULE("tma_swizzle_128B", TMA_SWIZZLE, 3, 1, 1),
    RULE("random", RANDOM, BW_LAW_UNIFORM, 1, 1),
    FIXED("zipf", DRAW, BW_LAW_ZIPF, int, double, 2),
    FIXED("normal", DRAW, BW_LAW_NORMAL, double, double, 2),
    FIXED("binomial", DRAW, BW_LAW_BINOMIAL, int, double, 2),
    RULE("this_thread_block", GROUP, 0, 0, 0),
    RULE("tiled_partition", TILE, 0, 1, 2),
    RULE("this_thread", GROUP, 1, 0, 0),
    RULE("coalesced_threads", COALESCED, 0, 0, 0),
    RULE("memcpy_async", MEMCPY_ASYNC, 0, 3, 6),
    RULE("memcpy", MEMCPY, 0, 3, 3),
    RULE("__shfl", UNMASKED, 0, 2, 3), /* before CUDA 9 */
    RULE("__shfl_up", UNMASKED, 0, 2, 3),
    RULE("__shfl_down", UNMASKED, 0, 2, 3),
    RULE("__shfl_xor", UNMASKED, 0, 2, 3),
    RULE("__ballot", UNMASKED, 0, 1, 1),
    RULE("__any", UNMASKED, 0, 1, 1),
    RULE("__all", UNMASKED, 0, 1, 1),
    RULE("swap", SWAP, 0, 2, 2), /* std:: */
    RULE("move", FIRST, 0, 1, 1),
    RULE("aligned_size_t", ALIGNED_SIZE, 0, 1, 1),
    RULE("wait", WAIT, 0, 1, 1), /* cg::wait(group) */
    RULE("wait_prior", WAIT, 0, 1, 1),
    RULE("reduce", REDUCE, 0, 3, 3),
    RULE("__builtin_expect", FIRST, 0, 2, 2),
    RULE("__builtin_assume_aligned", FIRST, 0, 2, 3),
};

/* Names that math.h's functions have on the GPU: sinf, __sinf, hsin, __fadd_rn, __hadd, __fmaf_rn.
 */
static bool math_builtin(const char *name, size_t len, bw_builtin *found)
{
    static const struct {
        const char *name;
        bw_math_function function;
        const bw_type *type;
    } aliases[] = {
        {"__fdividef", BW_MATH_DIV, &bw_ty_float},
        {"__fdiv_rn", BW_MATH_DIV, &bw_ty_float},
        {"hrsqrt", BW_MATH_RSQRT, &bw_ty_half},
        {"__powf", BW_MATH_POW, &bw_ty_float},
        {"__saturatef", BW_MATH_SATURATE, &bw_ty_float},
        {"__fadd_rn", BW_MATH_ADD, &bw_ty_float},
        {"__fsub_rn", BW_MATH_SUB, &bw_ty_float},
        {"__fmul_rn", BW_MATH_MUL, &bw_ty_float},
        {"__fmaf_rn", BW_MATH_FMA, &bw_ty_float},
        {"__frcp_rn", BW_MATH_RCP, &bw_ty_float},
        {"__fsqrt_rn", BW_MATH_SQRT, &bw_ty_float},
        {"__frsqrt_rn", BW_MATH_RSQRT, &bw_ty_float},
        {"__hadd", BW_MATH_ADD, &bw_ty_half},
        {"__hsub", BW_MATH_SUB, &bw_ty_half},
        {"__hmul", BW_MATH_MUL, &bw_ty_half},
        {"__hdiv", BW_MATH_DIV, &bw_ty_half},
        {"__hfma", BW_MATH_FMA, &bw_ty_half},
        {"__hmax", BW_MATH_FMAX, &bw_ty_half},
        {"__hmin", BW_MATH_FMIN, &bw_ty_half},
        {"__habs", BW_MATH_FABS, &bw_ty_half},
        {"__hneg", BW_MATH_NEG, &bw_ty_half},
        {"hexp", BW_MATH_EXP, &bw_ty_half},
        {"hsqrt", BW_MATH_SQRT, &bw_ty_half},
        {"hrcp", BW_MATH_RCP, &bw_ty_half},
        {"__expf", BW_MATH_EXP, &bw_ty_float},
        {"__exp10f", BW_MATH_EXP10, &bw_ty_float},
        {"__sinf", BW_MATH_SIN, &bw_ty_float},
        {"__cosf", BW_MATH_COS, &bw_ty_float},
        {"__tanf", BW_MATH_TAN, &bw_ty_float},
        {"__logf", BW_MATH_LOG, &bw_ty_float},
        {"__log2f", BW_MATH_LOG2, &bw_ty_float},
        {"__log10f", BW_MATH_LOG10, &bw_ty_float},
    };
    const bw_type *type = NULL;
    int number = -1;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases && !type; i++)
        if (strlen(aliases[i].name) == len && memcmp(aliases[i].name, name, len) == 0) {
            type = aliases[i].type;
            number = (int)aliases[i].function;
        }
    if (!type && (number = math_number(name, len)) < 0 && len > 1 && name[len - 1] == 'f' &&
        (number = math_number(name, len - 1)) >= 0)
        type = &bw_ty_float;
    bool alias = type != NULL && name[0] == '_';
    const bw_math *row = number < 0 ? NULL : bw_math_row((bw_math_function)number);
    if (!row || (row->hidden && !alias && name[0] != 'h'))
        return false; /* the hidden rows serve aliases only: CUDA has no function add() */
    *found = (bw_builtin){.name = row->name,
                          .what = BW_IN_MATH,
                          .number = number,
                          .rule = type ? BW_RULE_FIXED : BW_RULE_GENERIC,
                          .result = type,
                          .argument = type,
                          .least = row->arity,
                          .most = row->arity};
    return true;
}

bool bw_builtin_find(const char *name, size_t len, bw_builtin *found)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (strlen(builtins[i].name) == len && memcmp(builtins[i].name, name, len) == 0) {
            *found = builtins[i];
            return true;
        }
    return math_builtin(name, len, found);
}
