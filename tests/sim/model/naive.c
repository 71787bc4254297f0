/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "naive.h"

#include <string.h>

typedef struct set {
    uint32_t member[64];
    int count;
} set;

static void put(set *s, uint32_t member)
{
    for (int i = 0; i < s->count; i++)
        if (s->member[i] == member)
            return;
    s->member[s->count++] = member;
}

/* What a bank gives in one pass: on Kepler 8 bytes, else a word of 4. */
static uint32_t bank_of(bw_rules rules, uint32_t word)
{
    return rules == BW_RULES_KEPLER8 ? word / 2 % 32 : word % 32;
}

static uint32_t entry_of(bw_rules rules, uint32_t word)
{
    if (rules == BW_RULES_KEPLER8)
        return word / 2; /* the 64-bit word */
    if (rules == BW_RULES_KEPLER4)
        return word / 64 * 32 + word % 32; /* i and i + 32 of one aligned segment of 64 words */
    return word;
}

static int words_of_lane(int bytes)
{
    return bytes < 4 ? 1 : bytes / 4;
}

/* The largest, over banks, of the number of different entries asked of that bank. */
static uint32_t distinct(bw_rules rules, const bw_request *r, int bytes, uint32_t lanes)
{
    set banks[32];
    uint32_t most = 0;
    for (int b = 0; b < 32; b++)
        banks[b].count = 0;
    for (int lane = 0; lane < 32; lane++)
        for (int w = 0; lanes >> lane & 1 && w < words_of_lane(bytes); w++) {
            uint32_t word = r->addr[lane] / 4 + (uint32_t)w;
            put(&banks[bank_of(rules, word)], entry_of(rules, word));
        }
    for (int b = 0; b < 32; b++)
        if ((uint32_t)banks[b].count > most)
            most = (uint32_t)banks[b].count;
    return most;
}

/* The same, counting a lane once for each of its words in that bank. */
static uint32_t lanes_in_bank(const bw_request *r, int bytes, uint32_t lanes)
{
    uint32_t count[32] = {0}, most = 0;
    for (int lane = 0; lane < 32; lane++)
        for (int w = 0; lanes >> lane & 1 && w < words_of_lane(bytes); w++)
            count[(r->addr[lane] / 4 + (uint32_t)w) % 32]++;
    for (int b = 0; b < 32; b++)
        if (count[b] > most)
            most = count[b];
    return most;
}

/* The largest number of lanes with one address. */
static uint32_t same_address(const bw_request *r, uint32_t lanes)
{
    uint32_t most = 0;
    for (int i = 0; i < 32; i++) {
        uint32_t same = 0;
        for (int j = 0; j < 32; j++)
            same += lanes >> i & lanes >> j & 1 && r->addr[i] == r->addr[j];
        if (same > most)
            most = same;
    }
    return most;
}

static bool merges_at(const bw_request *r, uint32_t lanes, int distance)
{
    for (int i = 0; i < 32; i++) {
        bool active = lanes >> i & 1, other = lanes >> (i ^ distance) & 1;
        if (active && other && r->addr[i] != r->addr[i ^ distance])
            return false;
    }
    return true;
}

static bool merges(bw_rules rules, const bw_request *r, int bytes, uint32_t lanes)
{
    return rules == BW_RULES_MODERN && bytes >= 8 &&
           (merges_at(r, lanes, 1) || merges_at(r, lanes, 2));
}

static int phase_lanes(bw_rules rules, int bytes)
{
    bool kepler = rules == BW_RULES_KEPLER4 || rules == BW_RULES_KEPLER8;
    switch (bytes) {
    case 8: return kepler ? 32 : 16;
    case 16: return kepler ? 16 : 8;
    default: return 32;
    }
}

static uint32_t phase(uint32_t lanes, int number, int width)
{
    uint32_t mask = 0;
    for (int lane = number * width; lane < (number + 1) * width; lane++)
        mask |= 1u << lane;
    return lanes & mask;
}

/* Ends what all operations share. */
static void finish(bw_cost *cost, uint32_t perfect)
{
    cost->excess_serial = perfect - cost->ideal;
    cost->excess_layout = cost->wavefronts - perfect;
    cost->cycles = cost->wavefronts;
    if (cost->rounds == 0)
        cost->rounds = 1;
}

static void by_distinct(bw_rules rules, const bw_request *r, int bytes, bool load, uint32_t lanes,
                        bw_cost *cost)
{
    int width = phase_lanes(rules, bytes);
    uint32_t perfect = 0, extra = rules == BW_RULES_FERMI && bytes == 16;
    if (load && merges(rules, r, bytes, lanes)) {
        cost->merged = true;
        width *= 2;
    }
    for (int p = 0; p < 32 / width; p++) {
        uint32_t in_phase = phase(lanes, p, width);
        if (!in_phase)
            continue;
        uint32_t ways = distinct(rules, r, bytes, in_phase) + extra;
        cost->wavefronts += ways;
        cost->ideal++;
        cost->phases++;
        perfect += 1 + extra;
        if (ways > cost->degree)
            cost->degree = ways;
    }
    finish(cost, perfect);
}

static void by_lanes(const bw_request *r, int bytes, uint32_t turns, uint32_t lanes, bw_cost *cost)
{
    int width = phase_lanes(BW_RULES_MODERN, bytes);
    uint32_t perfect = 0;
    for (int p = 0; p < 32 / width; p++) {
        uint32_t in_phase = phase(lanes, p, width);
        if (!in_phase)
            continue;
        uint32_t ways = distinct(BW_RULES_MODERN, r, bytes, in_phase);
        cost->wavefronts += turns * lanes_in_bank(r, bytes, in_phase);
        cost->ideal += turns;
        cost->phases++;
        perfect += turns * same_address(r, in_phase);
        if (ways > cost->degree)
            cost->degree = ways;
    }
    finish(cost, perfect);
}

/* The lanes that swap successfully; `perfect`: elements lie in banks of their own. */
static uint32_t succeed(const bw_request *r, int bytes, uint32_t lanes, bool perfect)
{
    int width = phase_lanes(BW_RULES_MODERN, bytes);
    uint32_t won = 0;
    for (int p = 0; p < 32 / width; p++) {
        bool taken[32] = {false};
        uint32_t in_phase = phase(lanes, p, width);
        for (int i = 0; i < 32; i++) {
            bool free = true;
            if (!(in_phase >> i & 1))
                continue;
            for (int j = 0; perfect && j < i; j++)
                free = free && !(in_phase >> j & 1 && r->addr[i] == r->addr[j]);
            for (int w = 0; !perfect && w < words_of_lane(bytes); w++)
                free = free && !taken[(r->addr[i] / 4 + (uint32_t)w) % 32];
            for (int w = 0; w < words_of_lane(bytes); w++)
                taken[(r->addr[i] / 4 + (uint32_t)w) % 32] = true;
            won |= (uint32_t)free << i;
        }
    }
    return won;
}

/* Plays the loop; returns its wavefronts. The first round is put into *first, the rounds counted.
 */
static uint32_t play(const bw_request *r, int bytes, uint32_t lanes, bool perfect, bw_cost *first,
                     uint32_t *rounds)
{
    uint32_t sum = 0;
    *rounds = 0;
    while (lanes) {
        bw_cost load = {0};
        uint32_t swaps = 0;
        int width = phase_lanes(BW_RULES_MODERN, bytes);
        by_distinct(BW_RULES_MODERN, r, bytes, true, lanes, &load);
        for (int p = 0; p < 32 / width; p++)
            swaps += phase(lanes, p, width) ? 2 : 0;
        sum += swaps + (perfect ? load.ideal : load.wavefronts);
        if (++*rounds == 1 && first) {
            *first = load;
            first->ideal += swaps;
        }
        lanes &= ~succeed(r, bytes, lanes, perfect);
    }
    return sum;
}

static void by_loop(const bw_request *r, int bytes, uint32_t lanes, bw_cost *cost)
{
    uint32_t rounds, unused;
    uint32_t sum = play(r, bytes, lanes, false, cost, &rounds);
    cost->wavefronts = sum;
    cost->rounds = rounds;
    finish(cost, play(r, bytes, lanes, true, NULL, &unused));
}

/* ---- compute capability 1.x, by exhaustive search ---- */

typedef struct search {
    uint32_t addr[16]; /* of the half-warp's lanes */
    int lanes;
    bool own_banks; /* every distinct word in a bank of its own */
    signed char best[65536];
} search;

static uint32_t bank16(const search *s, int lane)
{
    return s->own_banks ? s->addr[lane] / 4 : s->addr[lane] / 4 % 16;
}

static int fewest(search *s, uint32_t left);

/* Tries every choice of one lane for each bank that is left, from lane `from` on. */
static int choose(search *s, uint32_t left, uint32_t served, uint32_t undecided)
{
    if (!undecided)
        return 1 + fewest(s, left & ~served);
    int first = __builtin_ctz(undecided), best = 99;
    uint32_t same_bank = 0;
    for (int i = 0; i < s->lanes; i++)
        if (undecided >> i & 1 && bank16(s, i) == bank16(s, first))
            same_bank |= 1u << i;
    for (int i = 0; i < s->lanes; i++)
        if (same_bank >> i & 1) {
            int n = choose(s, left, served | 1u << i, undecided & ~same_bank);
            best = n < best ? n : best;
        }
    return best;
}

static int fewest(search *s, uint32_t left)
{
    if (!left)
        return 0;
    if (s->best[left])
        return s->best[left];
    int best = 99;
    for (int b = 0; b < s->lanes; b++) {
        uint32_t served = 0, others = 0;
        if (!(left >> b & 1))
            continue;
        for (int i = 0; i < s->lanes; i++) {
            bool in_word = s->addr[i] / 4 == s->addr[b] / 4;
            served |= (uint32_t)(left >> i & 1 && in_word) << i;
            others |= (uint32_t)(left >> i & 1 && bank16(s, i) != bank16(s, b)) << i;
        }
        int n = choose(s, left, served, others);
        best = n < best ? n : best;
    }
    return s->best[left] = (signed char)best;
}

static uint32_t read_steps(search *s, bool own_banks)
{
    s->own_banks = own_banks;
    memset(s->best, 0, sizeof s->best);
    return (uint32_t)fewest(s, (1u << s->lanes) - 1);
}

/* Lanes with one address write once; then each bank takes one write a step. */
static uint32_t write_steps(search *s, bool own_banks)
{
    uint32_t most = 0;
    s->own_banks = own_banks;
    for (int b = 0; b < s->lanes; b++) {
        set places = {.count = 0};
        for (int i = 0; i < s->lanes; i++)
            if (bank16(s, i) == bank16(s, b))
                put(&places, s->addr[i]);
        if ((uint32_t)places.count > most)
            most = (uint32_t)places.count;
    }
    return most;
}

static void by_half_warps(const bw_request *r, int bytes, bool load, bw_cost *cost)
{
    static _Thread_local search s;
    uint32_t perfect = 0;
    for (int word = 0; word < words_of_lane(bytes); word++)
        for (int half = 0; half < 2; half++) {
            s.lanes = 0;
            for (int i = 16 * half; i < 16 * half + 16; i++)
                if (r->active >> i & 1)
                    s.addr[s.lanes++] = r->addr[i] + 4 * (uint32_t)word;
            if (s.lanes == 0)
                continue;
            uint32_t steps = load ? read_steps(&s, false) : write_steps(&s, false);
            perfect += load ? read_steps(&s, true) : write_steps(&s, true);
            cost->wavefronts += steps;
            cost->ideal++;
            cost->phases++;
            if (steps > cost->degree)
                cost->degree = steps;
        }
    finish(cost, perfect);
}

/* ---- all together ---- */

static uint32_t floor_of(bw_op op, bool merged)
{
    const char *name = bw_op_get(op)->name;
    if (strcmp(name, "ld.64") == 0)
        return merged ? 1 : 2;
    if (strcmp(name, "ld.128") == 0)
        return merged ? 2 : 4;
    if (strcmp(name, "atom.exch.b64") == 0 || strcmp(name, "atom.cas.b32") == 0)
        return 2;
    return strcmp(name, "atom.cas.b64") == 0 ? 4 : 0;
}

static bool starts(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Operations that are loops: those that have no instruction of their own. */
static bool is_loop(const char *name)
{
    const char *type = strrchr(name, '.') + 1;
    bool add_float = type[0] == 'f';
    bool wide = strcmp(type + 1, "64") == 0;
    bool native = starts(name, "atom.exch") || starts(name, "atom.cas"); /* and atom.cast */
    return (starts(name, "atom.") || starts(name, "red.")) && !native && (add_float || wide);
}

/* The swap of a loop: two wavefronts for each half-warp (8 bytes), or for the warp, with a lane. */
static void by_phases(unsigned bytes, uint32_t lanes, bw_cost *cost)
{
    uint32_t phases = bytes == 8 ? ((lanes & 0xffff) != 0) + ((lanes >> 16) != 0) : lanes != 0;
    cost->wavefronts = cost->ideal = cost->cycles = 2 * phases;
    cost->degree = 1;
    cost->phases = phases;
    cost->rounds = 1;
}

/* Rows of A, a wavefront for four of them, and of B, by quarters of a warp. */
static void by_columns(const char *name, uint32_t columns, bw_cost *cost)
{
    bool sparse = strstr(name, ".sp") != NULL, shared = strstr(name, "ss") != NULL;
    uint32_t halves = columns / 2, count = (shared ? 64 / 4 : 0) + (sparse ? halves : halves / 2);
    cost->wavefronts = cost->ideal = cost->cycles = count;
    cost->cycles = halves > count ? halves : count;
    if (!shared && columns <= 40) { /* measured */
        static const uint32_t floors[] = {13, 15, 15, 18, 21};
        cost->cycles = sparse && columns == 8 ? 16
                       : sparse               ? cost->cycles
                                              : floors[columns / 8 - 1];
    }
    cost->degree = cost->phases = cost->rounds = 1;
}

void naive_cost(bw_rules rules, const bw_request *r, bw_cost *cost)
{
    const bw_op_info *info = bw_op_get(r->op);
    const char *name = info->name;
    bool load = starts(name, "ld."), matrix = starts(name, "ldm") || starts(name, "stm");
    uint32_t lanes = r->active;
    if (matrix)
        lanes = phase(lanes, 0, info->matrices == 4 ? 32 : 8 * info->matrices);
    *cost = (bw_cost){0};
    if (rules == BW_RULES_CC1)
        by_half_warps(r, info->bytes, load, cost);
    else if (load || matrix || starts(name, "st.") || strcmp(name, "red.inc.u32") == 0)
        by_distinct(rules, r, info->bytes, load, lanes, cost);
    else if (starts(name, "wgmma"))
        by_columns(name, r->columns, cost);
    else if (starts(name, "atom.cast"))
        by_phases(info->bytes, lanes, cost);
    else if (is_loop(name))
        by_loop(r, info->bytes, lanes, cost);
    else
        by_lanes(r, info->bytes, starts(name, "atom.cas") ? 2 : 1, lanes, cost);
    uint32_t least = rules == BW_RULES_MODERN ? floor_of(r->op, cost->merged) : 0;
    if (cost->cycles < least)
        cost->cycles = least;
}
