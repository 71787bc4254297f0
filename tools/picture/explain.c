/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "wording.h"

#define WORD 4
/* Bytes that all banks hold side by side. */
#define LINE_BYTES 128
/* More sentences than there are kinds of them. */
#define MOST_SENTENCES 24

typedef struct telling {
    const bw_picture *p;
    bw_arena *arena;
    const char **sentences;
    size_t count;
} telling;

static void say(telling *t, const char *sentence)
{
    if (sentence && t->count + 1 < MOST_SENTENCES)
        t->sentences[t->count++] = sentence;
}

static bool is_load(const bw_picture *p)
{
    return p->op->kind == BW_KIND_LOAD;
}

/* Operations in which each lane takes a turn of its own, equal words or not. */
static bool takes_turns(const bw_picture *p)
{
    return p->op->turns == BW_TURNS_LANES || p->op->turns == BW_TURNS_TWICE;
}

static bool is_loop(const bw_picture *p)
{
    return p->op->turns == BW_TURNS_LOOP;
}

/* The swap of such a loop by itself: what it takes does not go by collisions. */
static bool is_swap(const bw_picture *p)
{
    return p->op->turns == BW_TURNS_PHASES;
}

/* 32 banks of 4 bytes: the arithmetic of strides and words below holds. */
static bool is_plain(const bw_picture *p)
{
    return p->arch->banks == BW_LANES && p->arch->bank_bytes == WORD;
}

static unsigned count_lanes(uint32_t lanes)
{
    return (unsigned)__builtin_popcount(lanes);
}

static const char *capital(bw_arena *arena, const char *text)
{
    char *copy = bw_arena_format(arena, "%s", text);
    copy[0] = (char)(copy[0] >= 'a' && copy[0] <= 'z' ? copy[0] - 'a' + 'A' : copy[0]);
    return copy;
}

/* ---- who asks for what ---- */

static const char *verb_of(const bw_picture *p)
{
    if (p->op->matrices)
        return "give the address of a matrix row,";
    if (p->op->copies)
        return "copy in";
    return p->op->reads && p->op->writes ? "update" : p->op->reads ? "read" : "write";
}

/* Different words that the active lanes touch. */
static unsigned count_words(const bw_picture *p)
{
    uint32_t words[BW_LANES * 4];
    unsigned count = 0;
    for (uint32_t left = p->lanes; left; left &= left - 1) {
        uint32_t addr = p->request.addr[__builtin_ctz(left)];
        for (uint32_t w = addr / WORD; w <= (addr + p->op->bytes - 1) / WORD; w++) {
            unsigned i = 0;
            while (i < count && words[i] != w)
                i++;
            if (i == count)
                words[count++] = w;
        }
    }
    return count;
}

static const char *asked(telling *t)
{
    const bw_picture *p = t->p;
    unsigned lanes = count_lanes(p->lanes), words = count_words(p);
    const char *verb = verb_of(p);
    if (lanes == 1)
        return bw_arena_format(t->arena, "1 lane takes part: it wants %s in %s.",
                               bw_words_count(t->arena, p->op->bytes, "byte"),
                               bw_words_count(t->arena, words, "word"));
    return bw_arena_format(t->arena, "%u lanes %s %s each: %s in all.", lanes, verb,
                           bw_words_count(t->arena, p->op->bytes, "byte"),
                           bw_words_count(t->arena, words, "different word"));
}

static const char *off(telling *t)
{
    const bw_picture *p = t->p;
    unsigned rows = p->op->matrices * 8u;
    uint32_t unused = rows && rows < BW_LANES ? UINT32_MAX << rows : 0;
    uint32_t idle = ~p->lanes & ~unused;
    if (unused && !idle)
        return bw_arena_format(t->arena, "%s does not use the addresses of %s.", p->op->name,
                               bw_words_lanes(t->arena, unused));
    if (!idle)
        return NULL;
    return bw_arena_format(t->arena, "%s %s off.",
                           capital(t->arena, bw_words_lanes(t->arena, idle)),
                           count_lanes(idle) == 1 ? "is" : "are");
}

/* Of Fermi's 16-byte accesses each phase has a wavefront that no collision explains. */
static bool has_empty_waves(const bw_picture *p)
{
    return p->arch->rules == BW_RULES_FERMI && p->op->bytes == 16;
}

static const char *cost(telling *t)
{
    const bw_cost *c = &t->p->cost;
    const char *takes = bw_words_count(t->arena, c->wavefronts, "wavefront");
    if (c->wavefronts == c->ideal)
        return bw_arena_format(t->arena, "This takes %s, the ideal.", takes);
    if (has_empty_waves(t->p))
        return bw_arena_format(t->arena, "This takes %s; at one for each phase it would take %u.",
                               takes, c->ideal);
    return bw_arena_format(t->arena, "This takes %s; without collisions it would take %u.", takes,
                           c->ideal);
}

/* Kepler's banks are 8 bytes wide: what one of them serves in one turn. */
static const char *bank_rows(telling *t)
{
    const bw_arch *arch = t->p->arch;
    if (arch->rules == BW_RULES_KEPLER8)
        return bw_arena_format(t->arena,
                               "On %s a bank is 8 bytes wide and serves a row of two words in one "
                               "turn: an even word and the next.",
                               arch->name);
    if (arch->rules == BW_RULES_KEPLER4)
        return bw_arena_format(t->arena,
                               "On %s a bank is 8 bytes wide and serves a row of two words in one "
                               "turn: of each 64 words, w and w + 32.",
                               arch->name);
    return NULL;
}

/* ---- how the lanes are grouped ---- */

static const char *group_name(const bw_picture *p)
{
    if (p->op->matrices)
        return "a matrix at a time";
    unsigned parts = p->op->bytes / WORD;
    bool doubled =
        p->cost.merged || p->arch->rules == BW_RULES_KEPLER4 || p->arch->rules == BW_RULES_KEPLER8;
    parts = doubled ? parts / 2 : parts;
    return parts == 1   ? "for the whole warp together"
           : parts == 2 ? "by half-warps"
                        : "by quarters";
}

/* "lanes 0-7 in 8 wavefronts, lanes 8-15 in 8" … */
static const char *groups(telling *t)
{
    const bw_picture *p = t->p;
    if (is_loop(p) || (p->op->bytes <= WORD && !p->op->matrices))
        return NULL;
    const char *list = "";
    for (size_t i = 0; i < p->section_count; i++) {
        const bw_section *s = &p->sections[i];
        const char *lanes = bw_words_lanes(t->arena, s->lanes);
        list = i == 0 ? bw_arena_format(t->arena, "%s in %s", lanes,
                                        bw_words_count(t->arena, s->count, "wavefront"))
                      : bw_arena_format(t->arena, "%s, %s in %zu", list, lanes, s->count);
    }
    return bw_arena_format(t->arena, "%u bytes a lane are served %s: %s.", p->op->bytes,
                           group_name(p), list);
}

/* The lowest lane of a pair at `distance` that has two addresses, or -1. */
static int unequal_pair(const bw_picture *p, unsigned distance)
{
    for (unsigned i = 0; i < BW_LANES; i++) {
        unsigned j = i ^ distance;
        if (i < j && p->lanes >> i & 1 && p->lanes >> j & 1 &&
            p->request.addr[i] != p->request.addr[j])
            return (int)i;
    }
    return -1;
}

static const char *merging(telling *t)
{
    const bw_picture *p = t->p;
    if (!is_load(p) || p->op->bytes <= WORD || p->arch->rules != BW_RULES_MODERN)
        return NULL;
    int next = unequal_pair(p, 1), second = unequal_pair(p, 2);
    if (p->cost.merged)
        return bw_arena_format(t->arena,
                               "The load merges, so twice as many lanes are served together: in "
                               "the whole warp no active lane differs in its address from lane "
                               "xor %d.",
                               next < 0 ? 1 : 2);
    if (next < 0 || second < 0)
        return NULL; /* cannot be: then it would merge */
    return bw_arena_format(t->arena,
                           "The load does not merge: lanes %d and %d have different addresses, and "
                           "so have lanes %d and %d.",
                           next, next ^ 1, second, second ^ 2);
}

/* ---- strides ---- */

/* The section that takes longest; the first of several. Of a loop, of the first round's load. */
static const bw_section *worst_section(const bw_picture *p)
{
    const bw_section *worst = &p->sections[0];
    for (size_t i = 1; i < p->section_count; i++)
        if (p->sections[i].count > worst->count && p->sections[i].round == 0 &&
            (!is_loop(p) || p->sections[i].pass == 0))
            worst = &p->sections[i];
    return worst;
}

static const char *stride_consequence(telling *t, unsigned common, unsigned places, unsigned span)
{
    const char *who = t->p->op->matrices ? "row" : "lane";
    const char *where =
        span == 1 ? "the same bank" : bw_arena_format(t->arena, "the same %u banks", span);
    if (common == 1)
        return bw_arena_format(t->arena, "so no two of %u %ss in a row share a bank", places, who);
    if (common == places)
        return bw_arena_format(t->arena, "so every %s is at %s", who, where);
    const char *nth =
        places / common == 2 ? "2nd" : bw_arena_format(t->arena, "%uth", places / common);
    return bw_arena_format(t->arena, "so every %s %s is at %s", nth, who, where);
}

/* The bytes from lane to lane, where that is one number for all the lanes of `mask`. */
static bool distance_of(const bw_request *request, uint32_t mask, int64_t *bytes)
{
    int last = -1;
    bool known = false;
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (last >= 0) {
            int64_t moved = (int64_t)request->addr[lane] - (int64_t)request->addr[last];
            if (moved % (lane - last) || (known && moved / (lane - last) != *bytes))
                return false;
            *bytes = moved / (lane - last);
            known = true;
        }
        last = lane;
    }
    return known;
}

/* "Neighbouring lanes", where all lanes are meant, or "Among lanes 0-7, neighbours". */
static const char *stride_subject(telling *t, const bw_section *s)
{
    const bw_picture *p = t->p;
    if (s->lanes != p->lanes)
        return bw_arena_format(t->arena, "Among %s, neighbours",
                               bw_words_lanes(t->arena, s->lanes));
    return p->op->matrices ? "Neighbouring rows" : "Neighbouring lanes";
}

/* Lanes of one section at one distance: what the distance has in common with the banks. */
/* *disjoint: no two lanes in a row share a bank, which it says then. */
static const char *stride(telling *t, bool *disjoint)
{
    const bw_picture *p = t->p;
    const bw_section *s = worst_section(p);
    unsigned unit = p->op->bytes < WORD ? WORD : p->op->bytes, places = LINE_BYTES / unit;
    int64_t bytes = 0;
    if (!is_plain(p) || is_swap(p) || count_lanes(s->lanes) < 3 ||
        !distance_of(&p->request, s->lanes, &bytes) || bytes == 0)
        return NULL;
    uint32_t apart = (uint32_t)llabs(bytes);
    const char *who = stride_subject(t, s);
    if (apart % unit)
        return bw_arena_format(t->arena, "%s are %s apart.", who,
                               bw_words_count(t->arena, apart, "byte"));
    uint32_t steps = apart / unit, common = bw_gcd(steps, places);
    *disjoint = common == 1;
    const char *distance = bw_words_count(t->arena, apart / WORD, "word");
    if (unit > WORD)
        distance = bw_arena_format(t->arena, "%s (%u x %u bytes)", distance, steps, unit);
    return bw_arena_format(t->arena, "%s are %s apart; gcd(%u, %u) = %u, %s.", who, distance, steps,
                           places, common, stride_consequence(t, common, places, unit / WORD));
}

/* ---- the crowd at one bank ---- */

/* Turns that one bank takes in a section. */
typedef struct crowd {
    unsigned bank, count, different;
    uint32_t lanes[BW_LANES], words[BW_LANES];
    uint32_t all; /* lanes */
} crowd;

/* A compare-and-swap's second pass serves the same lanes once more. */
static bool is_turn(const bw_wavefront *wave)
{
    return wave->pass == 0;
}

static crowd crowd_at(const bw_picture *p, const bw_section *s, unsigned bank)
{
    crowd at = {.bank = bank};
    for (size_t i = s->first; i < s->first + s->count; i++) {
        const bw_wavefront *wave = &p->waves[i];
        if (!wave->bank_lanes[bank] || !is_turn(wave) || at.count == BW_LANES)
            continue;
        bool known = false;
        for (unsigned j = 0; j < at.count; j++)
            known |= at.words[j] == wave->bank_word[bank];
        at.different += !known;
        at.all |= wave->bank_lanes[bank];
        at.words[at.count] = wave->bank_word[bank];
        at.lanes[at.count++] = (uint32_t)__builtin_ctz(wave->bank_lanes[bank]);
    }
    return at;
}

static crowd largest_crowd(const bw_picture *p, const bw_section *s)
{
    crowd largest = {.count = 0};
    for (unsigned bank = 0; bank < BW_LANES; bank++) {
        crowd at = crowd_at(p, s, bank);
        if (at.count > largest.count)
            largest = at;
    }
    return largest;
}

static const char *what_is_asked(const bw_picture *p)
{
    return p->arch->bank_bytes == 8 ? "the rows of words" : "words";
}

static const char *collision(telling *t, const crowd *at)
{
    if (at->different < 2 || is_swap(t->p))
        return NULL;
    return bw_arena_format(t->arena, "Lanes %s ask bank %u for %s %s.",
                           bw_words_sequence(t->arena, at->lanes, at->count), at->bank,
                           what_is_asked(t->p), bw_words_sequence(t->arena, at->words, at->count));
}

/* Why nothing waits, where no stride said so. */
static const char *no_collision(telling *t)
{
    const bw_picture *p = t->p;
    const char *scope = p->op->matrices ? "matrix" : "phase";
    if (p->cost.wavefronts != p->cost.ideal || is_loop(p) || is_swap(p) ||
        count_lanes(p->lanes) < 2)
        return NULL;
    const char *what = takes_turns(p)             ? "by more than one lane"
                       : p->arch->bank_bytes == 8 ? "for more than one row"
                                                  : "for more than one word";
    if (p->section_count == 1)
        return bw_arena_format(t->arena, "No bank is asked %s.", what);
    return bw_arena_format(t->arena, "In no %s is a bank asked %s.", scope, what);
}

/* How many banks are as busy, and how many idle. */
static const char *occupation(telling *t, const bw_section *s, const crowd *at)
{
    const bw_picture *p = t->p;
    unsigned equal = 0, idle = 0;
    if (at->count < 2)
        return NULL;
    for (unsigned bank = 0; bank < BW_LANES; bank++) {
        unsigned turns = crowd_at(p, s, bank).count;
        equal += turns == at->count;
        idle += turns == 0;
    }
    const char *lanes = bw_words_lanes(t->arena, s->lanes), *scope = "";
    if (is_loop(p))
        scope = bw_arena_format(t->arena, "When round 1 loads for %s, ", lanes);
    else if (p->section_count > 1)
        scope = bw_arena_format(t->arena, "For %s, ", lanes);
    return capital(t->arena,
                   bw_arena_format(t->arena, "%s%s of 32 %s needed %u times, and %u not at all.",
                                   scope, bw_words_count(t->arena, equal, "bank"),
                                   equal == 1 ? "is" : "are", at->count, idle));
}

/* ---- sharing and taking turns ---- */

static const char *sharing(telling *t)
{
    const bw_picture *p = t->p;
    if (!p->sharing_count || is_loop(p))
        return NULL;
    const bw_sharing *first = &p->sharings[0];
    const char *who = bw_words_lanes(t->arena, first->lanes);
    const char *does = p->op->kind == BW_KIND_COUNT ? "is counted up once for"
                       : p->op->reads               ? "is read once for"
                                                    : "is written once for";
    const char *what = is_plain(p) ? "Word" : "The bank row of word";
    if (first->lanes == p->lanes && p->sharing_count == 1 && first->words == 1)
        return bw_arena_format(t->arena, "%s %u %s all %u lanes: a broadcast.", what, first->word,
                               does, count_lanes(first->lanes));
    const char *more =
        p->sharing_count > 1
            ? bw_arena_format(t->arena, " %zu groups of lanes share so.", p->sharing_count)
            : "";
    return bw_arena_format(t->arena, "%s %u %s %s together.%s", what, first->word, does, who, more);
}

/* The word for which the most lanes of a section queue. */
static const char *queue(telling *t)
{
    const bw_picture *p = t->p;
    uint32_t most = 0;
    if (!takes_turns(p))
        return NULL;
    for (size_t i = 0; i < p->section_count; i++)
        for (uint32_t left = p->sections[i].lanes; left; left &= left - 1) {
            uint32_t addr = p->request.addr[__builtin_ctz(left)], equal = 0;
            for (uint32_t lane = 0; lane < BW_LANES; lane++)
                if (p->sections[i].lanes >> lane & 1 && p->request.addr[lane] == addr)
                    equal |= 1u << lane;
            most = count_lanes(equal) > count_lanes(most) ? equal : most;
        }
    if (count_lanes(most) < 2)
        return NULL;
    return bw_arena_format(t->arena, "%s all want word %u, which %s serves one lane at a time.",
                           capital(t->arena, bw_words_lanes(t->arena, most)),
                           p->request.addr[__builtin_ctz(most)] / WORD,
                           p->op->copies ? "an asynchronous copy" : "an atomic");
}

/* Copies whose sources are known. */
static const char *sources(telling *t)
{
    const bw_picture *p = t->p;
    uint64_t seen[BW_LANES];
    unsigned lines = 0;
    if (!p->cost.passes)
        return NULL;
    for (uint32_t left = p->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), at = 0;
        uint64_t line = p->request.sources->addr[lane] / LINE_BYTES;
        while (at < lines && seen[at] != line)
            at++;
        if (at == lines && p->request.sources->bytes[lane])
            seen[lines++] = line;
    }
    return bw_arena_format(t->arena,
                           "The sources count as well: L1 looks up the %s they are in by %s, and a "
                           "bank of L1 serves one lane a wavefront.",
                           bw_words_count(t->arena, lines, "line"),
                           p->cost.passes == 1
                               ? "one pass of tags"
                               : bw_arena_format(t->arena, "%u passes of tags", p->cost.passes));
}

static const char *swaps(telling *t)
{
    if (is_swap(t->p))
        return bw_arena_format(t->arena,
                               "The swap of a compare-and-swap loop takes two wavefronts for each "
                               "%s, whoever wins it.",
                               t->p->op->bytes == 8 ? "half-warp" : "warp");
    return t->p->op->turns == BW_TURNS_TWICE
               ? "A compare-and-swap takes two wavefronts a turn: it reads, then swaps."
               : NULL;
}

/* ---- loops of load, operation and compare-and-swap ---- */

/* Wavefronts of one round's pass, and the lanes served. */
static size_t round_waves(const bw_picture *p, unsigned round, unsigned pass, uint32_t *lanes)
{
    size_t waves = 0;
    *lanes = 0;
    for (size_t i = 0; i < p->section_count; i++)
        if (p->sections[i].round == round && p->sections[i].pass == pass) {
            waves += p->sections[i].count;
            *lanes |= p->sections[i].lanes;
        }
    return waves;
}

static void say_loop(telling *t)
{
    const bw_picture *p = t->p;
    uint32_t loading, winning;
    if (!is_loop(p))
        return;
    say(t, bw_arena_format(t->arena,
                           "There is no %s in hardware: the compiler makes a loop of load, "
                           "operation and compare-and-swap, which here goes round %s.",
                           p->op->name,
                           p->cost.rounds == 1
                               ? "once"
                               : bw_arena_format(t->arena, "%u times", p->cost.rounds)));
    size_t loads = round_waves(p, 0, 0, &loading), swap = round_waves(p, 0, 1, &winning);
    say(t,
        bw_arena_format(t->arena, "In round 1 the load takes %s and the swap %zu; %s succeed%s.",
                        bw_words_count(t->arena, loads, "wavefront"), swap,
                        bw_words_lanes(t->arena, winning), count_lanes(winning) == 1 ? "s" : ""));
    if (p->cost.rounds > 1)
        say(t, bw_arena_format(t->arena,
                               "A swap fails where a lower lane of its group has taken the bank, "
                               "and %s must go round again.",
                               bw_words_lanes(t->arena, loading & ~winning)));
}

/* ---- what follows ---- */

static const char *fermi(telling *t)
{
    const bw_picture *p = t->p;
    if (!has_empty_waves(p))
        return NULL;
    return "On Fermi each phase of a 16-byte access takes one wavefront more, as NVIDIA documents.";
}

static const char *pipe_time(telling *t)
{
    const bw_cost *c = &t->p->cost;
    if (c->cycles == c->wavefronts)
        return NULL;
    return bw_arena_format(t->arena,
                           "It keeps the pipe busy for %u cycles all the same, the time in which "
                           "its results return.",
                           c->cycles);
}

static const char *remedy(telling *t)
{
    const bw_cost *c = &t->p->cost;
    uint32_t excess = c->wavefronts - c->ideal;
    if (!excess)
        return NULL;
    const char *all = bw_words_count(t->arena, excess, "excessive wavefront");
    if (!c->excess_serial)
        return bw_arena_format(t->arena, "%s: another layout can remove %s.", all,
                               excess == 1 ? "it" : "them all");
    if (!c->excess_layout)
        return bw_arena_format(t->arena, "%s: no layout removes %s.", all,
                               excess == 1 ? "it" : "them");
    return bw_arena_format(t->arena, "%s: another layout can remove %u, and none the other %u.",
                           all, c->excess_layout, c->excess_serial);
}

static const char *basis(telling *t)
{
    const bw_arch *arch = t->p->arch;
    switch (t->p->cost.basis) {
    case BW_BASIS_MEASURED:
        return bw_arena_format(t->arena, "The rule was measured on %s.", arch->name);
    case BW_BASIS_ASSUMED:
        return bw_arena_format(t->arena, "The rule is assumed for %s.", arch->name);
    default:
        return bw_arena_format(t->arena,
                               "The rule is as NVIDIA documents it for %s, never measured by this "
                               "project.",
                               arch->name);
    }
}

/* ---- matrix units ---- */

#define A_WAVEFRONTS 16u /* what A takes where it is in shared memory (cost.c) */

/* wgmma: nothing of it goes by lanes and banks. */
static void say_product(telling *t)
{
    const bw_cost *c = &t->p->cost;
    bool shared = t->p->request.op == BW_OP_WGMMA_SS || t->p->request.op == BW_OP_WGMMA_SP_SS;
    const char *of_b =
        bw_words_count(t->arena, c->wavefronts - (shared ? A_WAVEFRONTS : 0), "wavefront");
    const char *of_a = shared ? bw_arena_format(t->arena, "%u wavefronts read A", A_WAVEFRONTS)
                              : "A is in registers";
    say(t, bw_arena_format(t->arena, "Four warps multiply by %u columns: %s, and %s read B.",
                           t->p->request.columns, of_a, of_b));
    say(t, cost(t));
    say(t, "The layout does not matter for it: type, transposition, swizzle mode, strides and "
           "alignment change nothing.");
    if (c->cycles > c->wavefronts)
        say(t, bw_arena_format(t->arena, "The matrix units take %u cycles for it.", c->cycles));
    say(t, basis(t));
}

const char *const *bw_explain(const bw_picture *picture, bw_arena *arena)
{
    telling t = {picture, arena, bw_arena_alloc(arena, MOST_SENTENCES * sizeof(char *)), 0};
    if (picture->op->turns == BW_TURNS_FIXED) {
        say_product(&t);
        return t.sentences;
    }
    const bw_section *worst = worst_section(picture);
    crowd at = largest_crowd(picture, worst);
    say(&t, asked(&t));
    say(&t, off(&t));
    say(&t, cost(&t));
    say(&t, bank_rows(&t));
    say(&t, groups(&t));
    say(&t, merging(&t));
    bool disjoint = false;
    say(&t, stride(&t, &disjoint));
    if (!disjoint)
        say(&t, no_collision(&t));
    say(&t, collision(&t, &at));
    say(&t, occupation(&t, worst, &at));
    say(&t, sharing(&t));
    say(&t, queue(&t));
    say(&t, sources(&t));
    say(&t, swaps(&t));
    say_loop(&t);
    say(&t, fermi(&t));
    say(&t, pipe_time(&t));
    say(&t, remedy(&t));
    say(&t, basis(&t));
    return t.sentences;
}
