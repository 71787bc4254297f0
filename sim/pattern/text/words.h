/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * words: the words and signs that the language tells apart, and the kinds of tokens they make.
 *
 * One row each, with the name of its kind and its spelling; the lexer gives every token its kind,
 * and nothing after it compares texts. A word is reserved by the grammar that takes it, not by
 * standing here: `min`, `line` and `x` are names like any other where no rule asks for them, which
 * bw_is_name says of all words. A word that is not here is a BW_TOK_NAME. It owns nothing.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_WORDS_H
#define BANKWISE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By spelling, without the underscores that only mark them as an extension. */
// clang-format off
#define BW_WORDS(X) \
    X(ALIGN, "__align__") \
    X(ALIGNAS, "alignas") \
    X(ALIGNED, "aligned") \
    X(ALIGNED_SIZE, "aligned_size_t") \
    X(ALIGNOF, "alignof") \
    X(ALL, "all") \
    X(ANY, "any") \
    X(ASM, "asm") \
    X(ATTRIBUTE, "__attribute__") \
    X(AUTO, "auto") \
    X(BALLOT, "ballot") \
    X(BLOCK_DIM, "blockDim") \
    X(BLOCK_IDX, "blockIdx") \
    X(BOOL, "bool") \
    X(BREAK, "break") \
    X(C_ALIGNOF, "_Alignof") \
    X(C_BOOL, "_Bool") \
    X(CASE, "case") \
    X(CG, "cg") \
    X(CHAR, "char") \
    X(CLASS, "class") \
    X(CLUSTER_DIMS, "__cluster_dims__") \
    X(CONST, "const") \
    X(CONSTANT, "__constant__") \
    X(CONSTEXPR, "constexpr") \
    X(CONST_CAST, "const_cast") \
    X(CONTINUE, "continue") \
    X(CUDA, "cuda") \
    X(DECLSPEC, "__declspec") \
    X(DECLTYPE, "decltype") \
    X(DEFAULT, "default") \
    X(DEFINE, "define") \
    X(DEFINED, "defined") \
    X(DELETE, "delete") \
    X(DEVICE, "__device__") \
    X(DIM3, "dim3") \
    X(DO, "do") \
    X(DOUBLE, "double") \
    X(DYNAMIC_CAST, "dynamic_cast") \
    X(ELIF, "elif") \
    X(ELSE, "else") \
    X(ENDIF, "endif") \
    X(ENUM, "enum") \
    X(EPSILON, "epsilon") \
    X(ERROR, "error") \
    X(EXPLICIT, "explicit") \
    X(EXTERN, "extern") \
    X(FALSE, "false") \
    X(FINAL, "final") \
    X(FLOAT, "float") \
    X(FOR, "for") \
    X(FORCE_INLINE, "__forceinline__") \
    X(FRIEND, "friend") \
    X(GLOBAL, "__global__") \
    X(GNU_ASM, "__asm__") \
    X(GNU_INLINE, "__inline__") \
    X(GNU_RESTRICT, "__restrict__") \
    X(GNU_VOLATILE, "__volatile__") \
    X(GOTO, "goto") \
    X(GRID_CONSTANT, "__grid_constant__") \
    X(GRID_DIM, "gridDim") \
    X(HOST, "__host__") \
    X(IF, "if") \
    X(IFDEF, "ifdef") \
    X(IFNDEF, "ifndef") \
    X(INCLUDE, "include") \
    X(INFINITY, "infinity") \
    X(INLINE, "inline") \
    X(INT, "int") \
    X(INT64, "__int64") \
    X(LAUNCH_BOUNDS, "__launch_bounds__") \
    X(LINE, "line") \
    X(LONG, "long") \
    X(LOWEST, "lowest") \
    X(MANAGED, "__managed__") \
    X(MAX, "max") \
    X(MAX_REGISTERS, "__maxnreg__") \
    X(META_GROUP_RANK, "meta_group_rank") \
    X(MIN, "min") \
    X(MS_RESTRICT, "__restrict") \
    X(MUTABLE, "mutable") \
    X(NAMESPACE, "namespace") \
    X(NEW, "new") \
    X(NOEXCEPT, "noexcept") \
    X(NO_INLINE, "__noinline__") \
    X(NUMERIC_LIMITS, "numeric_limits") \
    X(NUM_THREADS, "num_threads") \
    X(OPERATOR, "operator") \
    X(OVERRIDE, "override") \
    X(PRAGMA, "pragma") \
    X(PRAGMA_OPERATOR, "_Pragma") \
    X(PRIVATE, "private") \
    X(PROTECTED, "protected") \
    X(PUBLIC, "public") \
    X(PURE, "__nv_pure__") \
    X(REDUCE, "reduce") \
    X(REGISTER, "register") \
    X(REINTERPRET_CAST, "reinterpret_cast") \
    X(RESTRICT, "restrict") \
    X(RETURN, "return") \
    X(SHARED, "__shared__") \
    X(SHFL, "shfl") \
    X(SHFL_DOWN, "shfl_down") \
    X(SHFL_UP, "shfl_up") \
    X(SHFL_XOR, "shfl_xor") \
    X(SHORT, "short") \
    X(SIGNED, "signed") \
    X(SIZE, "size") \
    X(SIZEOF, "sizeof") \
    X(STATIC, "static") \
    X(STATIC_ASSERT, "static_assert") \
    X(STATIC_CAST, "static_cast") \
    X(STRUCT, "struct") \
    X(SWITCH, "switch") \
    X(SWIZZLE, "swizzle") \
    X(SYNC, "sync") \
    X(TEMPLATE, "template") \
    X(THIS, "this") \
    X(THREAD_BLOCK, "thread_block") \
    X(THREAD_BLOCK_TILE, "thread_block_tile") \
    X(THREAD_GROUP, "thread_group") \
    X(THREAD_IDX, "threadIdx") \
    X(THREAD_LOCAL, "thread_local") \
    X(THREAD_RANK, "thread_rank") \
    X(THROW, "throw") \
    X(TILED_PARTITION, "tiled_partition") \
    X(TRUE, "true") \
    X(TRY, "try") \
    X(TYPEDEF, "typedef") \
    X(TYPEID, "typeid") \
    X(TYPENAME, "typename") \
    X(UNDEF, "undef") \
    X(UNION, "union") \
    X(UNSIGNED, "unsigned") \
    X(USING, "using") \
    X(VA_ARGS, "__VA_ARGS__") \
    X(VIRTUAL, "virtual") \
    X(VOID, "void") \
    X(VOLATILE, "volatile") \
    X(WAIT_PRIOR, "wait_prior") \
    X(WARNING, "warning") \
    X(WHILE, "while") \
    X(WMMA, "wmma") \
    X(X, "x") \
    X(Y, "y") \
    X(Z, "z")

/* Those of three characters before those of two, and so on: the first that fits is the right one. */
#define BW_SIGNS(X) \
    X(LAUNCH_OPEN, "<<<") \
    X(LAUNCH_CLOSE, ">>>") \
    X(SHL_ASSIGN, "<<=") \
    X(SHR_ASSIGN, ">>=") \
    X(ELLIPSIS, "...") \
    X(ARROW_STAR, "->*") \
    X(ARROW, "->") \
    X(INCREMENT, "++") \
    X(DECREMENT, "--") \
    X(SHL, "<<") \
    X(SHR, ">>") \
    X(LESS_EQUAL, "<=") \
    X(GREATER_EQUAL, ">=") \
    X(EQUAL, "==") \
    X(NOT_EQUAL, "!=") \
    X(AND_AND, "&&") \
    X(OR_OR, "||") \
    X(ADD_ASSIGN, "+=") \
    X(SUB_ASSIGN, "-=") \
    X(MUL_ASSIGN, "*=") \
    X(DIV_ASSIGN, "/=") \
    X(REM_ASSIGN, "%=") \
    X(AND_ASSIGN, "&=") \
    X(OR_ASSIGN, "|=") \
    X(XOR_ASSIGN, "^=") \
    X(SCOPE, "::") \
    X(HASH_HASH, "##") \
    X(LBRACKET, "[") \
    X(RBRACKET, "]") \
    X(LPAREN, "(") \
    X(RPAREN, ")") \
    X(LBRACE, "{") \
    X(RBRACE, "}") \
    X(DOT, ".") \
    X(AND, "&") \
    X(STAR, "*") \
    X(PLUS, "+") \
    X(MINUS, "-") \
    X(TILDE, "~") \
    X(NOT, "!") \
    X(SLASH, "/") \
    X(PERCENT, "%") \
    X(LESS, "<") \
    X(GREATER, ">") \
    X(XOR, "^") \
    X(OR, "|") \
    X(QUESTION, "?") \
    X(COLON, ":") \
    X(SEMICOLON, ";") \
    X(ASSIGN, "=") \
    X(COMMA, ",") \
    X(HASH, "#") \
    X(AT, "@")
// clang-format on

typedef enum bw_token_kind {
    BW_TOK_END,
    BW_TOK_NUMBER, /* integer or floating: decided by the parser */
    BW_TOK_CHARACTER,
    BW_TOK_STRING,
    BW_TOK_NAME, /* a word of no row */
#define X(name, spelling) BW_TOK_##name,
    BW_WORDS(X) BW_TOK_SIGN, /* signs of no row: what ## makes of two */
    BW_SIGNS(X)
#undef X
        BW_TOK_KINDS
} bw_token_kind;

/* The spelling of a word or sign; "" for the other kinds. */
const char *bw_spelling(bw_token_kind kind);

/* What finds kinds by spelling. Any number may exist; read by any number of threads. */
typedef struct bw_words {
    uint16_t slots[1024];     /* by hash, open addressing: kind of a word or 0 */
    uint16_t first_sign[128]; /* by first character: the kind of the first sign with it, or 0 */
} bw_words;

void bw_words_init(bw_words *words);
/* The kind of a word: BW_TOK_NAME for one of no row. */
bw_token_kind bw_words_find(const bw_words *words, const char *text, size_t len);
/* The longest sign that text[0..len) begins with; BW_TOK_END for none. */
bw_token_kind bw_words_sign(const bw_words *words, const char *text, size_t len);

#endif
