/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one request costs on compute capability 1.x, as the CUDA C Programming Guide 4.2, F.3.3,
 * states it: 16 banks; a request by half-warps; accesses wider than 4 bytes split into 4-byte ones.
 *
 * Reads: each step serves a subset of the remaining addresses, built from one broadcast word (all
 * addresses within it) and one address for each other bank. Which word is broadcast is unspecified;
 * this model takes the fewest steps that any choice allows, so the card may need more where
 * several words are shared.
 *
 * Writes: lanes with the same address make one write; there is no broadcast, so different bytes of
 * one word take turns.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "rules.h"

#define BANKS 16
#define HALF 16

/* What the lanes of a half-warp ask of one bank: how many ask for each word, most wanted first. */
typedef struct bank {
    uint32_t word[HALF];
    unsigned asked[HALF];
    unsigned words, lanes;
} bank;

/* One half-warp's 4-byte pass: the addresses of its lanes that count. */
typedef struct half {
    uint32_t addr[HALF];
    unsigned count;
} half;

static void add_lane(bank *b, uint32_t word)
{
    unsigned i = 0;
    while (i < b->words && b->word[i] != word)
        i++;
    if (i == b->words) {
        b->word[b->words] = word;
        b->asked[b->words++] = 0;
    }
    b->asked[i]++;
    b->lanes++;
    for (; i > 0 && b->asked[i] > b->asked[i - 1]; i--) {
        uint32_t w = b->word[i];
        unsigned n = b->asked[i];
        b->word[i] = b->word[i - 1];
        b->asked[i] = b->asked[i - 1];
        b->word[i - 1] = w;
        b->asked[i - 1] = n;
    }
}

/* Broadcasts that a bank needs to be done within `steps`. In k steps it broadcasts its k most
 * wanted words, in the others it serves one lane each. */
static unsigned broadcasts_needed(const bank *b, unsigned steps)
{
    unsigned k = 0, left = b->lanes;
    while (left + k > steps && k < b->words)
        left -= b->asked[k++];
    return k;
}

/* The fewest steps: in each, one bank of all broadcasts. */
static unsigned read_steps(const bank *banks, unsigned count)
{
    for (unsigned steps = 1;; steps++) {
        unsigned needed = 0;
        bool possible = true;
        for (unsigned i = 0; i < count; i++) {
            unsigned k = broadcasts_needed(&banks[i], steps);
            needed += k;
            possible = possible && k <= steps;
        }
        if (possible && needed <= steps)
            return steps;
    }
}

/* Steps with the given banking, and with every distinct word in a bank of its own. */
typedef struct steps {
    unsigned real, perfect;
} steps;

static steps read_half(const half *h)
{
    bank banks[BANKS] = {0}, own[HALF] = {0};
    unsigned owners = 0;
    for (unsigned i = 0; i < h->count; i++) {
        uint32_t word = h->addr[i] / 4;
        unsigned o = 0;
        add_lane(&banks[word % BANKS], word);
        while (o < owners && own[o].word[0] != word)
            o++;
        owners += o == owners;
        add_lane(&own[o], word);
    }
    return (steps){read_steps(banks, BANKS), read_steps(own, owners)};
}

static steps write_half(const half *h)
{
    steps s = {0};
    for (unsigned i = 0; i < h->count; i++) {
        unsigned in_bank = 1, in_word = 1;
        bool repeated = false;
        for (unsigned j = 0; j < i && !repeated; j++) {
            bool again = false; /* lane j wrote where a lower lane had */
            for (unsigned k = 0; k < j; k++)
                again = again || h->addr[k] == h->addr[j];
            repeated = h->addr[i] == h->addr[j];
            in_bank += !again && h->addr[i] / 4 % BANKS == h->addr[j] / 4 % BANKS;
            in_word += !again && h->addr[i] / 4 == h->addr[j] / 4;
        }
        if (repeated)
            continue;
        s.real = in_bank > s.real ? in_bank : s.real;
        s.perfect = in_word > s.perfect ? in_word : s.perfect;
    }
    return s;
}

static half gather(const bw_request *request, unsigned start, uint32_t offset)
{
    half h = {0};
    for (unsigned lane = start; lane < start + HALF; lane++)
        if (request->active >> lane & 1)
            h.addr[h.count++] = request->addr[lane] + offset;
    return h;
}

void bw_cost_cc1(const bw_op_info *info, const bw_request *request, bw_cost *cost)
{
    uint32_t perfect = 0;
    *cost = (bw_cost){0};
    for (uint32_t offset = 0; offset < info->bytes; offset += 4)
        for (unsigned start = 0; start < BW_LANES; start += HALF) {
            half h = gather(request, start, offset);
            if (h.count == 0)
                continue;
            steps s = info->reads ? read_half(&h) : write_half(&h);
            cost->wavefronts += s.real;
            cost->phases++;
            perfect += s.perfect;
            if (s.real > cost->degree)
                cost->degree = s.real;
        }
    cost->ideal = cost->phases;
    cost->excess_serial = perfect - cost->ideal;
    cost->excess_layout = cost->wavefronts - perfect;
}
