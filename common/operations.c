/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "operations.h"

#include <string.h>

/* What the kind of a row says, by the kind's identifier. */
enum {
#define KIND_FACTS(id, turns, reads, writes, merges, copies)                                       \
    TURNS_##id = BW_TURNS_##turns, READS_##id = (reads), WRITES_##id = (writes),                   \
    MERGES_##id = (merges), COPIES_##id = (copies),
    BW_KINDS(KIND_FACTS)
#undef KIND_FACTS
};

static const bw_op_info ops[] = {
#define ROW(id, text, of, size, rows, function, type, gives, least, merged, cc, in_ptx, in_sass,   \
            in_cuda)                                                                               \
    {.name = text,                                                                                 \
     .kind = BW_KIND_##of,                                                                         \
     .bytes = size,                                                                                \
     .matrices = rows,                                                                             \
     .turns = (bw_turn_rule)TURNS_##of,                                                            \
     .reads = READS_##of,                                                                          \
     .writes = WRITES_##of,                                                                        \
     .merges = MERGES_##of,                                                                        \
     .copies = COPIES_##of,                                                                        \
     .atomic = BW_AT_##function,                                                                   \
     .value = BW_VALUE_##type,                                                                     \
     .answers = gives,                                                                             \
     .least_cycles = least,                                                                        \
     .least_merged = merged,                                                                       \
     .least_cc = cc,                                                                               \
     .ptx = in_ptx,                                                                                \
     .sass = in_sass,                                                                              \
     .cuda = in_cuda},
    BW_OPS(ROW)
#undef ROW
};
_Static_assert(sizeof ops / sizeof *ops == BW_OP_COUNT, "a row for each operation");

const bw_op_info *bw_op_get(bw_op op)
{
    return (unsigned)op < BW_OP_COUNT ? &ops[op] : NULL;
}

bw_op bw_op_find(const char *name, size_t len)
{
    for (unsigned i = 0; i < BW_OP_COUNT; i++)
        if (strlen(ops[i].name) == len && memcmp(ops[i].name, name, len) == 0)
            return (bw_op)i;
    return BW_OP_COUNT;
}

bw_op bw_op_sized(bw_op_kind kind, unsigned bytes)
{
    for (unsigned i = 0; i < BW_OP_COUNT; i++)
        if (ops[i].kind == kind && ops[i].bytes == bytes)
            return (bw_op)i;
    return BW_OP_COUNT;
}

bw_op bw_op_copy(unsigned bytes)
{
    bw_op past = bw_op_sized(BW_KIND_ASYNC_CG, bytes);
    return past == BW_OP_COUNT ? bw_op_sized(BW_KIND_ASYNC, bytes) : past;
}

/* ---- atomics ---- */

static bw_op exactly(bw_atomic atomic, bw_value_type value, bool answers)
{
    for (unsigned i = 0; value != BW_VALUE_NONE && i < BW_OP_COUNT; i++)
        if (ops[i].atomic == atomic && ops[i].value == value && ops[i].answers == answers)
            return (bw_op)i;
    return BW_OP_COUNT;
}

/* What serves a type that has no row of its own: unsigned integers, then bits. */
static bw_value_type next_best(bw_value_type value)
{
    switch (value) {
    case BW_VALUE_S32: return BW_VALUE_U32;
    case BW_VALUE_U32:
    case BW_VALUE_F32: return BW_VALUE_B32;
    case BW_VALUE_S64: return BW_VALUE_U64;
    case BW_VALUE_U64:
    case BW_VALUE_F64: return BW_VALUE_B64;
    default: return BW_VALUE_NONE;
    }
}

bw_op bw_op_atomic(bw_atomic atomic, bw_value_type value, bool used)
{
    bw_op found = BW_OP_COUNT;
    if (atomic == BW_AT_SUB) /* nvcc adds the negative */
        atomic = BW_AT_ADD;
    for (; found == BW_OP_COUNT && value != BW_VALUE_NONE; value = next_best(value)) {
        found = exactly(atomic, value, used);
        if (found == BW_OP_COUNT && !used)
            found = exactly(atomic, value, true);
    }
    return found;
}

/* ---- PTX and machine code ---- */

/* The length of the word at the start of `text`. */
static size_t word_length(const char *text)
{
    return strcspn(text, ". ");
}

static const char *next_word(const char *text)
{
    text += word_length(text);
    return *text ? text + 1 : text;
}

static bool is_word(const char *word, size_t len, const char *as)
{
    return strlen(as) == len && memcmp(word, as, len) == 0;
}

/* Words that say nothing about what is moved. */
static bool may_be_missing(const char *word, size_t len)
{
    return is_word(word, len, "sync") || is_word(word, len, "aligned") ||
           is_word(word, len, "volatile");
}

static bool has_word(const char *text, const char *word, size_t len)
{
    for (; *text; text = next_word(text)) {
        size_t have = word_length(text);
        if (is_word(text, have, "shared::cta"))
            have = strlen("shared");
        if (have == len && memcmp(text, word, len) == 0)
            return true;
    }
    return false;
}

/* How many words of the row's spelling, row to end, stand in `text`; 0 unless all do that must. */
static unsigned words_found(const char *row, const char *end, const char *text)
{
    unsigned found = 0;
    size_t first = word_length(row);
    if (word_length(text) != first || memcmp(row, text, first) != 0)
        return 0;
    for (const char *word = row; word < end; word = next_word(word)) {
        bool there = has_word(text, word, word_length(word));
        if (!there && !may_be_missing(word, word_length(word)))
            return 0;
        found += there;
    }
    return found;
}

bw_op bw_op_find_ptx(const char *ptx)
{
    bw_op best = BW_OP_COUNT;
    unsigned most = 0;
    for (unsigned i = 0; i < BW_OP_COUNT; i++) {
        const char *row = ops[i].ptx;
        unsigned found = *row ? words_found(row, row + strlen(row), ptx) : 0;
        if (found > most) {
            most = found;
            best = (bw_op)i;
        }
    }
    return best;
}

/* The most words of one of the row's spellings, which stand with a space between them. */
static unsigned mnemonic_found(const char *row, const char *text)
{
    unsigned most = 0;
    while (*row) {
        const char *end = row + strcspn(row, " ");
        unsigned found = words_found(row, end, text);
        most = found > most ? found : most;
        row = *end ? end + 1 : end;
    }
    return most;
}

bw_op bw_op_find_sass(const char *mnemonic, bool answers)
{
    bw_op best = BW_OP_COUNT;
    unsigned most = 0;
    for (unsigned i = 0; i < BW_OP_COUNT; i++) {
        unsigned found = ops[i].turns == BW_TURNS_LOOP ? 0 : mnemonic_found(ops[i].sass, mnemonic);
        bool better =
            found == most && found && ops[i].answers == answers && ops[best].answers != answers;
        if (found > most || better) {
            most = found;
            best = (bw_op)i;
        }
    }
    return best;
}

bw_atomic bw_atomic_of_ptx(const char *ptx)
{
    static const char *const words[] = {
#define WORD(id, cuda, ptx, arguments) [BW_AT_##id] = ptx,
        BW_ATOMICS(WORD)
#undef WORD
    };
    _Static_assert(sizeof words / sizeof *words == BW_AT_NONE, "a word for each");
    for (int i = 0; i < BW_AT_NONE; i++)
        if (*words[i] && has_word(ptx, words[i], strlen(words[i])))
            return (bw_atomic)i;
    return BW_AT_NONE;
}
