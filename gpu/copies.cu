/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * probe copies: random asynchronous copies through L1, for a profiler's counter of wavefronts.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "copies.h"

#include "card_private.h"
#include "corners.h"
#include "harness.cuh"
#include "probe.h"

/* A launch as the kernel takes it, in constant memory, so that reading it touches neither L1 nor
 * shared memory. */
typedef struct launch {
    const char *source;
    uint32_t count;
    uint32_t delay; /* cycles between two copies, and more */
    struct {
        uint32_t active, zero;
        uint32_t to[BW_LANES]; /* bytes from the start of either memory */
        uint64_t from[BW_LANES];
    } copy[BW_COPIES_MOST];
} launch;

template <int Bytes> static __device__ __forceinline__ void copy_all(const launch &l)
{
    const unsigned lane = threadIdx.x;
#pragma unroll 1
    for (unsigned k = 0; k < l.count; k++) {
        const unsigned to = bw_base() + l.copy[k].to[lane];
        const char *from = l.source + l.copy[k].from[lane];
        const unsigned size = l.copy[k].zero >> lane & 1 ? 0 : Bytes;
        if (l.copy[k].active >> lane & 1)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from),
                         "n"(Bytes), "r"(size)
                         : "memory");
#endif
        __syncwarp();
        for (const unsigned since = bw_clock(); bw_clock() - since < l.delay;)
            ;
    }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#define KERNEL(BYTES)                                                                              \
    extern "C" __global__ void __launch_bounds__(32)                                               \
        bw_probe_copies_##BYTES(const __grid_constant__ launch l)                                  \
    {                                                                                              \
        copy_all<BYTES>(l);                                                                        \
    }
KERNEL(4)
KERNEL(8)
KERNEL(16)

static const void *kernel_of(unsigned bytes)
{
    return bytes == 4   ? (const void *)bw_probe_copies_4
           : bytes == 8 ? (const void *)bw_probe_copies_8
                        : (const void *)bw_probe_copies_16;
}

static bool run(bw_card *card, const char *source, unsigned delay, const bw_copies *copies)
{
    launch l = {};
    void *arguments[] = {&l};
    l.source = source;
    l.count = (uint32_t)copies->count;
    l.delay = delay;
    for (size_t k = 0; k < copies->count; k++) {
        l.copy[k].active = copies->copy[k].active;
        l.copy[k].zero = copies->copy[k].zero;
        for (unsigned lane = 0; lane < BW_LANES; lane++) {
            l.copy[k].to[lane] = copies->copy[k].to[lane];
            l.copy[k].from[lane] = copies->copy[k].from[lane] - (uintptr_t)source;
        }
    }
    return bw_card_ok(card,
                      cudaLaunchKernel(kernel_of(copies->copy[0].bytes), dim3(1), dim3(BW_LANES),
                                       arguments, BW_COPIES_SHARED, 0),
                      "copying") &&
           bw_card_ok(card, cudaDeviceSynchronize(), "copying");
}

/* `count` copies whose cost is known: one lane each, from a line of its own. They tell what a
 * launch and an instruction count besides. */
static void plain(bw_copies *copies, unsigned bytes, size_t count, uint64_t source)
{
    *copies = {};
    copies->count = count;
    copies->wavefronts = (unsigned)count;
    copies->tag_passes = 1;
    for (size_t k = 0; k < count; k++) {
        copies->copy[k].bytes = bytes;
        copies->copy[k].active = 1;
        for (unsigned lane = 0; lane < BW_LANES; lane++)
            copies->copy[k].from[lane] = source + k * 128;
    }
}

/* Says what a launch is and what the law says of it. `setting` is what it varies. */
static void say(FILE *out, const char *kind, uint64_t number, unsigned setting,
                const bw_copies *copies)
{
    fprintf(out, "%s,%llu,%u,%u,%zu,%u,%u,%d\n", kind, (unsigned long long)number, setting,
            copies->copy[0].bytes, copies->count, copies->wavefronts, copies->tag_passes,
            copies->open);
}

static bool once(bw_card *card, FILE *out, const char *source, const char *kind, uint64_t number,
                 unsigned delay, const bw_copies *copies)
{
    say(out, kind, number, delay, copies);
    return run(card, source, delay, copies);
}

/* Two copies that share lines, at several distances in time; and with many tag passes. */
static bool pairs(bw_card *card, FILE *out, const char *source, uint64_t seed, bw_copies *copies)
{
    static const unsigned delays[] = {0, 50, 100, 200, 400, 700, 1000, 2000};
    bool ok = true;
    for (uint64_t number = 0; ok && number < BW_COPIES_PAIRS; number++)
        for (unsigned delay : delays) {
            bw_copies_make_pair(seed, number, (uintptr_t)source, false, copies);
            ok = ok && once(card, out, source, "pair", number, delay, copies);
        }
    for (uint64_t number = 0; ok && number < BW_COPIES_SCATTERED; number++) {
        bw_copies_make_pair(seed, number, (uintptr_t)source, true, copies);
        ok = once(card, out, source, "scattered", number, BW_COPIES_DELAY, copies);
    }
    return ok;
}

/* Hits, misses and zeros in one request. */
static bool mixed(bw_card *card, FILE *out, const char *source, uint64_t seed, uint64_t count,
                  bw_copies *copies)
{
    bool ok = true;
    for (uint64_t number = 0; ok && number < count; number++) {
        bw_corner_mixed(seed, number, (uintptr_t)source, copies);
        say(out, "mixed", number, 0, copies);
        ok = run(card, source, BW_COPIES_DELAY, copies);
    }
    return ok;
}

/* How much L1 keeps, by how much of its memory, in percent, is asked for as shared memory. */
static bool evicted(bw_card *card, FILE *out, const char *source, bw_copies *copies)
{
    static const int shares[] = {0, 50, 100};
    bool ok = true;
    for (int share : shares) {
        const void *kernel = kernel_of(4);
        const cudaFuncAttribute division = cudaFuncAttributePreferredSharedMemoryCarveout;
        ok = ok && bw_card_ok(card, cudaFuncSetAttribute(kernel, division, share), "dividing L1");
        for (unsigned filled = 1; ok && filled < BW_COPIES_MOST; filled++) {
            bw_corner_evicted(filled, (uintptr_t)source, copies);
            say(out, "evicted", filled, (unsigned)share, copies);
            ok = run(card, source, BW_COPIES_DELAY, copies);
        }
        ok = ok && bw_card_ok(card, cudaFuncSetAttribute(kernel, division, -1), "dividing L1");
    }
    return ok;
}

/* Which bits of an address choose the set: the setting is 4 times the bit, and the change. */
static bool bits(bw_card *card, FILE *out, bw_copies *copies)
{
    char *source = NULL;
    bool ok = bw_card_ok(card, cudaMalloc((void **)&source, BW_CORNER_SOURCE), "taking memory");
    fprintf(out, "# bits: 0x%llx\n", (unsigned long long)(uintptr_t)source);
    for (unsigned bit = BW_CORNER_FIRST_BIT; ok && bit <= BW_CORNER_LAST_BIT; bit++)
        for (unsigned change = 0; change < 4; change++)
            for (uint64_t number = 0, found = 0; ok && found < 2 && number < 64; number++)
                if (bw_corner_bit(bit, change, number, (uintptr_t)source, copies)) {
                    found++;
                    say(out, "bit", number, 4 * bit + change, copies);
                    ok = run(card, source, BW_COPIES_DELAY, copies);
                }
    cudaFree(source);
    return ok;
}

bool bw_probe_corners(bw_card *card, FILE *out, uint64_t seed, uint64_t count)
{
    char *source = NULL;
    static bw_copies copies;
    bool ok = bw_card_ok(card, cudaMalloc((void **)&source, BW_COPIES_SOURCE), "taking memory") &&
              bw_card_ok(card, cudaMemset(source, 1, BW_COPIES_SOURCE), "filling memory");
    fprintf(out, "# source: 0x%llx\n", (unsigned long long)(uintptr_t)source);
    fprintf(out, "# seed: %llu\n", (unsigned long long)seed);
    fputs("kind,number,setting,bytes,copies,wavefronts,tag_passes,open\n", out);
    ok = ok && mixed(card, out, source, seed, count, &copies) &&
         evicted(card, out, source, &copies) && bits(card, out, &copies);
    cudaFree(source);
    return ok;
}

bool bw_probe_copies(bw_card *card, FILE *out, uint64_t seed, uint64_t count)
{
    char *source = NULL;
    static bw_copies copies;
    uint64_t done = 0;
    bool ok = bw_card_ok(card, cudaMalloc((void **)&source, BW_COPIES_SOURCE), "taking memory") &&
              bw_card_ok(card, cudaMemset(source, 1, BW_COPIES_SOURCE), "filling memory");
    fprintf(out, "# source: 0x%llx\n", (unsigned long long)(uintptr_t)source);
    fprintf(out, "# seed: %llu\n", (unsigned long long)seed);
    fputs("kind,number,delay,bytes,copies,wavefronts,tag_passes,open\n", out);
    for (unsigned bytes = 4; ok && bytes <= 16; bytes *= 2)
        for (size_t n = 1; ok && n <= BW_COPIES_MOST; n += BW_COPIES_MOST - 1) {
            plain(&copies, bytes, n, (uintptr_t)source);
            ok = once(card, out, source, "plain", n, 0, &copies);
        }
    for (uint64_t number = 0; ok && done < count; number++) {
        bw_copies_make(seed, number, (uintptr_t)source, &copies);
        ok = once(card, out, source, "random", number, BW_COPIES_DELAY, &copies);
        done += copies.count;
    }
    ok = ok && pairs(card, out, source, seed, &copies);
    cudaFree(source);
    return ok;
}
