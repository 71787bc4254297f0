/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * probes about what shares the pipe: warps that meet at one address, instructions that no rule
 * prices, and time against the share of the pipe.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <cuda_fp16.h>

#include "card_private.h"
#include "harness.cuh"
#include "probe.h"

/* -- warps that meet --------------------------------------------------------------------------- */

#define MEETINGS 16u /* operations of each warp */

#define MEETING_LIST(X)                                                                            \
    X(ADD_F32, "atom.add.f32")                                                                     \
    X(ADD_F64, "atom.add.f64")                                                                     \
    X(ADD_U64, "atom.add.u64")                                                                     \
    X(ADD_F16X2, "atom.add.f16x2")                                                                 \
    X(CAS_LOOP, "cas loop")                                                                        \
    X(ADD_U32, "red.add.u32")                                                                      \
    X(INC_U32, "red.inc.u32")
#define ENTRY(id, name) id,
#define NAME(id, name) name,
enum meeting { MEETING_LIST(ENTRY) MEETING_KINDS };
static const char *const meeting_names[] = {MEETING_LIST(NAME)};

template <int Kind> static __device__ __forceinline__ void meet(unsigned char *at, unsigned value)
{
    if (Kind == ADD_F32)
        atomicAdd((float *)at, 1.0f);
    if (Kind == ADD_F64)
        atomicAdd((double *)at, 1.0);
    if (Kind == ADD_U64)
        atomicAdd((unsigned long long *)at, (unsigned long long)value);
    if (Kind == ADD_F16X2)
        atomicAdd((__half2 *)at, __half2half2(__ushort_as_half(0x3c00)));
    if (Kind == ADD_U32)
        atomicAdd((unsigned *)at, value);
    if (Kind == INC_U32)
        atomicAdd((unsigned *)at, 1u);
    if (Kind == CAS_LOOP) {
        unsigned old = *(volatile unsigned *)at, seen;
        do {
            seen = old;
            old = atomicCAS((unsigned *)at, seen, seen + value);
        } while (old != seen);
    }
}

/* Each lane of each warp goes MEETINGS times to place lane % places. */
template <int Kind>
static __global__ void __launch_bounds__(1024)
    bw_probe_meet(unsigned places, unsigned scratch, unsigned one, bw_ticks *ticks)
{
    bw_job job = {};
    job.scratch = scratch;
    bw_clear(job);
    unsigned char *at = bw_shared + threadIdx.x % BW_LANES % places * 8;
    __syncthreads();
    const unsigned start = bw_clock();
#pragma unroll 1
    for (unsigned i = 0; i < MEETINGS; i++)
        meet<Kind>(at, one);
    const unsigned elapsed = bw_elapsed(job, start, bw_clock());
    if (threadIdx.x == 0)
        ticks->pass[0] = elapsed;
}

static void (*const meeting_kernels[])(unsigned, unsigned, unsigned, bw_ticks *) = {
    bw_probe_meet<ADD_F32>,   bw_probe_meet<ADD_F64>,  bw_probe_meet<ADD_U64>,
    bw_probe_meet<ADD_F16X2>, bw_probe_meet<CAS_LOOP>, bw_probe_meet<ADD_U32>,
    bw_probe_meet<INC_U32>};

bool bw_probe_meetings(bw_card *card, FILE *out)
{
    bw_ticks *ticks = NULL;
    const unsigned scratch = 8192;
    bool ok = bw_card_ok(card, cudaMallocHost((void **)&ticks, sizeof *ticks), "taking memory");
    fputs("op,places,warps,repeat,operations,cycles\n", out);
    for (unsigned kind = 0; kind < MEETING_KINDS; kind++)
        for (unsigned places = 1; places <= 32; places *= 2)
            for (unsigned warps = 1; warps <= 32; warps *= 2)
                for (unsigned repeat = 0; ok && repeat < 3; repeat++) {
                    meeting_kernels[kind]<<<1, warps * BW_LANES, scratch + BW_SCRATCH_BYTES>>>(
                        places, scratch, 1, ticks);
                    ok = bw_card_ok(card, cudaDeviceSynchronize(), meeting_names[kind]);
                    fprintf(out, "%s,%u,%u,%u,%u,%u\n", meeting_names[kind], places, warps, repeat,
                            warps * MEETINGS, ticks->pass[0]);
                }
    cudaFreeHost(ticks);
    return ok;
}

/* -- instructions that no rule prices ---------------------------------------------------------- */

#define UNITS 64u /* of each instruction */

#define UNIT_LIST(X)                                                                               \
    X(UNIT_NOTHING, "nothing")                                                                     \
    X(UNIT_ARRIVE, "mbarrier.arrive by one lane")                                                  \
    X(UNIT_ARRIVE_ALL, "mbarrier.arrive by 32 lanes on one barrier")                               \
    X(UNIT_ARRIVE_SPREAD, "mbarrier.arrive by 32 lanes on barriers of their own")                  \
    X(UNIT_TEST, "mbarrier.test_wait by one lane")                                                 \
    X(UNIT_EXPECT, "mbarrier.arrive.expect_tx by one lane")                                        \
    X(UNIT_MOVMATRIX, "movmatrix")                                                                 \
    X(UNIT_IN_16, "cp.async.bulk in 16")                                                           \
    X(UNIT_IN_128, "cp.async.bulk in 128")                                                         \
    X(UNIT_IN_1024, "cp.async.bulk in 1024")                                                       \
    X(UNIT_IN_4096, "cp.async.bulk in 4096")                                                       \
    X(UNIT_IN_4096_AT_16, "cp.async.bulk in 4096 to an odd 16")                                    \
    X(UNIT_OUT_16, "cp.async.bulk out 16")                                                         \
    X(UNIT_OUT_128, "cp.async.bulk out 128")                                                       \
    X(UNIT_OUT_1024, "cp.async.bulk out 1024")                                                     \
    X(UNIT_OUT_4096, "cp.async.bulk out 4096")                                                     \
    X(UNIT_ADD_OUT_1024, "cp.reduce.async.bulk out 1024")                                          \
    X(UNIT_ACROSS_1024, "cp.async.bulk to the other block 1024")                                   \
    X(UNIT_ST_ASYNC, "st.async to the other block")                                                \
    X(UNIT_RED_ASYNC, "red.async to the other block")                                              \
    X(UNIT_FAR_ST, "st to the other block")                                                        \
    X(UNIT_FAR_ST_STRIDE, "st to the other block at a stride of 128")                              \
    X(UNIT_FAR_LD, "ld from the other block")                                                      \
    X(UNIT_FAR_LD_STRIDE, "ld from the other block at a stride of 128")                            \
    X(UNIT_FAR_RED, "red to the other block")                                                      \
    X(UNIT_FAR_ATOM, "atom on the other block")                                                    \
    X(UNIT_NEAR_ST, "st.shared::cluster to one's own")                                             \
    X(UNIT_NEAR_ATOM, "atom.shared::cluster on one's own")
enum unit { UNIT_LIST(ENTRY) UNIT_KINDS };
static const char *const unit_names[] = {UNIT_LIST(NAME)};
#undef ENTRY
#undef NAME

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
static __device__ __forceinline__ void bulk_in(unsigned to, const char *from, unsigned bytes,
                                               unsigned barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2,"
                 " [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

static __device__ __forceinline__ void bulk_out(char *to, unsigned from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
                 "r"(bytes)
                 : "memory");
}

static __device__ __forceinline__ void wait_for(unsigned barrier, unsigned phase)
{
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;"
                 " @!p bra again; }" ::"r"(barrier),
                 "r"(phase)
                 : "memory");
}

/* One instruction, by all lanes of a warp that `lanes` has. */
template <int Unit>
static __device__ __forceinline__ void unit_once(unsigned base, unsigned far, char *global)
{
    const unsigned lane = threadIdx.x, barrier = base + 1024, data = base + 8192;
    const bool one = lane == 0;
    unsigned value = lane;
    switch (Unit) {
    case UNIT_ARRIVE:
        if (one)
            asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
        break;
    case UNIT_ARRIVE_ALL:
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
        break;
    case UNIT_ARRIVE_SPREAD:
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier + 8 * lane) : "memory");
        break;
    case UNIT_TEST:
        if (one)
            asm volatile(
                "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%0], 1; }" ::"r"(barrier)
                : "memory");
        break;
    case UNIT_EXPECT:
        if (one)
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 0;" ::"r"(barrier)
                         : "memory");
        break;
    case UNIT_MOVMATRIX:
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(value));
        if (value == 0x12345678)
            *global = 1;
        break;
    case UNIT_IN_16:
    case UNIT_IN_128:
    case UNIT_IN_1024:
    case UNIT_IN_4096:
    case UNIT_IN_4096_AT_16:
        if (one)
            bulk_in(data + (Unit == UNIT_IN_4096_AT_16 ? 16 : 0), global,
                    Unit == UNIT_IN_16     ? 16
                    : Unit == UNIT_IN_128  ? 128
                    : Unit == UNIT_IN_1024 ? 1024
                                           : 4096,
                    barrier);
        break;
    case UNIT_OUT_16:
    case UNIT_OUT_128:
    case UNIT_OUT_1024:
    case UNIT_OUT_4096:
        if (one)
            bulk_out(global, data,
                     Unit == UNIT_OUT_16     ? 16
                     : Unit == UNIT_OUT_128  ? 128
                     : Unit == UNIT_OUT_1024 ? 1024
                                             : 4096);
        break;
    case UNIT_ADD_OUT_1024:
        if (one)
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1],"
                         " 1024;" ::"l"(global),
                         "r"(data)
                         : "memory");
        break;
    case UNIT_ACROSS_1024:
        if (one)
            asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                         " [%0], [%1], 1024, [%2];" ::"r"(far + 8192),
                         "r"(data), "r"(far + 1024)
                         : "memory");
        break;
    case UNIT_ST_ASYNC:
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1,"
                     " [%2];" ::"r"(far + 8192 + 4 * lane),
                     "r"(lane), "r"(far + 1024)
                     : "memory");
        break;
    case UNIT_RED_ASYNC:
        asm volatile(
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32"
            " [%0], %1, [%2];" ::"r"(far + 8192 + 4 * lane),
            "r"(lane), "r"(far + 1024)
            : "memory");
        break;
    case UNIT_FAR_ST:
    case UNIT_FAR_ST_STRIDE:
    case UNIT_NEAR_ST:
        asm volatile("st.volatile.shared::cluster.u32 [%0], %1;" ::"r"(
                         (Unit == UNIT_NEAR_ST ? base : far) + 8192 +
                         (Unit == UNIT_FAR_ST_STRIDE ? 128 : 4) * lane),
                     "r"(lane)
                     : "memory");
        break;
    case UNIT_FAR_LD:
    case UNIT_FAR_LD_STRIDE:
        asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];"
                     : "=r"(value)
                     : "r"(far + 8192 + (Unit == UNIT_FAR_LD_STRIDE ? 128 : 4) * lane));
        break;
    case UNIT_FAR_RED:
        asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(far + 8192 + 4 * lane), "r"(lane)
                     : "memory");
        break;
    case UNIT_FAR_ATOM:
    case UNIT_NEAR_ATOM:
        asm volatile("atom.shared::cluster.add.u32 %0, [%1], %0;"
                     : "+r"(value)
                     : "r"((Unit == UNIT_NEAR_ATOM ? base : far) + 8192 + 4 * lane)
                     : "memory");
        break;
    }
}
#endif

template <int Unit> static __global__ void __launch_bounds__(32) bw_probe_unit(char *global)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned rank, far;
    const unsigned base = bw_base(), barrier = base + 1024;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(base), "r"(rank ^ 1));
    const unsigned arrivals = Unit == UNIT_ARRIVE_ALL ? BW_LANES * UNITS : UNITS;
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier + 8 * threadIdx.x),
                 "r"(arrivals)
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (rank == 0) {
#pragma unroll 1
        for (unsigned i = 0; i < UNITS; i++)
            unit_once<Unit>(base, far, global);
        if (Unit >= UNIT_IN_16 && Unit <= UNIT_IN_4096_AT_16)
            wait_for(barrier, 0);
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
    for (const unsigned since = bw_clock(); bw_clock() - since < 20000;)
        ; /* what is on its way to the other block arrives */
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

template <int Unit> struct unit_table {
    static void fill(const void **kernels)
    {
        kernels[Unit] = (const void *)bw_probe_unit<Unit>;
        unit_table<Unit - 1>::fill(kernels);
    }
};
template <> struct unit_table<-1> {
    static void fill(const void **)
    {
    }
};

static bool unit_launch(bw_card *card, const void *kernel, char *global)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster;
    void *arguments[] = {&global};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 2;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.gridDim = dim3(2);
    config.blockDim = dim3(BW_LANES);
    config.dynamicSmemBytes = 32768;
    config.attrs = &cluster;
    config.numAttrs = 1;
    return bw_card_ok(card, cudaLaunchKernelExC(&config, kernel, arguments),
                      "launching a cluster") &&
           bw_card_ok(card, cudaDeviceSynchronize(), "running an instruction");
}

bool bw_probe_units(bw_card *card, FILE *out)
{
    const void *kernels[UNIT_KINDS];
    char *global = NULL;
    if (card->facts.cc < 90) {
        fputs("# these instructions need sm_90 or later\n", out);
        return true;
    }
    bool ok = bw_card_ok(card, cudaMalloc((void **)&global, 1 << 20), "taking memory");
    unit_table<UNIT_KINDS - 1>::fill(kernels);
    fputs("unit,instructions\n", out);
    for (unsigned unit = 0; ok && unit < UNIT_KINDS; unit++) {
        fprintf(out, "%s,%u\n", unit_names[unit], unit ? UNITS : 0);
        fflush(out);
        ok = unit_launch(card, kernels[unit], global);
    }
    cudaFree(global);
    return ok;
}

/* -- time against the share of the pipe -------------------------------------------------------- */

#define SHARE_LOADS 8u
#define SHARE_TURNS 64u

/* Turns of SHARE_LOADS loads of `ways` words of a bank and 4 × `sums` additions. */
extern "C" __global__ void __launch_bounds__(1024)
    bw_probe_share(unsigned ways, unsigned sums, unsigned scratch, bw_ticks *ticks)
{
    bw_job job = {};
    job.scratch = scratch;
    bw_clear(job);
    const unsigned lane = threadIdx.x % BW_LANES;
    const unsigned at = bw_base() + lane % ways * 128 + lane / ways * 4;
    float x[4] = {1, 2, 3, 4};
    unsigned sum = 0;
    __syncthreads();
    const unsigned start = bw_clock();
#pragma unroll 1
    for (unsigned i = 0; i < SHARE_TURNS; i++) {
        unsigned value[SHARE_LOADS];
#pragma unroll
        for (unsigned k = 0; k < SHARE_LOADS; k++)
            value[k] = bw_load(at);
#pragma unroll 4
        for (unsigned k = 0; k < sums; k++)
#pragma unroll
            for (unsigned j = 0; j < 4; j++)
                x[j] = __fmaf_rn(x[j], 0.5f, 1.0f);
#pragma unroll
        for (unsigned k = 0; k < SHARE_LOADS; k++)
            sum += value[k];
    }
    bw_await(sum + __float_as_uint(x[0] + x[1] + x[2] + x[3]));
    const unsigned elapsed = bw_elapsed(job, start, bw_clock());
    if (threadIdx.x == 0 && blockIdx.x == 0)
        ticks->pass[0] = elapsed;
}

bool bw_probe_share_of_time(bw_card *card, FILE *out)
{
    static const unsigned sums[] = {0, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512};
    bw_ticks *ticks = NULL;
    bool ok = bw_card_ok(card, cudaMallocHost((void **)&ticks, sizeof *ticks), "taking memory");
    fputs("warps,ways,additions,pipe_cycles,cycles\n", out);
    for (unsigned warps = 4; warps <= 32; warps *= 2)
        for (unsigned ways = 1; ways <= 32; ways *= 2)
            for (unsigned s : sums) {
                if (ok)
                    bw_probe_share<<<1, warps * BW_LANES, 8192 + BW_SCRATCH_BYTES>>>(ways, s, 8192,
                                                                                     ticks);
                ok = ok && bw_card_ok(card, cudaDeviceSynchronize(), "sharing the pipe");
                fprintf(out, "%u,%u,%u,%u,%.1f\n", warps, ways, 4 * s, warps * SHARE_LOADS * ways,
                        (double)ticks->pass[0] / SHARE_TURNS);
            }
    cudaFreeHost(ticks);
    return ok;
}
