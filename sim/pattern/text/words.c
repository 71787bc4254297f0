/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "words.h"

#include <string.h>

#define SLOTS (sizeof((bw_words *)0)->slots / sizeof *((bw_words *)0)->slots)

static const char *const spellings[BW_TOK_KINDS] = {
#define X(name, spelling) [BW_TOK_##name] = (spelling),
    BW_WORDS(X) BW_SIGNS(X)
#undef X
};

_Static_assert(4 * (BW_TOK_SIGN - BW_TOK_NAME) < SLOTS, "enough room that most words hit at once");

const char *bw_spelling(bw_token_kind kind)
{
    return spellings[kind] ? spellings[kind] : "";
}

/* FNV-1a */
static size_t first_slot(const char *text, size_t len)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return (hash ^ hash >> 16) % SLOTS;
}

void bw_words_init(bw_words *words)
{
    *words = (bw_words){0};
    for (unsigned kind = BW_TOK_NAME + 1; kind < BW_TOK_SIGN; kind++) {
        size_t slot = first_slot(spellings[kind], strlen(spellings[kind]));
        while (words->slots[slot])
            slot = (slot + 1) % SLOTS;
        words->slots[slot] = (uint16_t)kind;
    }
    for (unsigned kind = BW_TOK_KINDS - 1; kind > BW_TOK_SIGN; kind--)
        words->first_sign[(unsigned char)spellings[kind][0]] = (uint16_t)kind;
}

static bool is_spelling(unsigned kind, const char *text, size_t len)
{
    return strlen(spellings[kind]) == len && memcmp(spellings[kind], text, len) == 0;
}

bw_token_kind bw_words_find(const bw_words *words, const char *text, size_t len)
{
    for (size_t slot = first_slot(text, len); words->slots[slot]; slot = (slot + 1) % SLOTS)
        if (is_spelling(words->slots[slot], text, len))
            return (bw_token_kind)words->slots[slot];
    return BW_TOK_NAME;
}

bw_token_kind bw_words_sign(const bw_words *words, const char *text, size_t len)
{
    unsigned char first = len ? (unsigned char)text[0] : 0;
    unsigned kind =
        first < sizeof words->first_sign / sizeof *words->first_sign ? words->first_sign[first] : 0;
    for (; kind && kind < BW_TOK_KINDS; kind++) {
        size_t need = strlen(spellings[kind]);
        if (need <= len && memcmp(spellings[kind], text, need) == 0)
            return (bw_token_kind)kind;
    }
    return BW_TOK_END;
}
