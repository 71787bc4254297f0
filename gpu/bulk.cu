/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * probe bulk: what tensor copies count as, by swizzle mode, and whether the bulk copy engine holds
 * up loads of shared memory.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <cuda.h>

#include "card_private.h"
#include "harness.cuh"
#include "probe.h"

#define ROWS 64u   /* of a tensor copy */
#define COPIES 64u /* tensor copies of a launch */
#define MEMORY (UINT64_C(1) << 22)

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
static __device__ __forceinline__ void arm(unsigned barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

static __device__ __forceinline__ void wait_for(unsigned barrier, unsigned phase)
{
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;"
                 " @!p bra again; }" ::"r"(barrier),
                 "r"(phase)
                 : "memory");
}

static __device__ __forceinline__ void start_barrier(unsigned barrier)
{
    asm volatile(
        "mbarrier.init.shared.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(barrier)
        : "memory");
}

static __device__ __forceinline__ void wait_for_outgoing(void)
{
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}
#endif

/* -- tensor copies ----------------------------------------------------------------------------- */

/* One thread moves a box COPIES times, into shared memory or out of it. */
template <bool Out>
static __global__ void __launch_bounds__(32)
    bw_probe_tensor(const __grid_constant__ CUtensorMap map, unsigned bytes)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    const unsigned data = bw_base(), barrier = data + 16384;
    if (threadIdx.x)
        return;
    start_barrier(barrier);
#pragma unroll 1
    for (unsigned i = 0; i < COPIES; i++)
        if (Out) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}],"
                         " [%3];" ::"l"(&map),
                         "r"(0), "r"(0), "r"(data)
                         : "memory");
            wait_for_outgoing();
        } else {
            arm(barrier, bytes);
            asm volatile(
                "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                " [%0], [%1, {%2, %3}], [%4];" ::"r"(data),
                "l"(&map), "r"(0), "r"(0), "r"(barrier)
                : "memory");
            wait_for(barrier, i & 1);
        }
#endif
}

typedef CUresult (*encoder)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                            const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                            const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static encoder find_encoder(void)
{
    void *found = NULL;
    cudaDriverEntryPointQueryResult result;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                         &result) != cudaSuccess ||
        result != cudaDriverEntryPointSuccess)
        return NULL;
    return (encoder)found;
}

static const struct {
    const char *name;
    CUtensorMapSwizzle mode;
    unsigned bytes; /* of a row of the box */
} modes[] = {
    {"none", CU_TENSOR_MAP_SWIZZLE_NONE, 128}, {"none", CU_TENSOR_MAP_SWIZZLE_NONE, 16},
    {"32B", CU_TENSOR_MAP_SWIZZLE_32B, 32},    {"64B", CU_TENSOR_MAP_SWIZZLE_64B, 64},
    {"128B", CU_TENSOR_MAP_SWIZZLE_128B, 128}, {"128B", CU_TENSOR_MAP_SWIZZLE_128B, 64},
};

static bool tensors(bw_card *card, FILE *out, char *memory)
{
    const encoder encode = find_encoder();
    bool ok = true;
    if (!encode)
        fputs("# this driver encodes no tensor maps\n", out);
    for (const auto &mode : modes)
        for (int outward = 0; encode && ok && outward < 2; outward++) {
            CUtensorMap map;
            const cuuint64_t sizes[] = {256, 1024}, strides[] = {1024};
            const cuuint32_t box[] = {mode.bytes / 4, ROWS}, steps[] = {1, 1};
            if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, memory, sizes, strides, box, steps,
                       CU_TENSOR_MAP_INTERLEAVE_NONE, mode.mode, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                       CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
                return bw_card_ok(card, cudaErrorInvalidValue, "encoding a tensor map");
            fprintf(out, "tensor %s,%s,%u,%u,\n", outward ? "out" : "in", mode.name, mode.bytes,
                    COPIES * ROWS * mode.bytes);
            if (outward)
                bw_probe_tensor<true><<<1, 32, 16384 + 64>>>(map, ROWS * mode.bytes);
            else
                bw_probe_tensor<false><<<1, 32, 16384 + 64>>>(map, ROWS * mode.bytes);
            ok = bw_card_ok(card, cudaDeviceSynchronize(), "tensor copies");
        }
    return ok;
}

/* -- loads beside bulk copies ------------------------------------------------------------------ */

#define LOADERS 16u /* warps that load */
#define LOADS 4096u /* by each */
#define CHUNK 8192u /* bytes of a bulk copy */
#define AHEAD 4u    /* copies on their way */

enum { BESIDE_NOTHING, BESIDE_IN, BESIDE_OUT };

typedef struct beside_times {
    unsigned start[LOADERS], stop[LOADERS], copies;
} beside_times;

/* LOADERS warps load with `ways` lanes on a bank; one more moves CHUNK bytes at a time until they
 * have done. */
template <int Beside>
static __global__ void __launch_bounds__(LOADERS * 32 + 32)
    bw_probe_beside(unsigned ways, char *memory, beside_times *times)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    const unsigned base = bw_base(), warp = threadIdx.x / BW_LANES, lane = threadIdx.x % BW_LANES;
    const unsigned barrier = base + 81920, done = base + 81984;
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < AHEAD; i++)
            start_barrier(barrier + 8 * i);
        asm volatile("st.shared.u32 [%0], 0;" ::"r"(done) : "memory");
    }
    __syncthreads();
    if (warp < LOADERS) {
        const unsigned from = base + 32768 + lane % ways * 128 + lane / ways * 4;
        const unsigned start = bw_clock();
        unsigned sum = 0;
#pragma unroll 1
        for (unsigned i = 0; i < LOADS; i += 64)
#pragma unroll
            for (unsigned k = 0; k < 64; k++)
                sum |= bw_load(from);
        bw_await(sum);
        times->stop[warp] = bw_clock();
        times->start[warp] = start;
        if (lane == 0)
            asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(done) : "memory");
    } else if (lane == 0 && Beside != BESIDE_NOTHING) {
        unsigned count = 0;
        for (; bw_load(done) < LOADERS; count++) {
            const unsigned at = count % AHEAD, data = base + at * CHUNK, mine = barrier + 8 * at;
            if (Beside == BESIDE_IN) {
                if (count >= AHEAD)
                    wait_for(mine, count / AHEAD - 1 & 1);
                arm(mine, CHUNK);
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                             " [%0], [%1], %2, [%3];" ::"r"(data),
                             "l"(memory + at * CHUNK), "r"(CHUNK), "r"(mine)
                             : "memory");
            } else {
                asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                             "cp.async.bulk.commit_group;\n"
                             "cp.async.bulk.wait_group 3;" ::"l"(memory + at * CHUNK),
                             "r"(data), "r"(CHUNK)
                             : "memory");
            }
        }
        times->copies = count;
        wait_for_outgoing();
        if (Beside == BESIDE_IN)
            for (unsigned i = 0; i < AHEAD && i < count; i++) {
                const unsigned last = count - 1 - i;
                wait_for(barrier + 8 * (last % AHEAD), last / AHEAD & 1);
            }
    }
#endif
}

static bool beside_once(bw_card *card, FILE *out, int beside, unsigned ways, char *memory,
                        beside_times *times)
{
    static const char *const names[] = {"nothing", "in", "out"};
    static void (*const kernels[])(unsigned, char *, beside_times *) = {
        bw_probe_beside<BESIDE_NOTHING>, bw_probe_beside<BESIDE_IN>, bw_probe_beside<BESIDE_OUT>};
    const size_t shared = 81920 + 128;
    times->copies = 0;
    if (!bw_card_ok(card,
                    cudaFuncSetAttribute((const void *)kernels[beside],
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared),
                    "taking shared memory"))
        return false;
    kernels[beside]<<<1, LOADERS * 32 + 32, shared>>>(ways, memory, times);
    if (!bw_card_ok(card, cudaDeviceSynchronize(), "loads beside bulk copies"))
        return false;
    int first = 0, last = 0;
    for (unsigned w = 0; w < LOADERS; w++) {
        const int start = (int)(times->start[w] - times->start[0]),
                  stop = (int)(times->stop[w] - times->start[0]);
        first = start < first ? start : first;
        last = stop > last ? stop : last;
    }
    fprintf(out, "loads beside %s,%u ways,%u,%llu,%.3f\n", names[beside], ways, CHUNK,
            (unsigned long long)times->copies * CHUNK, (double)(last - first) / (LOADERS * LOADS));
    return true;
}

bool bw_probe_bulk(bw_card *card, FILE *out)
{
    char *memory = NULL;
    beside_times *times = NULL;
    bool ok = card->facts.cc >= 90;
    fputs("what,setting,row,bytes,cycles\n", out);
    if (!ok) {
        fputs("# bulk copies need sm_90 or later\n", out);
        return true;
    }
    ok = bw_card_ok(card, cudaMalloc((void **)&memory, MEMORY), "taking memory") &&
         bw_card_ok(card, cudaMemset(memory, 1, MEMORY), "filling memory") &&
         bw_card_ok(card, cudaMallocHost((void **)&times, sizeof *times), "taking memory") &&
         tensors(card, out, memory);
    for (unsigned ways = 1; ok && ways <= 8; ways *= 2)
        for (int beside = 0; ok && beside < 3; beside++)
            for (int repeat = 0; ok && repeat < 3; repeat++)
                ok = beside_once(card, out, beside, ways, memory, times);
    cudaFreeHost(times);
    cudaFree(memory);
    return ok;
}
