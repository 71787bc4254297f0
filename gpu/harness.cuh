/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * harness: the frame into which each operation's instruction is put.
 *
 * An operation is a struct with one static function,
 *     unsigned issue(unsigned a, const bw_call &call, const bw_job &job)
 * that is the instruction at address `a` and nothing else, and a few flags. The frame turns it into
 * two kernels:
 *
 *   bw_time_NAME  every warp of the block issues the request again and again; what counts is the
 *                 time from the earliest start to the latest end, for a short and a long pass
 *   bw_wait_NAME  one warp, and each access waits for the one before it
 *
 * One block runs on an SM (the host asks for all its shared memory) and takes the requests
 * blockIdx.x, blockIdx.x + gridDim.x, … .
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_HARNESS_CUH
#define BANKWISE_HARNESS_CUH

#include "job.h"

/* Scratch words, counted from job.scratch in units of 4 bytes. */
#define BW_SCRATCH_START 0u  /* a word a warp: when it began             */
#define BW_SCRATCH_STOP 32u  /* a word a warp: when it ended             */
#define BW_SCRATCH_LOADS 64u /* a word a warp: wavefronts it made as ballast */
#define BW_SCRATCH_DONE 96u  /* workers that have ended this pass        */
#define BW_SCRATCH_ZERO 97u  /* always 0                                 */

extern __shared__ __align__(1024) unsigned char bw_shared[];

static __device__ __forceinline__ unsigned bw_base(void)
{
    return (unsigned)__cvta_generic_to_shared(bw_shared);
}

static __device__ __forceinline__ unsigned bw_clock(void)
{
    unsigned low;
    asm volatile("{ .reg .u64 t; mov.u64 t, %%clock64; cvt.u32.u64 %0, t; }" : "=r"(low)::"memory");
    return low;
}

static __device__ __forceinline__ unsigned bw_load(unsigned address)
{
    unsigned value;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    return value;
}

/* Stands still until `value` has arrived: instructions of a warp issue in order. */
static __device__ __forceinline__ void bw_await(unsigned value)
{
    asm volatile(
        "{ .reg .pred never; setp.eq.u32 never, %0, 0xdeadbeef; @never trap; }" ::"r"(value)
        : "memory");
}

/* Waits for all that this warp has sent down the pipe: the pipe serves a warp in order. */
template <class Op> static __device__ __forceinline__ void bw_drain(const bw_job &job)
{
    if (Op::async) {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    }
    bw_await(bw_load(bw_base() + job.scratch + 4 * BW_SCRATCH_ZERO));
}

/* All of shared memory to job.fill, which is 0 but for minima, and the scratch area to 0. */
static __device__ __forceinline__ void bw_clear(const bw_job &job)
{
    unsigned *words = (unsigned *)bw_shared;
    for (unsigned w = threadIdx.x; w < (job.scratch + BW_SCRATCH_BYTES) / 4; w += blockDim.x)
        words[w] = w < job.scratch / 4 ? job.fill : 0;
}

/* The time from the first start to the last stop over all warps, for thread 0 alone. */
static __device__ __forceinline__ unsigned bw_elapsed(const bw_job &job, unsigned start,
                                                      unsigned stop)
{
    unsigned *scratch = (unsigned *)(bw_shared + job.scratch);
    const unsigned warp = threadIdx.x / BW_LANES, lane = threadIdx.x % BW_LANES;
    if (lane == 0) {
        scratch[BW_SCRATCH_START + warp] = start;
        scratch[BW_SCRATCH_STOP + warp] = stop;
    }
    __syncthreads();
    if (warp)
        return 0;
    const bool there = lane < blockDim.x / BW_LANES;
    int first = there ? (int)(scratch[BW_SCRATCH_START + lane] - start) : 0;
    int last = there ? (int)(scratch[BW_SCRATCH_STOP + lane] - start) : 0;
    for (int step = BW_LANES / 2; step; step /= 2) {
        first = min(first, __shfl_xor_sync(~0u, first, step));
        last = max(last, __shfl_xor_sync(~0u, last, step));
    }
    return (unsigned)(last - first);
}

/*
 * All warps meet here, with their addresses arrived: the barrier's condition needs them. True
 * where a request cannot be run, which the host has excluded.
 */
static __device__ __forceinline__ bool bw_gather(unsigned address, unsigned active)
{
    return __syncthreads_or(address == ~0u || active == 0) != 0;
}

/* What an issue may depend on besides its address. */
struct bw_call {
    unsigned number; /* issues of the kernel before this one */
};

/*
 * The unrolled body, `loops` times. Returns something that depends on every result. Lanes that sit
 * out branch around all of it: a predicate on the instruction would not do, because ptxas makes a
 * branch around every single issue of it, which the clock then sees.
 */
template <class Op>
static __device__ __forceinline__ unsigned bw_issue(const bw_job &job, unsigned address,
                                                    unsigned loops, bw_call call)
{
    unsigned sink = 0;
#pragma unroll 1
    for (unsigned i = 0; i < loops; i++) {
#pragma unroll
        for (unsigned turn = 0; turn < BW_ISSUES; turn++) {
            unsigned value = Op::issue(address, call, job);
            if (Op::consumed)
                sink ^= value;
            if (Op::opaque)
                address += job.zero;
            call.number++;
        }
    }
    return sink;
}

template <class Op> static __device__ __forceinline__ void bw_time_pipe(const bw_job &job)
{
    const unsigned lane = threadIdx.x % BW_LANES, warp = threadIdx.x / BW_LANES;
    bw_call call = {0};
    bw_clear(job);
    for (unsigned r = blockIdx.x; r < job.count; r += gridDim.x) {
        const bw_request *request = &job.requests[r];
        const unsigned active = Op::whole ? ~0u : request->active;
        const unsigned address = bw_base() + request->addr[lane] + warp * job.region;
        /* The first request brings the instructions into the cache: it is run once more, untimed.
         */
        for (unsigned pass = r == blockIdx.x ? 0 : 1; pass < 3; pass++) {
            if (bw_gather(address, active))
                return;
            const unsigned start = bw_clock();
            if (active >> lane & 1)
                bw_await(bw_issue<Op>(job, address, job.loops[pass], call));
            call.number += job.loops[pass] * BW_ISSUES;
            __syncwarp();
            bw_drain<Op>(job);
            const unsigned elapsed = bw_elapsed(job, start, bw_clock());
            if (threadIdx.x == 0 && pass)
                job.ticks[r].pass[pass - 1] = elapsed;
        }
    }
}

/*
 * A loop's rounds wait for each other, so that even many warps leave the pipe idle at times and the
 * clock shows waiting instead of wavefronts. Further warps therefore fill every gap with loads of
 * known cost, job.ballast words of one bank, and count their wavefronts: with the pipe never idle,
 * the time less these is the wavefronts of the loops.
 */
static __device__ __forceinline__ unsigned bw_ballast(const bw_job &job)
{
    const unsigned done = bw_base() + job.scratch + 4 * BW_SCRATCH_DONE;
    const unsigned column = bw_base() + threadIdx.x % BW_LANES % job.ballast * 128;
    unsigned wavefronts = 0, ended;
    do {
        ended = bw_load(done);
#pragma unroll
        for (int i = 0; i < 8; i++)
            bw_load(column);
        wavefronts += 1 + 8 * job.ballast;
    } while (ended != job.workers);
    return wavefronts;
}

static __device__ __forceinline__ unsigned bw_ballast_total(const bw_job &job)
{
    const unsigned *loads = (const unsigned *)(bw_shared + job.scratch) + BW_SCRATCH_LOADS;
    unsigned total = 0;
    for (unsigned w = job.workers; w < blockDim.x / BW_LANES; w++)
        total += loads[w];
    return total;
}

template <class Op> static __device__ __forceinline__ void bw_time_loop(const bw_job &job)
{
    unsigned *scratch = (unsigned *)(bw_shared + job.scratch);
    const unsigned lane = threadIdx.x % BW_LANES, warp = threadIdx.x / BW_LANES;
    bw_call call = {0};
    bw_clear(job);
    for (unsigned r = blockIdx.x; r < job.count; r += gridDim.x) {
        const bw_request *request = &job.requests[r];
        const unsigned active = request->active;
        const unsigned address = bw_base() + request->addr[lane] + warp * job.region;
        for (unsigned pass = r == blockIdx.x ? 0 : 1; pass < 3; pass++) {
            unsigned loads = 0;
            if (bw_gather(address, active))
                return;
            const unsigned start = bw_clock();
            if (warp < job.workers) {
                if (active >> lane & 1)
                    bw_await(bw_issue<Op>(job, address, job.loops[pass], call));
                call.number += job.loops[pass] * BW_ISSUES;
                __syncwarp();
                bw_drain<Op>(job);
                if (lane == 0)
                    atomicAdd(&scratch[BW_SCRATCH_DONE], job.one);
            } else {
                loads = bw_ballast(job);
                bw_drain<Op>(job);
            }
            const unsigned stop = bw_clock();
            if (lane == 0)
                scratch[BW_SCRATCH_LOADS + warp] = loads;
            const unsigned elapsed = bw_elapsed(job, start, stop);
            if (threadIdx.x == 0) {
                scratch[BW_SCRATCH_DONE] = 0;
                if (pass)
                    job.ticks[r].pass[pass - 1] = elapsed - bw_ballast_total(job);
            }
        }
    }
}

template <class Op> static __device__ __forceinline__ void bw_wait_one(const bw_job &job)
{
    const unsigned lane = threadIdx.x % BW_LANES;
    bw_call call = {0};
    bw_clear(job);
    for (unsigned r = blockIdx.x; r < job.count; r += gridDim.x) {
        const bw_request *request = &job.requests[r];
        const unsigned active = Op::whole ? ~0u : request->active;
        unsigned address = bw_base() + request->addr[lane];
        for (unsigned pass = r == blockIdx.x ? 0 : 1; pass < 3; pass++) {
            if (bw_gather(address, active))
                return;
            const unsigned start = bw_clock();
            bw_call next = call;
            call.number += job.loops[pass] * BW_ISSUES;
            if (active >> lane & 1) {
#pragma unroll 1
                for (unsigned i = 0; i < job.loops[pass]; i++) {
#pragma unroll
                    for (unsigned turn = 0; turn < BW_ISSUES; turn++) {
                        unsigned value = Op::issue(address, next, job);
                        address += Op::masked ? value & job.zero : value;
                        next.number++;
                        if (Op::async)
                            bw_drain<Op>(job);
                    }
                }
            }
            bw_await(address);
            __syncwarp();
            const unsigned elapsed = bw_clock() - start;
            if (threadIdx.x == 0 && pass)
                job.ticks[r].pass[pass - 1] = elapsed;
        }
    }
}

/*
 * What the frame must know of an operation:
 *   whole     the instruction is the warp's, whatever the mask
 *   opaque    the compiler must not see that two issues are alike, or it drops one
 *   consumed  it must see the result used, or it drops the instruction or its result
 *   masked    the result is not 0, although all of shared memory is
 */
#define BW_OPERATION(NAME, WHOLE, OPAQUE, CONSUMED, MASKED, ASYNC, ...)                            \
    namespace                                                                                      \
    {                                                                                              \
    struct NAME {                                                                                  \
        enum { whole = WHOLE, opaque = OPAQUE, consumed = CONSUMED };                              \
        enum { masked = MASKED, async = ASYNC };                                                   \
        static __device__ __forceinline__ unsigned issue(unsigned a, const bw_call &call,          \
                                                         const bw_job &job)                        \
        {                                                                                          \
            (void)call, (void)job;                                                                 \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    };                                                                                             \
    }

/* The job stays where the launch put it, in constant memory. */
#define BW_JOB const __grid_constant__ bw_job

/* The most threads a kernel is launched with: it bounds the registers that ptxas may use. */
#ifndef BW_MOST_THREADS
#define BW_MOST_THREADS 1024
#endif

#define BW_TIME_KERNEL(NAME, FRAME)                                                                \
    extern "C" __global__ void __launch_bounds__(BW_MOST_THREADS, 1) bw_time_##NAME(BW_JOB job)    \
    {                                                                                              \
        FRAME<NAME>(job);                                                                          \
    }
#define BW_WAIT_KERNEL(NAME)                                                                       \
    extern "C" __global__ void __launch_bounds__(32) bw_wait_##NAME(BW_JOB job)                    \
    {                                                                                              \
        bw_wait_one<NAME>(job);                                                                    \
    }

/* Rows of a family's table (job.h): of an operation that gives a value back, and of one that does
 * not; and the table's length. */
#define BW_TIME_AND_WAIT(OP, NAME)                                                                 \
    {                                                                                              \
        OP, bw_time_##NAME, bw_wait_##NAME                                                         \
    }
#define BW_TIME_ONLY(OP, NAME)                                                                     \
    {                                                                                              \
        OP, bw_time_##NAME, NULL                                                                   \
    }
#define BW_COUNT_KERNELS(FAMILY)                                                                   \
    const unsigned bw_kernels_##FAMILY##_count =                                                   \
        sizeof bw_kernels_##FAMILY / sizeof *bw_kernels_##FAMILY;

#endif
