/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every sentence that explain prints, read back and held against the schedule.
 *
 * The reader below knows the wording and nothing of how a sentence came about: what it reads it
 * checks against bw_schedule and the addresses. A sentence of a form that it does not know fails,
 * so no sentence goes unchecked; and each form must occur, so no check goes unused.
 */
#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "../common/tap.h"

#define MOST_WAVES 2048

/* The schedule, as the model tells it. */
typedef struct truth {
    const bw_arch *arch;
    const bw_op_info *op;
    bw_request request;
    bw_cost cost;
    uint32_t lanes;
    unsigned span;
    bw_wavefront waves[MOST_WAVES];
    size_t count;
} truth;

static truth now;

/* How often each form of sentence was read. */
enum {
    ASKED,
    ALONE,
    OFF,
    UNUSED_ROWS,
    IDEAL,
    FREE,
    FREE_TURNS,
    COST,
    GROUPS,
    MERGES,
    MERGES_NOT,
    STRIDE_FREE,
    STRIDE_ALL,
    STRIDE_SOME,
    STRIDE_BYTES,
    COLLISION,
    OCCUPATION,
    BROADCAST,
    SHARING,
    QUEUE,
    SWAPS,
    PRODUCT,
    LOOP,
    ROUND,
    AGAIN,
    PIPE,
    REMEDY,
    NO_REMEDY,
    HALF_REMEDY,
    BASIS,
    FERMI,
    FERMI_COST,
    FORMS
};
static unsigned seen[FORMS];

static bool take(void *context, const bw_wavefront *wave)
{
    (void)context;
    ck_assert_uint_lt(now.count, MOST_WAVES);
    now.waves[now.count++] = *wave;
    return true;
}

/* ---- reading ---- */

typedef struct reader {
    const char *at, *sentence;
} reader;

static void fail_at(const reader *r, const char *wanted)
{
    ck_abort_msg("'%s': expected '%s' at '%s' (%s, active %08x, addr %u %u %u)", r->sentence,
                 wanted, r->at, now.op->name, now.lanes, now.request.addr[0], now.request.addr[1],
                 now.request.addr[2]);
}

#define HOLD(r, condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_at(r, #condition);                                                                \
    } while (0)

static bool skip(reader *r, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

static void expect(reader *r, const char *text)
{
    if (!skip(r, text))
        fail_at(r, text);
}

static uint32_t number(reader *r)
{
    char *end;
    unsigned long value = strtoul(r->at, &end, 10);
    if (end == r->at)
        fail_at(r, "a number");
    r->at = end;
    return (uint32_t)value;
}

/* "4 wavefronts": the number, and its noun in the right form. */
static uint32_t counted(reader *r, const char *noun)
{
    uint32_t count = number(r);
    expect(r, " ");
    expect(r, noun);
    if (count != 1)
        expect(r, "s");
    HOLD(r, *r->at != 's');
    return count;
}

/* A list as wording.h describes it. */
typedef struct list {
    uint32_t values[4096];
    unsigned count, more;
} list;

static void push(reader *r, list *to, uint32_t value)
{
    HOLD(r, to->count < sizeof to->values / sizeof *to->values);
    to->values[to->count++] = value;
}

static void read_item(reader *r, list *to)
{
    if (skip(r, "... ")) {
        HOLD(r, to->count >= 2);
        uint32_t step = to->values[to->count - 1] - to->values[to->count - 2], end = number(r);
        HOLD(r, step != 0);
        do
            push(r, to, to->values[to->count - 1] + step);
        while (to->values[to->count - 1] != end);
        return;
    }
    uint32_t first = number(r), last = first;
    if (*r->at == '-') {
        r->at++;
        last = number(r);
    }
    for (uint32_t value = first; value <= last; value++)
        push(r, to, value);
}

static list read_list(reader *r)
{
    list found = {.count = 0};
    read_item(r, &found);
    for (;;) {
        reader before = *r;
        if (skip(r, " and ")) {
            if (*r->at < '0' || *r->at > '9') { /* the sentence goes on */
                *r = before;
                return found;
            }
            reader tail = *r;
            uint32_t value = number(&tail);
            if (skip(&tail, " more")) {
                found.more = value;
                *r = tail;
                return found;
            }
            read_item(r, &found);
        } else if (*r->at == ',' && r->at[1] == ' ' &&
                   ((r->at[2] >= '0' && r->at[2] <= '9') || r->at[2] == '.')) {
            reader tail = *r;
            skip(&tail, ", ");
            if (*tail.at >= '0' && *tail.at <= '9') {
                number(&tail);
                if (strncmp(tail.at, " bank", 5) == 0) { /* "For lanes 0-7, 4 banks" */
                    *r = before;
                    return found;
                }
            }
            skip(r, ", ");
            read_item(r, &found);
        } else {
            return found;
        }
    }
}

/* "lanes 0-7" or "Lane 3" as a mask; all are named. */
static uint32_t lanes(reader *r)
{
    uint32_t mask = 0;
    if (!skip(r, "lane") && !skip(r, "Lane"))
        fail_at(r, "lanes");
    bool plural = skip(r, "s");
    expect(r, " ");
    list set = read_list(r);
    HOLD(r, set.more == 0);
    for (unsigned i = 0; i < set.count; i++) {
        HOLD(r, set.values[i] < 32 && !(mask >> set.values[i] & 1));
        mask |= 1u << set.values[i];
    }
    HOLD(r, plural == (set.count > 1));
    return mask;
}

static void end(reader *r, int form)
{
    if (*r->at)
        fail_at(r, "the end");
    seen[form]++;
}

/* ---- the truth ---- */

static unsigned ones(uint32_t mask)
{
    return (unsigned)__builtin_popcount(mask);
}

static bool is_active(unsigned lane)
{
    return lane < 32 && now.lanes >> lane & 1;
}

static bool touches(unsigned lane, uint32_t word)
{
    uint32_t addr = now.request.addr[lane];
    return is_active(lane) && word >= addr / 4 && word <= (addr + now.op->bytes - 1) / 4;
}

static bool share_bank(unsigned a, unsigned b)
{
    for (uint32_t w = now.request.addr[a] / 4; touches(a, w); w++)
        for (uint32_t v = now.request.addr[b] / 4; touches(b, v); v++)
            if (w % 32 == v % 32)
                return true;
    return false;
}

static unsigned distinct_words(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < 32; i++)
        for (uint32_t w = now.request.addr[i] / 4; touches(i, w); w++) {
            bool before = false;
            for (unsigned j = 0; j < i; j++)
                before |= touches(j, w);
            count += !before;
        }
    return count;
}

/* Wavefronts of the section whose lanes are `mask`, of round 0 and `pass` (or any: -1). */
static size_t section_waves(uint32_t mask, int pass, size_t *first)
{
    for (size_t i = 0; i < now.count;) {
        size_t j = i;
        uint32_t served = 0;
        for (; j < now.count && now.waves[j].phase == now.waves[i].phase &&
               now.waves[j].round == now.waves[i].round &&
               (pass < 0 || now.waves[j].pass == now.waves[i].pass);
             j++)
            served |= now.waves[j].lanes;
        if (served == mask && now.waves[i].round == 0 && (pass <= 0 || now.waves[i].pass == 1)) {
            *first = i;
            return j - i;
        }
        i = j;
    }
    return 0;
}

static bool is_loop(void)
{
    return now.op->kind == BW_KIND_CAS_LOOP;
}

/* Turns of a bank in a section: wavefronts in which it works, not counting a swap's second. */
static unsigned turns(size_t first, size_t count, unsigned bank)
{
    unsigned found = 0;
    for (size_t i = first; i < first + count; i++)
        found += now.waves[i].bank_lanes[bank] && now.waves[i].pass == 0;
    return found;
}

/* The section that the sentences are about: the longest. Only tells its lanes. */
static size_t all_or(uint32_t mask, bool named, size_t *first)
{
    if (named)
        return section_waves(mask, is_loop() ? 0 : -1, first);
    *first = 0;
    size_t count = 0;
    while (count < now.count && now.waves[count].phase == now.waves[0].phase &&
           now.waves[count].round == 0 && (!is_loop() || now.waves[count].pass == 0))
        count++;
    return count;
}

/* ---- one reader a form ---- */

static const char *verb(void)
{
    switch (now.op->kind) {
    case BW_KIND_LOAD: return "read";
    case BW_KIND_STORE: return "write";
    case BW_KIND_LDMATRIX:
    case BW_KIND_STMATRIX: return "give the address of a matrix row,";
    case BW_KIND_ASYNC:
    case BW_KIND_ASYNC_CG: return "copy in";
    default: return "update";
    }
}

static void read_asked(reader *r)
{
    bool alone = strncmp(r->at, "1 lane takes part", 17) == 0;
    if (alone) {
        expect(r, "1 lane takes part: it wants ");
        HOLD(r, ones(now.lanes) == 1);
        HOLD(r, counted(r, "byte") == now.op->bytes);
        expect(r, " in ");
        HOLD(r, counted(r, "word") == distinct_words());
        expect(r, ".");
        end(r, ALONE);
        return;
    }
    HOLD(r, number(r) == ones(now.lanes));
    expect(r, " lanes ");
    expect(r, verb());
    expect(r, " ");
    HOLD(r, counted(r, "byte") == now.op->bytes);
    expect(r, " each: ");
    HOLD(r, counted(r, "different word") == distinct_words());
    expect(r, " in all.");
    end(r, ASKED);
}

/* Lanes whose addresses the operation does not look at. */
static uint32_t unused_rows(void)
{
    unsigned rows = now.op->matrices * 8u;
    return rows && rows < 32 ? UINT32_MAX << rows : 0;
}

static void read_off(reader *r)
{
    uint32_t mask = lanes(r);
    expect(r, ones(mask) == 1 ? " is off." : " are off.");
    HOLD(r, mask == (~now.lanes & ~unused_rows()));
    end(r, OFF);
}

static void read_unused(reader *r)
{
    expect(r, now.op->name);
    expect(r, " does not use the addresses of ");
    HOLD(r, lanes(r) == unused_rows());
    expect(r, ".");
    end(r, UNUSED_ROWS);
}

static void read_cost(reader *r)
{
    expect(r, "This takes ");
    HOLD(r, counted(r, "wavefront") == now.count);
    if (skip(r, ", the ideal.")) {
        HOLD(r, now.count == now.cost.ideal);
        end(r, IDEAL);
        return;
    }
    bool empty = now.arch->rules == BW_RULES_FERMI && now.op->bytes == 16;
    expect(r, empty ? "; at one for each phase it would take "
                    : "; without collisions it would take ");
    HOLD(r, number(r) == now.cost.ideal && now.count > now.cost.ideal);
    HOLD(r, !empty || now.cost.ideal == now.cost.phases);
    expect(r, ".");
    end(r, empty ? FERMI_COST : COST);
}

/* Every bank of every section works at most once; with `turns`, for one lane. */
static void read_free(reader *r)
{
    bool many = skip(r, "In no ");
    if (many) {
        expect(r, now.op->matrices ? "matrix" : "phase");
        expect(r, " is a bank asked ");
    } else {
        expect(r, "No bank is asked ");
    }
    bool turns = skip(r, "by more than one lane.");
    if (!turns)
        expect(r, "for more than one word.");
    unsigned phases = 0;
    for (size_t i = 0; i < now.count; i++) {
        HOLD(r, now.waves[i].round == 0);
        phases += i == 0 || now.waves[i].phase != now.waves[i - 1].phase;
        for (unsigned bank = 0; bank < 32; bank++)
            HOLD(r, !turns || ones(now.waves[i].bank_lanes[bank]) < 2);
        for (size_t j = 0; j < i; j++)
            for (unsigned bank = 0; bank < 32; bank++)
                HOLD(r, now.waves[j].phase != now.waves[i].phase || now.waves[i].pass == 1 ||
                            !now.waves[i].bank_lanes[bank] || !now.waves[j].bank_lanes[bank]);
    }
    HOLD(r, many == (phases > 1));
    end(r, turns ? FREE_TURNS : FREE);
}

/* Whether all lanes of a section lie in one aligned group of `width`. */
static bool in_one_group(uint32_t mask, unsigned width)
{
    unsigned first = (unsigned)__builtin_ctz(mask), last = 31 - (unsigned)__builtin_clz(mask);
    return first / width == last / width;
}

static void read_groups(reader *r)
{
    HOLD(r, number(r) == now.op->bytes);
    expect(r, " bytes a lane are served ");
    unsigned width = skip(r, "a matrix at a time")            ? 8
                     : skip(r, "by quarters")                 ? 8
                     : skip(r, "by half-warps")               ? 16
                     : skip(r, "for the whole warp together") ? 32
                                                              : 0;
    HOLD(r, width != 0);
    const char *separator = ": ";
    uint32_t all = 0;
    size_t total = 0;
    do {
        expect(r, separator);
        size_t first;
        uint32_t mask = lanes(r);
        expect(r, " in ");
        size_t count = all ? number(r) : counted(r, "wavefront");
        HOLD(r, in_one_group(mask, width));
        HOLD(r, section_waves(mask, -1, &first) == count);
        HOLD(r, (all & mask) == 0);
        all |= mask;
        total += count;
        separator = ", ";
    } while (*r->at == ',');
    HOLD(r, all == now.lanes && total == now.count);
    expect(r, ".");
    end(r, GROUPS);
}

static bool pairs_agree(unsigned distance)
{
    for (unsigned i = 0; i < 32; i++)
        if (is_active(i) && is_active(i ^ distance) &&
            now.request.addr[i] != now.request.addr[i ^ distance])
            return false;
    return true;
}

static void read_merging(reader *r)
{
    HOLD(r, now.op->kind == BW_KIND_LOAD && now.op->bytes >= 8);
    if (skip(r, "The load merges, so twice as many lanes are served together: in the whole warp no "
                "active lane differs in its address from lane xor ")) {
        unsigned distance = number(r);
        HOLD(r, distance == 1 || distance == 2);
        HOLD(r, pairs_agree(distance));
        expect(r, ".");
        end(r, MERGES);
        return;
    }
    expect(r, "The load does not merge: lanes ");
    for (unsigned distance = 1; distance <= 2; distance++) {
        unsigned a = number(r);
        expect(r, " and ");
        unsigned b = number(r);
        HOLD(r, (a ^ b) == distance && is_active(a) && is_active(b));
        HOLD(r, now.request.addr[a] != now.request.addr[b]);
        expect(r, distance == 1 ? " have different addresses, and so have lanes " : ".");
    }
    end(r, MERGES_NOT);
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    for (uint32_t d = a > b ? a : b; d > 1; d--)
        if (a % d == 0 && b % d == 0)
            return d;
    return 1;
}

static void check_distance(reader *r, uint32_t scope, uint32_t bytes)
{
    for (unsigned i = 0; i < 32; i++)
        for (unsigned j = 0; j < i; j++) {
            if (!(scope >> i & 1) || !(scope >> j & 1))
                continue;
            int64_t moved = (int64_t)now.request.addr[i] - (int64_t)now.request.addr[j];
            HOLD(r, (uint64_t)llabs(moved) == (uint64_t)(i - j) * bytes);
        }
}

/* Whether lanes of the scope share a bank exactly at distances that `nth` divides. */
static void check_every(reader *r, uint32_t scope, unsigned nth, unsigned below)
{
    for (unsigned i = 0; i < 32; i++)
        for (unsigned j = 0; j < i; j++)
            if (scope >> i & 1 && scope >> j & 1 && i - j < below)
                HOLD(r, share_bank(i, j) == ((i - j) % nth == 0));
}

static void read_consequence(reader *r, uint32_t scope, uint32_t common, uint32_t places)
{
    const char *noun = now.op->matrices ? " row" : " lane";
    char same[64];
    snprintf(same, sizeof same, now.span == 1 ? "the same bank" : "the same %u banks", now.span);
    if (skip(r, "no two of ")) {
        HOLD(r, number(r) == places && common == 1);
        expect(r, noun);
        expect(r, "s in a row share a bank.");
        check_every(r, scope, places, places);
        end(r, STRIDE_FREE);
        return;
    }
    expect(r, "every");
    unsigned nth = 1;
    if (*r->at == ' ' && r->at[1] >= '0' && r->at[1] <= '9') {
        expect(r, " ");
        nth = number(r);
        expect(r, nth == 2 ? "nd" : "th");
    }
    expect(r, noun);
    expect(r, " is at ");
    expect(r, same);
    expect(r, ".");
    HOLD(r, nth == places / common);
    check_every(r, scope, nth, 32);
    end(r, nth == 1 ? STRIDE_ALL : STRIDE_SOME);
}

static void read_stride(reader *r)
{
    uint32_t scope = now.lanes;
    if (skip(r, "Among ")) {
        size_t first;
        scope = lanes(r);
        HOLD(r, section_waves(scope, is_loop() ? 0 : -1, &first) > 0);
        expect(r, ", neighbours are ");
    } else {
        expect(r, "Neighbouring ");
        expect(r, now.op->matrices ? "rows" : "lanes");
        expect(r, " are ");
    }
    uint32_t distance = number(r);
    if (skip(r, distance == 1 ? " byte apart." : " bytes apart.")) {
        check_distance(r, scope, distance);
        end(r, STRIDE_BYTES);
        return;
    }
    expect(r, distance == 1 ? " word" : " words");
    uint32_t unit = 4, steps = distance;
    if (skip(r, " (")) {
        steps = number(r);
        expect(r, " x ");
        unit = number(r);
        expect(r, " bytes)");
        HOLD(r, steps * unit == distance * 4 && unit == now.op->bytes);
    }
    expect(r, " apart; gcd(");
    check_distance(r, scope, distance * 4);
    HOLD(r, number(r) == steps);
    expect(r, ", ");
    uint32_t places = number(r);
    HOLD(r, places * unit == 128);
    expect(r, ") = ");
    uint32_t common = number(r);
    HOLD(r, common == common_divisor(steps, places));
    expect(r, ", so ");
    read_consequence(r, scope, common, places);
}

/* Whether `lane` is served by `bank` with `word` in a wavefront; which. */
static int served_at(unsigned lane, unsigned bank, uint32_t word)
{
    for (size_t i = 0; i < now.count; i++)
        if (now.waves[i].bank_lanes[bank] >> lane & 1 && now.waves[i].bank_word[bank] == word &&
            now.waves[i].pass == 0)
            return (int)i;
    return -1;
}

static void read_collision(reader *r)
{
    static list who, what;
    expect(r, "Lanes ");
    who = read_list(r);
    expect(r, " ask bank ");
    unsigned bank = number(r);
    expect(r, " for words ");
    what = read_list(r);
    expect(r, ".");
    HOLD(r, bank < 32);
    HOLD(r, who.count + who.more == what.count + what.more);
    bool two_words = false;
    unsigned named = who.count < what.count ? who.count : what.count;
    for (unsigned i = 0; i < named; i++) {
        int at = served_at(who.values[i], bank, what.values[i]);
        HOLD(r, at >= 0 && touches(who.values[i], what.values[i]));
        HOLD(r, what.values[i] % 32 == bank);
        HOLD(r, now.waves[at].phase ==
                    now.waves[served_at(who.values[0], bank, what.values[0])].phase);
        two_words |= what.values[i] != what.values[0];
        for (unsigned j = 0; j < i; j++)
            HOLD(r, served_at(who.values[j], bank, what.values[j]) != at);
    }
    HOLD(r, two_words || what.more);
    unsigned most = 0, phase = now.waves[served_at(who.values[0], bank, what.values[0])].phase;
    for (size_t i = 0; i < now.count; i++)
        most += now.waves[i].phase == phase && now.waves[i].round == 0 && now.waves[i].pass == 0 &&
                now.waves[i].bank_lanes[bank];
    HOLD(r, most == who.count + who.more);
    end(r, COLLISION);
}

static void read_occupation(reader *r)
{
    uint32_t scope = now.lanes;
    size_t first = 0;
    bool named = skip(r, is_loop() ? "When round 1 loads for " : "For ");
    HOLD(r, named || !is_loop());
    if (named) {
        scope = lanes(r);
        expect(r, ", ");
    }
    size_t count = all_or(scope, named, &first);
    HOLD(r, count > 0);
    unsigned busy = number(r), most = 0, equal = 0, idle = 0;
    expect(r, busy == 1 ? " bank of 32 is needed " : " banks of 32 are needed ");
    unsigned times = number(r);
    expect(r, " times, and ");
    unsigned none = number(r);
    expect(r, " not at all.");
    for (unsigned bank = 0; bank < 32; bank++) {
        unsigned t = turns(first, count, bank);
        most = t > most ? t : most;
        equal += t == times;
        idle += t == 0;
    }
    HOLD(r, most == times && equal == busy && idle == none);
    end(r, OCCUPATION);
}

/* Groups of lanes that are served together somewhere, each once. */
static unsigned sharing_groups(void)
{
    static uint32_t groups[MOST_WAVES * 32];
    unsigned count = 0;
    for (size_t i = 0; i < now.count; i++)
        for (unsigned bank = 0; bank < 32; bank++) {
            uint32_t mask = now.waves[i].bank_lanes[bank];
            bool known = ones(mask) < 2;
            for (unsigned k = 0; k < count; k++)
                known |= groups[k] == mask;
            if (!known)
                groups[count++] = mask;
        }
    return count;
}

static void read_sharing(reader *r)
{
    expect(r, "Word ");
    uint32_t word = number(r);
    expect(r, now.op->kind == BW_KIND_STORE || now.op->kind == BW_KIND_STMATRIX
                  ? " is written once for "
              : now.op->kind == BW_KIND_COUNT ? " is counted up once for "
                                              : " is read once for ");
    bool all = skip(r, "all ");
    uint32_t mask = now.lanes;
    if (all) {
        HOLD(r, number(r) == ones(now.lanes));
        expect(r, " lanes: a broadcast.");
    } else {
        mask = lanes(r);
        expect(r, " together.");
    }
    bool found = false;
    for (size_t i = 0; i < now.count; i++)
        found |=
            now.waves[i].bank_lanes[word % 32] == mask && now.waves[i].bank_word[word % 32] == word;
    HOLD(r, found && ones(mask) > 1);
    unsigned groups = 1;
    if (skip(r, " ")) {
        groups = number(r);
        expect(r, " groups of lanes share so.");
    }
    HOLD(r, sharing_groups() == groups);
    end(r, all ? BROADCAST : SHARING);
}

static void read_queue(reader *r)
{
    uint32_t mask = lanes(r);
    expect(r, " all want word ");
    uint32_t word = number(r);
    bool copy = now.op->kind == BW_KIND_ASYNC || now.op->kind == BW_KIND_ASYNC_CG;
    expect(r, copy ? ", which an asynchronous copy serves one lane at a time."
                   : ", which an atomic serves one lane at a time.");
    HOLD(r, ones(mask) > 1);
    for (unsigned i = 0; i < 32; i++) {
        if (!(mask >> i & 1))
            continue;
        int at = served_at(i, word % 32, word);
        HOLD(r, at >= 0 && now.request.addr[i] / 4 == word);
        HOLD(r, now.waves[at].bank_lanes[word % 32] == 1u << i);
    }
    end(r, QUEUE);
}

static void read_swaps(reader *r)
{
    expect(r, "A compare-and-swap takes two wavefronts a turn: it reads, then swaps.");
    HOLD(r, now.op->kind == BW_KIND_CAS);
    for (size_t i = 0; i < now.count; i++)
        HOLD(r, now.waves[i].pass == i % 2 && now.waves[i].lanes == now.waves[i ^ 1].lanes);
    end(r, SWAPS);
}

static void read_lone_swap(reader *r)
{
    expect(r, "The swap of a compare-and-swap loop takes two wavefronts for each ");
    expect(r, now.op->bytes == 8 ? "half-warp, whoever wins it." : "warp, whoever wins it.");
    HOLD(r, now.op->kind == BW_KIND_SWAP && now.count == 2 * now.cost.phases);
    for (size_t i = 0; i < now.count; i++)
        HOLD(r, now.waves[i].pass == i % 2 && now.waves[i].lanes == now.waves[i ^ 1].lanes);
    end(r, SWAPS);
}

static void read_product(reader *r)
{
    expect(r, "Four warps multiply by ");
    HOLD(r, number(r) == now.request.columns);
    expect(r, " columns: ");
    bool shared = strstr(now.op->name, "ss") != NULL;
    expect(r, shared ? "16 wavefronts read A, and " : "A is in registers, and ");
    HOLD(r, number(r) == now.cost.wavefronts - (shared ? 16 : 0));
    expect(r, now.cost.wavefronts - (shared ? 16 : 0) == 1 ? " wavefront read B."
                                                           : " wavefronts read B.");
    end(r, PRODUCT);
}

static void read_indifference(reader *r)
{
    expect(r, "The layout does not matter for it: type, transposition, swizzle mode, strides and "
              "alignment change nothing.");
    HOLD(r, now.op->kind == BW_KIND_WGMMA);
    end(r, PRODUCT);
}

static void read_units(reader *r)
{
    expect(r, "The matrix units take ");
    HOLD(r, number(r) == now.cost.cycles && now.cost.cycles > now.cost.wavefronts);
    expect(r, " cycles for it.");
    end(r, PRODUCT);
}

static void read_loop(reader *r)
{
    expect(r, "There is no ");
    expect(r, now.op->name);
    expect(r, " in hardware: the compiler makes a loop of load, operation and compare-and-swap, "
              "which here goes round ");
    unsigned rounds = 1;
    if (!skip(r, "once")) {
        rounds = number(r);
        expect(r, " times");
    }
    expect(r, ".");
    HOLD(r, is_loop() && now.waves[now.count - 1].round + 1 == rounds);
    end(r, LOOP);
}

static void round_one(unsigned pass, unsigned *waves, uint32_t *mask)
{
    *waves = 0;
    *mask = 0;
    for (size_t i = 0; i < now.count; i++)
        if (now.waves[i].round == 0 && now.waves[i].pass == pass) {
            ++*waves;
            *mask |= now.waves[i].lanes;
        }
}

static void read_round(reader *r)
{
    unsigned loads, swaps;
    uint32_t all, winners;
    round_one(0, &loads, &all);
    round_one(1, &swaps, &winners);
    expect(r, "In round 1 the load takes ");
    HOLD(r, counted(r, "wavefront") == loads);
    expect(r, " and the swap ");
    HOLD(r, number(r) == swaps);
    expect(r, "; ");
    HOLD(r, lanes(r) == winners);
    expect(r, ones(winners) == 1 ? " succeeds." : " succeed.");
    end(r, ROUND);
}

static void read_again(reader *r)
{
    unsigned waves;
    uint32_t all, winners;
    round_one(0, &waves, &all);
    round_one(1, &waves, &winners);
    expect(r, "A swap fails where a lower lane of its group has taken the bank, and ");
    uint32_t losers = lanes(r);
    expect(r, " must go round again.");
    HOLD(r, losers == (all & ~winners));
    unsigned group = now.op->bytes == 8 ? 16 : 32;
    for (unsigned i = 0; i < 32; i++) {
        bool taken = false;
        for (unsigned j = i / group * group; j < i; j++)
            taken |= is_active(j) && share_bank(i, j);
        HOLD(r, !is_active(i) || (losers >> i & 1) == taken);
    }
    end(r, AGAIN);
}

static void read_pipe(reader *r)
{
    expect(r, "It keeps the pipe busy for ");
    HOLD(r, number(r) == now.cost.cycles && now.cost.cycles > now.count);
    expect(r, " cycles all the same, the time in which its results return.");
    end(r, PIPE);
}

static void read_remedy(reader *r)
{
    uint32_t excess = counted(r, "excessive wavefront");
    HOLD(r, excess == now.count - now.cost.ideal && excess > 0);
    if (skip(r, excess == 1 ? ": no layout removes it." : ": no layout removes them.")) {
        HOLD(r, now.cost.excess_layout == 0);
        end(r, NO_REMEDY);
        return;
    }
    if (skip(r, excess == 1 ? ": another layout can remove it."
                            : ": another layout can remove them all.")) {
        HOLD(r, now.cost.excess_serial == 0);
        end(r, REMEDY);
        return;
    }
    expect(r, ": another layout can remove ");
    HOLD(r, number(r) == now.cost.excess_layout && now.cost.excess_layout);
    expect(r, ", and none the other ");
    HOLD(r, number(r) == now.cost.excess_serial && now.cost.excess_serial);
    expect(r, ".");
    end(r, HALF_REMEDY);
}

static void read_basis(reader *r)
{
    static const char *const words[] = {"was measured on ", "is assumed for ",
                                        "is as NVIDIA documents it for "};
    expect(r, "The rule ");
    expect(r, words[now.cost.basis]);
    expect(r, now.arch->name);
    expect(r, now.cost.basis == BW_BASIS_DOCUMENTED ? ", never measured by this project." : ".");
    end(r, BASIS);
}

static void read_fermi(reader *r)
{
    expect(r, "On Fermi each phase of a 16-byte access takes one wavefront more, as NVIDIA "
              "documents.");
    HOLD(r, now.arch->rules == BW_RULES_FERMI && now.op->bytes == 16);
    unsigned empty = 0;
    for (size_t i = 0; i < now.count; i++)
        empty += now.waves[i].lanes == 0;
    HOLD(r, empty == now.cost.phases);
    end(r, FERMI);
}

/* ---- which form a sentence has ---- */

typedef struct kind_of_sentence {
    const char *sign; /* it has this text */
    void (*read)(reader *);
} kind_of_sentence;

/* The first that fits. */
static const kind_of_sentence forms[] = {
    {"excessive wavefront", read_remedy},
    {"bytes a lane are served", read_groups},
    {"The load", read_merging},
    {"apart", read_stride},
    {" ask bank ", read_collision},
    {"needed", read_occupation},
    {" is asked ", read_free},
    {" a bank asked ", read_free},
    {" all want word ", read_queue},
    {"A compare-and-swap takes", read_swaps},
    {"The swap of a", read_lone_swap},
    {"Four warps multiply", read_product},
    {"The layout does not", read_indifference},
    {"The matrix units", read_units},
    {"There is no ", read_loop},
    {"In round 1", read_round},
    {"A swap fails", read_again},
    {"On Fermi", read_fermi},
    {"keeps the pipe busy", read_pipe},
    {"The rule ", read_basis},
    {"This takes", read_cost},
    {"does not use the addresses", read_unused},
    {" once for ", read_sharing},
    {" off.", read_off},
    {" each: ", read_asked},
    {"takes part", read_asked},
};

static void read_sentence(const char *sentence)
{
    reader r = {sentence, sentence};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strstr(sentence, forms[i].sign)) {
            forms[i].read(&r);
            return;
        }
    ck_abort_msg("a sentence of no known form: %s", sentence);
}

/* Explains the request and reads every sentence; returns how many there were. */
static unsigned check_request(const bw_arch *arch, const bw_request *request)
{
    bw_arena arena = {NULL};
    bw_picture picture;
    unsigned count = 0;
    now.arch = arch;
    now.request = *request;
    now.op = bw_op_get(request->op);
    now.lanes = bw_request_lanes(request);
    now.span = now.op->bytes > 4 ? now.op->bytes / 4u : 1;
    now.count = 0;
    ck_assert_int_eq(bw_cost_of(arch, request, &now.cost), BW_OK);
    ck_assert_int_eq(bw_schedule(arch, request, take, NULL),
                     now.op->kind == BW_KIND_WGMMA ? BW_UNSUPPORTED : BW_OK);
    if (now.op->kind == BW_KIND_WGMMA)
        now.count = now.cost.wavefronts;
    ck_assert_int_eq(bw_picture_make(&picture, &arena, arch, request), BW_OK);
    for (const char *const *at = bw_explain(&picture, &arena); *at; at++, count++)
        read_sentence(*at);
    bw_arena_finish(&arena);
    return count;
}

/* ---- requests ---- */

static uint32_t state = 12345;

static uint32_t below(uint32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)state * n >> 32);
}

static uint32_t random_mask(void)
{
    switch (below(7)) {
    case 0: return UINT32_MAX;
    case 1: return 0x0000ffffu;
    case 2: return 0xffff0000u;
    case 3: return 0x55555555u;
    case 4: return 1u << below(32);
    case 5: return 0x11111111u << below(4);
    default: return below(UINT32_MAX) | 1u << below(32);
    }
}

static uint32_t element_of(unsigned family, uint32_t lane, uint32_t a, uint32_t b)
{
    switch (family) {
    case 0: return a * lane;
    case 1: return below(256);
    case 2: return a * (lane % 8) + b * (lane / 8);
    case 3: return a;
    case 4: return lane / 2 * a;
    case 5: return (lane / 4 * 2 + lane % 2) * a;
    case 6: return lane / (1 + b % 8) * a;
    case 7: return (lane * a) ^ b;
    case 8: return a * (31 - lane);
    default: return below(8) * a;
    }
}

static bw_request random_request(bool any_op)
{
    bw_request request = {.op = any_op ? (bw_op)below(BW_OP_COUNT) : (bw_op)below(10)};
    const bw_op_info *op = bw_op_get(request.op);
    uint32_t family = below(10), a = below(70), b = below(70);
    request.active = op->matrices || below(2) ? UINT32_MAX : random_mask();
    for (uint32_t lane = 0; lane < 32; lane++)
        request.addr[lane] = op->bytes * element_of(family, lane, a, b);
    if (op->kind == BW_KIND_WGMMA)
        request.columns = 8 * (1 + below(32));
    return request;
}

START_TEST(every_sentence_is_true)
{
    unsigned sentences = 0, rounds = tap_rounds(25000);
    const bw_arch *arch = bw_arch_find("sm_90");
    memset(seen, 0, sizeof seen);
    for (unsigned i = 0; i < rounds; i++) {
        bw_request request = random_request(true);
        sentences += check_request(arch, &request);
    }
    ck_assert_uint_gt(sentences, 4 * rounds);
    for (int form = 0; form < FORMS && rounds == 25000; form++)
        if (form != FERMI && form != FERMI_COST)
            ck_assert_msg(seen[form] > 20, "form %d was read %u times", form, seen[form]);
}
END_TEST

START_TEST(on_older_cards_too)
{
    static const char *const names[] = {"sm_80", "sm_120", "sm_20"};
    memset(seen, 0, sizeof seen);
    for (unsigned i = 0; i < tap_rounds(6000); i++) {
        bw_request request = random_request(false);
        check_request(bw_arch_find(names[i % 3]), &request);
    }
    ck_assert_uint_gt(seen[FERMI], 20);
    ck_assert_uint_gt(seen[FERMI_COST], 20);
}
END_TEST

static void assert_says(const bw_request *request, const char *sentence)
{
    bw_arena arena = {NULL};
    bw_picture picture;
    bool said = false;
    ck_assert_int_eq(bw_picture_make(&picture, &arena, bw_arch_find("sm_90"), request), BW_OK);
    for (const char *const *at = bw_explain(&picture, &arena); *at; at++)
        said |= strcmp(*at, sentence) == 0;
    ck_assert_msg(said, "not said: %s", sentence);
    bw_arena_finish(&arena);
}

START_TEST(what_a_reader_wants_to_know)
{
    bw_request request = {.op = BW_OP_LD_32, .active = UINT32_MAX};
    for (uint32_t i = 0; i < 32; i++)
        request.addr[i] = 48 * i;
    assert_says(&request, "Neighbouring lanes are 12 words apart; gcd(12, 32) = 4, so every 8th "
                          "lane is at the same bank.");
    assert_says(&request, "Lanes 0, 8, 16 and 24 ask bank 0 for words 0, 96, 192 and 288.");
    assert_says(&request, "8 banks of 32 are needed 4 times, and 24 not at all.");
    for (uint32_t i = 0; i < 32; i++)
        request.addr[i] = 128 * i;
    assert_says(&request, "Lanes 0-31 ask bank 0 for words 0, 32, 64, ... 992.");
    request.active = 0xffff;
    assert_says(&request, "Lanes 16-31 are off.");
    request = (bw_request){.op = BW_OP_ATOM_ADD_U32, .active = UINT32_MAX};
    assert_says(&request, "Lanes 0-31 all want word 0, which an atomic serves one lane at a time.");
    assert_says(&request, "31 excessive wavefronts: no layout removes them.");
}
END_TEST

/* What is said of a row of Kepler's holds for every lane that is served: its words lie in one. */
static void check_rows(const bw_arch *arch, const bw_picture *picture)
{
    static const char *const said[] = {"of each 64 words, w and w + 32.",
                                       "an even word and the next."};
    bool wide = strstr(arch->name, "8byte") != NULL, found = false;
    bw_arena arena = {NULL};
    for (const char *const *at = bw_explain(picture, &arena); *at; at++)
        found |= strstr(*at, said[wide]) != NULL;
    ck_assert(found);
    for (size_t i = 0; i < picture->wave_count; i++)
        for (unsigned bank = 0; bank < 32; bank++)
            for (uint32_t left = picture->waves[i].bank_lanes[bank]; left; left &= left - 1) {
                uint32_t addr = picture->request.addr[__builtin_ctz(left)], row = 0;
                uint32_t word = picture->waves[i].bank_word[bank];
                for (uint32_t w = addr / 4; w <= (addr + picture->op->bytes - 1) / 4; w++)
                    row += wide ? w / 2 == word / 2 : w % 32 == word % 32 && w / 64 == word / 64;
                ck_assert_uint_gt(row, 0);
            }
    bw_arena_finish(&arena);
}

/* Kepler's rows are not words: no sentence about words of a bank may be said in their name. */
START_TEST(kepler_is_explained_without_its_words)
{
    static const char *const names[] = {"sm_35", "sm_30", "sm_30-8byte", "sm_37-8byte"};
    for (unsigned i = 0; i < tap_rounds(4000); i++) {
        bw_request request = random_request(false);
        const bw_arch *arch = bw_arch_find(names[i % 4]);
        bw_arena arena = {NULL};
        bw_picture picture;
        ck_assert_int_eq(bw_picture_make(&picture, &arena, arch, &request), BW_OK);
        check_rows(arch, &picture);
        for (const char *const *at = bw_explain(&picture, &arena); *at; at++) {
            ck_assert_msg(!strstr(*at, "gcd"), "%s", *at);
            ck_assert_msg(!strstr(*at, "asked for more than one word"), "%s", *at);
            ck_assert_msg(!strstr(*at, "for words"), "%s", *at);
        }
        bw_arena_finish(&arena);
    }
}
END_TEST

/* ---- pictures ---- */

/* Lanes told as cells, wavefront by wavefront. */
typedef struct told {
    size_t waves, omitted;
    uint32_t lanes;
    bool wrong;
} told;

static void tell_text(void *context, const char *title)
{
    (void)context;
    ck_assert_ptr_nonnull(title);
}

static void tell_wave(void *context, const bw_wavefront *wave, const bw_cell *cells, unsigned count)
{
    told *t = context;
    t->waves++;
    for (unsigned i = 0; i < count; i++) {
        t->lanes |= cells[i].lanes;
        bool one = ones(cells[i].lanes) == 1;
        t->wrong |= wave->bank_lanes[cells[i].bank] != cells[i].lanes;
        t->wrong |= wave->bank_word[cells[i].bank] != cells[i].word;
        t->wrong |= one != (cells[i].label[0] >= '0' && cells[i].label[0] <= '9');
        t->wrong |= one && strtoul(cells[i].label, NULL, 10) !=
                               (unsigned long)__builtin_ctz(cells[i].lanes);
    }
}

static void tell_omitted(void *context, const char *what)
{
    ((told *)context)->omitted += strtoul(what, NULL, 10);
}

static void tell_legend(void *context, const char *sign, const char *meaning)
{
    (void)context;
    ck_assert_ptr_nonnull(sign);
    ck_assert_ptr_nonnull(meaning);
}

START_TEST(pictures_show_every_wavefront_or_say_so)
{
    const bw_arch *arch = bw_arch_find("sm_90");
    unsigned cut = 0;
    for (unsigned i = 0; i < tap_rounds(6000); i++) {
        bw_request request = random_request(true);
        bw_arena arena = {NULL};
        bw_picture picture;
        told t = {.waves = 0};
        bw_pen pen = {&t, tell_text, tell_wave, tell_omitted, tell_legend};
        ck_assert_int_eq(bw_picture_make(&picture, &arena, arch, &request), BW_OK);
        bw_picture_draw(&picture, &arena, &pen, i % 2 ? 0 : 24);
        if (picture.op->kind == BW_KIND_WGMMA) { /* which words go when nobody knows */
            ck_assert_uint_eq(t.waves + t.omitted, 0);
            bw_arena_finish(&arena);
            continue;
        }
        ck_assert_uint_eq(t.waves + t.omitted, picture.cost.wavefronts);
        ck_assert(!t.wrong);
        /* a swap's losers use no bank */
        ck_assert(t.omitted || t.lanes == bw_request_lanes(&request) ||
                  picture.op->kind == BW_KIND_SWAP);
        ck_assert(i % 2 == 0 || t.omitted == 0);
        cut += t.omitted > 0;
        bw_arena_finish(&arena);
    }
    ck_assert_uint_gt(cut, tap_rounds(50));
}
END_TEST

START_TEST(text_fits_its_width)
{
    const bw_arch *arch = bw_arch_find("sm_90");
    static char text[1 << 18];
    for (unsigned i = 0; i < 1000; i++) {
        bw_request request = random_request(true);
        bw_arena arena = {NULL};
        bw_picture picture;
        unsigned width = i % 2 ? 80 : 140;
        ck_assert_int_eq(bw_picture_make(&picture, &arena, arch, &request), BW_OK);
        FILE *out = fmemopen(text, sizeof text, "w");
        bw_picture_text(&picture, out, width, false, i % 4 == 0);
        fclose(out);
        for (const char *line = text; *line;) {
            size_t length = strcspn(line, "\n");
            ck_assert_msg(length <= width || picture.wave_count > 999, "%.*s", (int)length, line);
            ck_assert_msg(!length || line[length - 1] != ' ', "ends in a space: %.*s", (int)length,
                          line);
            line += length + (line[length] == '\n');
        }
        bw_arena_finish(&arena);
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("sentences");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, every_sentence_is_true);
    tcase_add_test(tests, on_older_cards_too);
    tcase_add_test(tests, what_a_reader_wants_to_know);
    tcase_add_test(tests, kepler_is_explained_without_its_words);
    tcase_add_test(tests, pictures_show_every_wavefront_or_say_so);
    tcase_add_test(tests, text_fits_its_width);
    return tap_run(tests);
}
