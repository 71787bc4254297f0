/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "vm_race.h"

#include <stdlib.h>
#include <string.h>

/*
 * Who did it, and when:
 *
 *      31                 9 8      5 4      0
 *     +--------------------+--------+--------+
 *     |       phase        | bytes  |  warp  |      bytes: which of the word's four
 *     +--------------------+--------+--------+
 */
#define WARP_BITS 5
#define BYTES_SHIFT WARP_BITS
#define PHASE_SHIFT 9
static uint32_t warp_of(uint32_t key)
{
    return key & ((1u << WARP_BITS) - 1);
}

static uint32_t bytes_of(uint32_t key)
{
    return key >> BYTES_SHIFT & 15;
}

static uint32_t phase_of(uint32_t key)
{
    return key >> PHASE_SHIFT;
}

#define LAST_PHASE ((UINT32_C(1) << (32 - PHASE_SHIFT)) - 1)

/* Beside the site's number of a read: several warps did. */
#define MANY_SITES (UINT32_C(1) << 31)
#define SITE(bits) ((bits) & (MANY_SITES - 1))

/* Of a word: who did it last, and where; 0: nobody. */
typedef struct trace {
    uint32_t write, read, atomic;
    uint32_t write_site, read_site, atomic_site;
} trace;

struct bw_races {
    trace *words;
    size_t count;
    uint32_t base;   /* the phase of the block before its first barrier */
    uint32_t last;   /* the largest phase that was used */
    uint32_t paused; /* of this phase nothing is said; 0: none */
    uint32_t judged; /* of this phase it is decided whether it is looked at */
    bool looks;
    uint64_t checked, most; /* requests that were looked at, and may be in this phase */
};

/* Looking at a request takes about as long as six steps of evaluation. So the first ones are looked
 * at, which is all that most kernels make, and then whole phases, up to this share of the steps. A
 * phase is left in the middle only where it is much longer than what it may cost. */
#define ALWAYS_CHECKED 8192
#define STEPS_A_CHECK 512

bw_races *bw_races_create(uint32_t bytes, uint32_t warps)
{
    if (warps < 2 || !bytes)
        return NULL;
    bw_races *r = bw_calloc(1, sizeof *r);
    r->count = bytes / 4 + 1;
    r->words = bw_calloc(r->count, sizeof *r->words);
    return r;
}

void bw_races_destroy(bw_races *races)
{
    if (races)
        free(races->words);
    free(races);
}

void bw_races_start(bw_races *races)
{
    if (!races)
        return;
    races->base = races->last + 1;
    if (races->base > LAST_PHASE / 2) { /* numbers begin anew */
        memset(races->words, 0, races->count * sizeof *races->words);
        races->base = 1;
    }
    races->last = races->base;
    races->paused = 0;
}

static uint32_t current_phase(const bw_races *races, const bw_warp *w)
{
    uint32_t phase = races->base + w->phase;
    return phase > LAST_PHASE ? LAST_PHASE : phase;
}

bool bw_races_turn(bw_races *races, const bw_warp *w, uint64_t steps)
{
    if (!races)
        return false;
    uint32_t phase = current_phase(races, w);
    if (phase != races->judged) {
        uint64_t most = ALWAYS_CHECKED + steps / STEPS_A_CHECK;
        races->judged = phase;
        races->looks = races->checked < most;
        races->most = most + ALWAYS_CHECKED;
        races->last = phase > races->last ? phase : races->last;
    }
    return races->looks && races->paused != phase;
}

void bw_races_pause(bw_races *races, const bw_warp *w)
{
    if (races)
        races->paused = current_phase(races, w);
}

static void report(bw_vm *vm, const bw_warp *w, const bw_ins *i, bool writes, uint32_t key,
                   uint32_t bits, bool wrote)
{
    bw_site *site = bw_vm_site(vm, i);
    if (site->raced)
        return;
    site->raced = true;
    const bw_site *other = &vm->sites->items[SITE(bits)];
    bw_diagnostic *d =
        bw_vm_error(vm, BW_MSG_RACE, i->span,
                    "warp %u %s here what warp %u %s, and no barrier is between the two", w->index,
                    writes ? "writes" : "reads", warp_of(key), wrote ? "wrote" : "read");
    bw_also(vm->diags, d, vm->source, other->span, "warp %u %s it here", warp_of(key),
            wrote ? "wrote" : "read");
    bw_note(vm->diags, d, "put __syncthreads() between them, where all threads of the block pass");
}

/* Another warp's, of the same phase, at bytes that `key` touches too. */
static bool meets(uint32_t key, uint32_t other)
{
    return phase_of(other) == phase_of(key) && warp_of(other) != warp_of(key) &&
           (bytes_of(other) & bytes_of(key));
}

static void see_word(bw_vm *vm, const bw_warp *w, const bw_ins *i, trace *t, uint32_t key,
                     bool writes, bool atomic)
{
    if (meets(key, t->write))
        report(vm, w, i, writes, t->write, t->write_site, true);
    else if (!atomic && meets(key, t->atomic))
        report(vm, w, i, writes, t->atomic, t->atomic_site, true);
    if (!writes) {
        bool many = phase_of(t->read) == phase_of(key) &&
                    (warp_of(t->read) != warp_of(key) || (t->read_site & MANY_SITES));
        t->read_site = i->site | (many ? MANY_SITES : 0);
        t->read = many ? t->read | key : key;
        t->read = (t->read & ~UINT32_C(31)) | warp_of(key);
        return;
    }
    bool read = phase_of(t->read) == phase_of(key) && (bytes_of(t->read) & bytes_of(key));
    if (read && (warp_of(t->read) != warp_of(key) || (t->read_site & MANY_SITES)))
        report(vm, w, i, true, t->read, t->read_site, false);
    if (atomic) {
        t->atomic = key;
        t->atomic_site = i->site;
    } else {
        t->write = key;
        t->write_site = i->site;
    }
}

static bool is_atomic(const bw_op_info *op)
{
    return op->kind == BW_KIND_ATOMIC || op->kind == BW_KIND_CAS || op->kind == BW_KIND_COUNT ||
           op->kind == BW_KIND_CAS_LOOP || op->kind == BW_KIND_SWAP;
}

static bool is_lock(const bw_op_info *op)
{
    return op->kind == BW_KIND_CAS || op->atomic == BW_AT_EXCH;
}

void bw_races_see(bw_vm *vm, const bw_warp *w, const bw_ins *i, const bw_request *request)
{
    bw_races *r = vm->races;
    const bw_op_info *op = bw_op_get(request->op);
    uint32_t phase = current_phase(r, w);
    bool atomic = is_atomic(op);
    if (atomic && is_lock(op))
        r->paused = phase;
    if (++r->checked > r->most)
        r->looks = false;
    vm->racing = r->looks && r->paused != phase;
    if (!vm->racing || bw_vm_site(vm, i)->is_volatile || bw_vm_site(vm, i)->raced)
        return;
    bool writes = op->writes || atomic;
    uint32_t words = op->bytes <= 4 ? 1 : op->bytes / 4, lanes = bw_request_lanes(request);
    uint32_t whole = phase << PHASE_SHIFT | w->index;
    uint32_t bytes = op->bytes >= 4 ? 15 : (1u << op->bytes) - 1;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t at = request->addr[bw_lowest_lane(lanes)];
        uint32_t key = whole | (bytes << (at & 3) & 15) << BYTES_SHIFT;
        for (uint32_t k = 0; k < words && at / 4 + k < r->count; k++)
            see_word(vm, w, i, &r->words[at / 4 + k], key, writes, atomic);
    }
}
