/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order of blocks and of the turns of warps, with made-up warps.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <check.h>
#include <stdlib.h>

#include "block.h"
#include "tap.h"

#define WARPS 3
#define NONE UINT32_MAX

/* Warps that follow a script of barriers: a number is a barrier to wait at, 0 ends. */
typedef struct troop {
    bw_turn turns[WARPS];
    const uint32_t *script[WARPS];
    uint32_t order[32]; /* who had its turn */
    unsigned count, stop_after;
    uint32_t waiting, other; /* of `apart` */
    bool left[WARPS];
} troop;

static bw_turn *turn_of(void *context, uint32_t warp)
{
    return &((troop *)context)->turns[warp];
}

static bool has_ended(void *context)
{
    const troop *t = context;
    return t->stop_after && t->count >= t->stop_after;
}

static void run_turn(void *context, uint32_t warp)
{
    troop *t = context;
    if (t->turns[warp].state != BW_WARP_READY)
        return;
    t->order[t->count++] = warp;
    uint32_t next = *t->script[warp]++;
    t->turns[warp] = next ? (bw_turn){.state = BW_WARP_WAITS, .barrier = next}
                          : (bw_turn){.state = BW_WARP_DONE, .left = t->left[warp]};
}

static void apart(void *context, uint32_t waiting, uint32_t other)
{
    troop *t = context;
    t->waiting = waiting;
    t->other = other;
}

static bool go(troop *t, const uint32_t *a, const uint32_t *b, const uint32_t *c)
{
    t->script[0] = a, t->script[1] = b, t->script[2] = c;
    t->waiting = t->other = NONE;
    return bw_turns_run(&(bw_turns){t, WARPS, turn_of, run_turn, has_ended, apart});
}

START_TEST(test_turns)
{
    troop t = {.count = 0};
    const uint32_t script[] = {5, 6, 0};
    ck_assert(go(&t, script, script, script));
    ck_assert_uint_eq(t.count, 9);
    for (unsigned k = 0; k < t.count; k++)
        ck_assert_uint_eq(t.order[k], k % WARPS);
}
END_TEST

START_TEST(test_apart)
{
    troop t = {.count = 0}, u = {.count = 0};
    const uint32_t five[] = {5, 0}, six[] = {6, 0}, none[] = {0};
    ck_assert(!go(&t, none, five, six)); /* warp 0 is done but some of its threads are held */
    ck_assert_uint_eq(t.waiting, 1);
    ck_assert_uint_eq(t.other, 0);
    u.left[0] = true;
    ck_assert(!go(&u, none, five, six));
    ck_assert_uint_eq(u.waiting, 1);
    ck_assert_uint_eq(u.other, 2);
}
END_TEST

START_TEST(test_left)
{
    troop t = {.left = {true}};
    const uint32_t five[] = {5, 0}, none[] = {0};
    ck_assert(go(&t, none, five, five));
    ck_assert_uint_eq(t.count, 5);
    ck_assert_uint_eq(t.waiting, NONE);
}
END_TEST

START_TEST(test_end)
{
    troop t = {.stop_after = 2};
    const uint32_t five[] = {5, 0};
    ck_assert(!go(&t, five, five, five));
    ck_assert_uint_eq(t.count, 2);
}
END_TEST

typedef struct walked {
    uint64_t blocks, copies, limit;
} walked;

static bool each(void *context, uint64_t block, uint64_t copies)
{
    walked *w = context;
    ck_assert_uint_eq(block, w->blocks);
    w->blocks++;
    w->copies += copies;
    return w->blocks != w->limit;
}

START_TEST(test_shape)
{
    const bw_shape shape = {{33, 2, 1}, {3, 2, 2}};
    uint32_t index[3];
    ck_assert_uint_eq(bw_shape_blocks(&shape), 12);
    ck_assert_uint_eq(bw_shape_warps(&shape), 3);
    ck_assert_uint_eq(bw_shape_lanes(&shape, 1), UINT32_MAX);
    ck_assert_uint_eq(bw_shape_lanes(&shape, 2), 3);
    bw_shape_place(&shape, 10, index);
    ck_assert_uint_eq(index[0], 1);
    ck_assert_uint_eq(index[1], 1);
    ck_assert_uint_eq(index[2], 1);
    walked all = {0}, alike = {0}, some = {.limit = 4};
    bw_shape_run(&shape, false, each, &all);
    ck_assert_uint_eq(all.blocks, 12);
    ck_assert_uint_eq(all.copies, 12);
    bw_shape_run(&shape, true, each, &alike);
    ck_assert_uint_eq(alike.blocks, 1);
    ck_assert_uint_eq(alike.copies, 12);
    bw_shape_run(&shape, false, each, &some);
    ck_assert_uint_eq(some.blocks, 4);
}
END_TEST

typedef struct drawn {
    uint64_t count, next, copies, seen; /* seen: a bit a block */
} drawn;

static bool draw(void *context, uint64_t block, uint64_t copies)
{
    drawn *d = context;
    ck_assert_uint_ge(block, d->next); /* in its own part of the grid */
    ck_assert_uint_lt(block, d->next + copies);
    d->next += copies;
    d->count++;
    d->copies += copies;
    d->seen |= UINT64_C(1) << block;
    return true;
}

START_TEST(test_sample)
{
    const bw_shape shape = {{32, 1, 1}, {3, 2, 2}};
    uint64_t seen = 0, again = 0;
    for (uint64_t parts = 1; parts <= 12; parts++) {
        for (uint64_t seed = 0; seed < 100; seed++) {
            drawn d = {0};
            bw_shape_run_sample(&shape, parts, seed, draw, &d);
            ck_assert_uint_eq(d.count, parts);
            ck_assert_uint_eq(d.copies, 12); /* together they stand for all */
            seen |= parts == 5 ? d.seen : 0;
            again |= parts == 12 ? ~d.seen & 0xfff : 0;
        }
    }
    ck_assert_uint_eq(seen, 0xfff); /* each block is drawn by some seed */
    ck_assert_uint_eq(again, 0);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("block");
    tcase_add_test(tc, test_turns);
    tcase_add_test(tc, test_apart);
    tcase_add_test(tc, test_left);
    tcase_add_test(tc, test_end);
    tcase_add_test(tc, test_shape);
    tcase_add_test(tc, test_sample);
    return tap_run(tc);
}
