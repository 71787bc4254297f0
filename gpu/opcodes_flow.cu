/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opcodes: ways that lanes part and meet again. Every loop is bounded.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "opcodes.cuh"

#define ALL 0xffffffffu

/* What each kernel begins with. */
#define OPERANDS                                                                                   \
    const uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t;                               \
    [[maybe_unused]] const uint32_t a = pa[i], b = pb[i], c = pc[i]

#define KERNEL(NAME, THREADS)                                                                      \
    extern "C" __global__ void __launch_bounds__(THREADS)                                          \
        op_##NAME(const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, uint32_t *out)

/* Nested loops with break, continue and an early return; shared memory in all of them. */
enum { LOOP_SLOTS = 2 };
KERNEL(loops, 128)
{
    __shared__ uint32_t s[1024];
    OPERANDS;
    for (uint32_t k = t; k < 1024; k += 128)
        s[k] = a * (k | 1) + (b >> (k & 7));
    __syncthreads();
    uint32_t r = 0, turns = 0;
    for (uint32_t j = 0; j < (a & 31); j++) {
        turns++;
        if (a >> j & 1) {
            r += s[t * j & 1023];
            if (r % 7 == 3)
                break;
        } else {
            if (j & 1)
                continue;
            r ^= s[(t + j * 33) & 1023];
        }
        for (uint32_t k = b >> 28; k; k--) {
            r += s[(r + k) & 1023];
            if ((r & 31) == 9)
                goto out_of_both;
            if ((r & 3) == 1)
                continue;
            r ^= k << 4;
            turns += 256;
        }
    }
out_of_both:
    out[i * LOOP_SLOTS + 1] = turns;
    if (a >> 9 & 1) {
        uint32_t q = c & 15;
        for (uint32_t k = 0; k < 12; k++) {
            r += s[q * t & 1023];
            q = q * 5 % 13 % 9 + k;
            if (q == 7) {
                out[i * LOOP_SLOTS] = r;
                return;
            }
        }
    }
    out[i * LOOP_SLOTS] = r + (uint32_t)__popc(s[r & 1023]);
}

/* A dense switch, with cases that fall through and one that leaves the loop. */
enum { SWITCH_SLOTS = 2 };
KERNEL(switches, 128)
{
    __shared__ uint32_t s[1024];
    OPERANDS;
    for (uint32_t k = t; k < 1024; k += 128)
        s[k] = c * (k | 1) ^ b;
    __syncthreads();
    uint32_t r = a;
    uint32_t turn = 0;
    for (; turn < 6; turn++) {
        switch ((b >> (5 * turn)) & 15) {
        case 0: r += s[a & 511]; break;
        case 1: r += s[(a >> 7) & 1023] * 3; break;
        case 2: r ^= s[t ^ 1]; break;
        case 3: r -= s[(t * 5) & 1023]; break;
        case 4: r += s[t >> 1]; break;
        case 5: r += 1; /* falls through */
        case 6: r *= s[(t * 17) & 1023] | 1; break;
        case 7: r = r << 3 | r >> 29; break;
        case 8: r += s[r & 1023]; /* falls through */
        case 9: r ^= s[(r >> 10) & 1023]; break;
        case 10: r = ~r; break;
        case 11: r = s[(t + turn) & 1023] - r; break;
        case 12: goto done;
        case 13: r = r / 3 + s[t]; break;
        default: r += turn; break;
        }
    }
done:
    out[i * SWITCH_SLOTS] = r;
    out[i * SWITCH_SLOTS + 1] = turn;
}

/* Functions that are called, one from within another, one from itself. */
static __device__ __noinline__ uint32_t mixed(uint32_t x, const uint32_t *s)
{
    if (x & 1)
        return x * 5 + s[x & 127];
    return (x >> 3) ^ s[(x >> 7) & 127];
}

static __device__ __noinline__ uint32_t twice(uint32_t x, uint32_t y, const uint32_t *s)
{
    uint32_t r = mixed(x, s);
    for (uint32_t k = 0; k < (y & 3); k++)
        r += mixed(r ^ k, s);
    return r;
}

static __device__ __noinline__ uint32_t deep(uint32_t x, int left, const uint32_t *s)
{
    if (left == 0 || (x & 7) == 5)
        return s[x & 127] + (uint32_t)left;
    const uint32_t inner = deep(x >> 1 ^ s[(x >> 9) & 127], left - 1, s);
    return inner * 3 + x;
}

enum { CALL_SLOTS = 3 };
KERNEL(calls, 128)
{
    __shared__ uint32_t s[128];
    OPERANDS;
    s[t] = c;
    __syncthreads();
    out[i * CALL_SLOTS] = twice(a, b, s);
    out[i * CALL_SLOTS + 1] = b & 1 ? deep(a, (int)(b >> 29), s) : 11;
    uint32_t (*const either)(uint32_t, const uint32_t *) = mixed;
    out[i * CALL_SLOTS + 2] = c & 4 ? twice(b, c, s) - either(c, s) : mixed(b, s);
}

/* Barriers of the block: counts, votes, and a last warp that is not whole. */
enum { BARRIER_SLOTS = 4 };
KERNEL(barriers, 104)
{
    __shared__ uint32_t s[104];
    OPERANDS;
    uint32_t *to = out + i * BARRIER_SLOTS;
    to[0] = (uint32_t)__syncthreads_count(a & 1);
    to[1] = (uint32_t)__syncthreads_or((b & 255) == 3) * 2 + (uint32_t)__syncthreads_and(c != 0);
    s[t] = a;
    __syncthreads();
    uint32_t r = 0;
    for (uint32_t k = 0; k < 3; k++) {
        r += s[(t + 1 + k * 32) % 104];
        __syncthreads();
        s[t] ^= r;
        __syncthreads();
    }
    to[2] = r;
    /* Two warps hand something to a third through a barrier of their own. */
    if (t < 64) {
        s[t] = r + 1;
        asm volatile("bar.arrive 1, 96;" ::: "memory");
        to[3] = 1;
    } else if (t < 96) {
        asm volatile("bar.sync 1, 96;" ::: "memory");
        to[3] = s[t - 64] + s[t - 41];
    } else {
        to[3] = r;
    }
}

/* Subsets of a warp that meet at __syncwarp, and a last warp of 8 lanes. */
enum { MEETING_SLOTS = 3 };
KERNEL(meetings, 40)
{
    __shared__ uint32_t s[2][64];
    OPERANDS;
    const uint32_t lane = t & 31, warp = t >> 5, whole = warp ? 0xff : ALL;
    uint32_t *mine = s[warp], r = 0;
    for (uint32_t k = lane; k < 64; k += warp ? 8 : 32)
        mine[k] = k * 0x01010101;
    __syncwarp(whole);
    mine[lane] = a;
    mine[lane + 32] = b;
    __syncwarp(whole);
    const uint32_t group = __ballot_sync(whole, a & 8);
    if (a & 8) {
        r = mine[(lane * 3) & 31];
        __syncwarp(group);
        mine[lane] = r + 1;
        __syncwarp(group);
        r += mine[31 - __clz((int)group)];
        if (b & 1)
            r = r * 3 + mine[__ffs((int)group) - 1];
        __syncwarp(group);
    } else {
        for (uint32_t k = 0; k < (b & 3); k++)
            r += mine[32 + ((lane + k) & 31)];
        __syncwarp(whole & ~group);
        r ^= (uint32_t)__popc(__ballot_sync(whole & ~group, r & 1));
    }
    __syncwarp(whole);
    out[i * MEETING_SLOTS] = r;
    /* Some leave for good; those that stay go on together. */
    const uint32_t stay = __ballot_sync(whole, (c & 3) != 1);
    if ((c & 3) == 1) {
        out[i * MEETING_SLOTS + 1] = 1;
        out[i * MEETING_SLOTS + 2] = stay;
        return;
    }
    out[i * MEETING_SLOTS + 1] = mine[__ffs((int)stay) - 1] + __ballot_sync(stay, b & 2);
    __syncwarp(stay);
    out[i * MEETING_SLOTS + 2] = __shfl_sync(stay, r, 31 - __clz((int)stay)) ^ mine[lane];
}

/* One after the other: lanes take turns by value, as a lock or a queue would make them. */
enum { TURN_SLOTS = 3 };
KERNEL(turns, 64)
{
    __shared__ uint32_t s[2][32];
    OPERANDS;
    uint32_t *mine = s[t >> 5], rounds = 0, r = 0;
    mine[t & 31] = c & 0xff;
    __syncwarp();
    bool waiting = true;
    for (uint32_t k = 0; k < 32 && waiting; k++) {
        const uint32_t here = __activemask(), first = (uint32_t)__ffs((int)here) - 1;
        rounds++;
        if (__shfl_sync(here, a & 3, (int)first) == (a & 3)) {
            r = mine[(b + k) & 31];
            waiting = false;
        }
    }
    __syncwarp();
    mine[t & 31] = r;
    __syncwarp();
    out[i * TURN_SLOTS] = rounds;
    out[i * TURN_SLOTS + 1] = r;
    uint32_t x = a % 1000 + 1,
             steps = 0; /* Collatz, so that each lane leaves at a time of its own */
    while (x != 1 && steps < 60) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    }
    out[i * TURN_SLOTS + 2] = steps ^ mine[steps & 31] << 8;
}

/* What programs do: a histogram with a scan, and a sort. */
enum { PROGRAM_SLOTS = 3 };
KERNEL(programs, 128)
{
    __shared__ uint32_t count[64], sorted[128], keys[128];
    OPERANDS;
    if (t < 64)
        count[t] = 0;
    keys[t] = a ^ b << 5;
    __syncthreads();
    atomicAdd(&count[keys[t] >> 26], 1);
    __syncthreads();
    if (t < 32) {
        uint32_t low = count[2 * t], both = low + count[2 * t + 1], sum = both;
        for (uint32_t step = 1; step < 32; step *= 2) {
            const uint32_t before = __shfl_up_sync(ALL, sum, step);
            if (t >= step)
                sum += before;
        }
        count[2 * t] = sum - both;
        count[2 * t + 1] = sum - both + low;
    }
    __syncthreads();
    out[i * PROGRAM_SLOTS] = count[t & 63];
    sorted[t] = keys[t];
    __syncthreads();
    for (uint32_t size = 2; size <= 128; size *= 2)
        for (uint32_t step = size / 2; step; step /= 2) {
            const uint32_t other = t ^ step;
            if (other > t) {
                const uint32_t x = sorted[t], y = sorted[other];
                if ((x > y) == ((t & size) == 0)) {
                    sorted[t] = y;
                    sorted[other] = x;
                }
            }
            __syncthreads();
        }
    out[i * PROGRAM_SLOTS + 1] = sorted[t];
    /* A binary search, whose lanes go different ways. */
    uint32_t low = 0, high = 128;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (sorted[middle] < c)
            low = middle + 1;
        else
            high = middle;
    }
    out[i * PROGRAM_SLOTS + 2] = low;
}

static const char *const bw_slots_unnamed[4] = {};

#define ROW(NAME, GRID, BLOCK, SLOTS)                                                              \
    {                                                                                              \
#NAME, (const void *)op_##NAME, BW_OPERANDS_32, GRID, BLOCK, 75, SLOTS, bw_slots_unnamed   \
    }
const bw_opcodes bw_opcodes_flow[] = {
    ROW(loops, 16, 128, LOOP_SLOTS),       ROW(switches, 16, 128, SWITCH_SLOTS),
    ROW(calls, 16, 128, CALL_SLOTS),       ROW(barriers, 16, 104, BARRIER_SLOTS),
    ROW(meetings, 64, 40, MEETING_SLOTS),  ROW(turns, 32, 64, TURN_SLOTS),
    ROW(programs, 16, 128, PROGRAM_SLOTS),
};
const unsigned bw_opcodes_flow_count = sizeof bw_opcodes_flow / sizeof *bw_opcodes_flow;
