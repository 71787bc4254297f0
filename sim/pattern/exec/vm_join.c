/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "vm_join.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

/* The stretches that a thread can have in hand: four registers each, of at most 255. */
#define STRETCHES 64
#define WORDS 4

/* What a warp has asked of one aligned stretch of 16 bytes a lane, or of 8 where no more is known.
 */
typedef struct stretch {
    uint32_t base[BW_LANES]; /* 0 in lanes that are off */
    uint32_t active;
    uint32_t bytes;       /* 16 or 8 */
    uint32_t words;       /* a bit for each of the four */
    uint32_t site[WORDS]; /* which access asked first */
} stretch;

/* Words that the lanes of a warp loaded, and hold in registers. */
typedef struct held_word {
    uint32_t addr[BW_LANES];
    uint32_t active, bytes;
    bw_span span; /* what loaded them */
} held_word;

/* What a thread can keep, in words of four bytes or more; of at most 255 registers. */
#define HELD_WORDS 128

struct bw_joiner {
    bool joins;
    uint32_t looks; /* left */
    uint32_t warp;
    bool loads; /* what is held: loads or stores */
    size_t count;
    stretch held[STRETCHES];
    uint32_t word_count, word_next, word_warp;
    held_word words[HELD_WORDS];
};

bw_joiner *bw_joiner_create(bool joins)
{
    bw_joiner *j = bw_calloc(1, sizeof *j);
    j->joins = joins;
    j->looks = BW_JOIN_LOOKS;
    return j;
}

void bw_joiner_destroy(bw_joiner *joiner)
{
    free(joiner);
}

/* ---- delivering ---- */

/* `count` words of a stretch from word `first`, at once, for the access that asked for one of them
 * first. */
static void deliver(bw_vm *vm, const stretch *s, int first, int count)
{
    bw_joiner *j = vm->joiner;
    bw_op op = bw_sized_op(j->loads, (uint32_t)count * 4);
    int asked = first;
    while (!(s->words >> asked & 1))
        asked++;
    if (!j->joins) {
        for (int k = first; k < first + count; k++)
            if (s->words >> k & 1)
                bw_mark_joins(vm, s->site[k], op);
        return;
    }
    bw_request r = {.op = op, .active = s->active};
    BW_FOR_LANES (l)
        if (s->active >> l & 1)
            r.addr[l] = s->base[l] + 4u * (uint32_t)first;
    bw_deliver(vm, s->site[asked], j->warp, &r);
}

/* A 16-byte load takes words with it that nobody asked for; they must be there. */
static bool has_room(const bw_vm *vm, const stretch *s)
{
    BW_FOR_LANES (l)
        if ((s->active >> l & 1) && vm->shared.size - s->base[l] < s->bytes)
            return false;
    return true;
}

static void deliver_stretch(bw_vm *vm, const stretch *s)
{
    int words = __builtin_popcount(s->words);
    if (words == WORDS || (words == WORDS - 1 && vm->joiner->loads && has_room(vm, s))) {
        deliver(vm, s, 0, WORDS);
        return;
    }
    for (int half = 0; half < WORDS; half += 2) {
        uint32_t bits = s->words >> half & 3;
        if (bits == 3)
            deliver(vm, s, half, 2);
        else if (bits)
            deliver(vm, s, half + (bits >> 1 ? 1 : 0), 1);
    }
}

static void deliver_all(bw_vm *vm)
{
    bw_joiner *j = vm->joiner;
    for (size_t k = 0; k < j->count; k++)
        deliver_stretch(vm, &j->held[k]);
    j->count = 0;
}

void bw_join_end(bw_vm *vm)
{
    if (!vm->joiner)
        return;
    deliver_all(vm);
    vm->joiner->word_count = vm->joiner->word_next = 0;
}

/* ---- words that are known already ---- */

/* Written with the same letters: a compiler sees equal addresses in equal expressions, not in those
 * whose values happen to be equal here. */
static bool is_same_text(const bw_source *source, bw_span a, bw_span b)
{
    return a.len == b.len && memcmp(source->text + a.offset, source->text + b.offset, a.len) == 0;
}

/* Whether each lane of the request holds its words. */
static bool is_held(const bw_vm *vm, const bw_ins *i, const bw_request *r, uint32_t bytes)
{
    const bw_joiner *j = vm->joiner;
    for (uint32_t k = 0; k < j->word_count; k++) {
        const held_word *h = &j->words[k];
        uint32_t odd = r->active & ~h->active;
        if (odd || h->bytes != bytes || !is_same_text(vm->source, h->span, i->span))
            continue;
        BW_FOR_LANES (l)
            odd |= r->active >> l & 1 ? h->addr[l] ^ r->addr[l] : 0;
        if (!odd)
            return true;
    }
    return false;
}

static void hold(bw_joiner *j, const bw_ins *i, const bw_request *r, uint32_t bytes)
{
    held_word *h = &j->words[j->word_next];
    j->word_next = (j->word_next + 1) % HELD_WORDS;
    j->word_count += j->word_count < HELD_WORDS;
    *h = (held_word){.active = r->active, .bytes = bytes, .span = i->span};
    memcpy(h->addr, r->addr, sizeof h->addr);
}

/* True for a load of what the warp's lanes hold; else takes note of the request. */
static bool is_known(bw_vm *vm, const bw_warp *w, const bw_ins *i, const bw_request *r)
{
    bw_joiner *j = vm->joiner;
    const bw_op_info *op = bw_op_get(r->op);
    bool is_volatile = vm->sites->items[i->site].is_volatile;
    if (j->word_warp != w->index)
        j->word_count = j->word_next = 0;
    j->word_warp = w->index;
    if (op->kind == BW_KIND_LOAD && !is_volatile) {
        if (is_held(vm, i, r, op->bytes))
            return true;
        hold(j, i, r, op->bytes);
    } else if (op->kind != BW_KIND_LDMATRIX) { /* a store may be to any of them */
        j->word_count = j->word_next = 0;
    }
    return false;
}

/* ---- holding back ---- */

/* Lays out an empty stretch of at most `bytes` bytes about a request: the word at which every
 * lane's address lies, or -1 if the lanes have no alignment in common. */
static int lay_out(stretch *s, const bw_request *r, uint32_t bytes)
{
    uint32_t first = r->addr[bw_lowest_lane(r->active)], odd = 0;
    BW_FOR_LANES (l)
        if (r->active >> l & 1)
            odd |= r->addr[l] ^ first;
    if (odd & 4)
        return -1;
    *s = (stretch){.active = r->active, .bytes = odd & 8 ? 8 : bytes};
    BW_FOR_LANES (l)
        if (r->active >> l & 1)
            s->base[l] = r->addr[l] & ~(s->bytes - 1);
    return (int)(first & (s->bytes - 1)) / 4;
}

/* The stretch in hand that such a request belongs to, or the one laid out as a new one. */
static stretch *in_hand(bw_vm *vm, const stretch *laid, uint32_t words)
{
    bw_joiner *j = vm->joiner;
    for (size_t k = j->count; k-- > 0;) {
        stretch *s = &j->held[k];
        bool goes = (s->words & words) == 0 || (j->loads && (s->words & words) == words);
        if (s->active == laid->active && s->bytes == laid->bytes && goes &&
            memcmp(s->base, laid->base, sizeof s->base) == 0)
            return s;
    }
    if (j->count == STRETCHES)
        deliver_all(vm);
    j->held[j->count] = *laid;
    return &j->held[j->count++];
}

bool bw_join(bw_vm *vm, const bw_warp *w, const bw_ins *i, const bw_request *request)
{
    bw_joiner *j = vm->joiner;
    if (!j->joins && --j->looks == 0)
        vm->joining = false;
    const bw_op_info *op = bw_op_get(request->op);
    bool load = op->kind == BW_KIND_LOAD;
    bool fits = (load || op->kind == BW_KIND_STORE) && (op->bytes == 4 || op->bytes == 8) &&
                (i->flags & BW_INS_ALIGN_8) && !vm->sites->items[i->site].is_volatile;
    bool passes = j->loads ? load || op->kind == BW_KIND_LDMATRIX : op->kind == BW_KIND_STORE;
    if (j->joins && is_known(vm, w, i, request))
        return true;
    if (j->count && (w->index != j->warp || !passes))
        deliver_all(vm);
    stretch laid;
    int first = fits ? lay_out(&laid, request, i->flags & BW_INS_ALIGN_16 ? 16 : 8) : -1;
    if (first < 0)
        return false;
    j->warp = w->index;
    j->loads = load;
    uint32_t words = (op->bytes == 8 ? 3u : 1u) << first;
    stretch *s = in_hand(vm, &laid, words);
    for (int k = 0; k < WORDS; k++)
        if ((words & ~s->words) >> k & 1)
            s->site[k] = i->site;
    s->words |= words;
    return j->joins;
}
