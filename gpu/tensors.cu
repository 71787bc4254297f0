/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * probe wgmma: matrix instructions of a warpgroup, by type, shape and where their operands lie.
 *
 * Compiled for sm_90a, the only architecture that has them.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "tensors.h"

#include "card_private.h"
#include "harness.cuh"
#include "probe.h"

#define WARPGROUP 128u
/* Instructions in the body, and turns of the body in the two passes that are timed. */
#define BODY 4u
#define SHORT_TURNS 16u
#define LONG_TURNS 48u

typedef struct tensor_job {
    const bw_tensor *tensors; /* one a block */
    bw_ticks *ticks;
    uint32_t turns[2], scratch, one;
} tensor_job;

static __device__ __forceinline__ uint64_t descriptor(const bw_tensor_place &place)
{
    return (uint64_t)((bw_base() + place.start) / 16 & 0x3fff) |
           (uint64_t)(place.leading / 16 & 0x3fff) << 16 |
           (uint64_t)(place.stride / 16 & 0x3fff) << 32 | (uint64_t)(place.offset & 7) << 49 |
           (uint64_t)place.mode << 62;
}

/* No branch depends on what the compiler cannot prove to be the same for the warpgroup: it would
 * put a wait after every instruction. */
template <class Op> static __device__ __forceinline__ void run_tensors(const tensor_job &job)
{
    bw_job frame = {};
    frame.scratch = job.scratch;
    bw_clear(frame);
    const uint64_t a = descriptor(job.tensors[blockIdx.x].a),
                   b = descriptor(job.tensors[blockIdx.x].b);
    __syncthreads();
    unsigned sum =
        Op::issue(a, b, job.turns[0], job.one); /* brings the instructions into the cache */
    __syncthreads();
    const unsigned start = bw_clock();
    sum ^= Op::issue(a, b, job.turns[0], job.one);
    const unsigned middle = bw_clock();
    __syncthreads();
    const unsigned again = bw_clock();
    sum ^= Op::issue(a, b, job.turns[1], job.one);
    const unsigned end = bw_clock();
    const unsigned first = bw_elapsed(frame, start, middle);
    __syncthreads();
    const unsigned second = bw_elapsed(frame, again, end);
    if (sum == 1) /* sums of products of zeros are not, but ptxas cannot know */
        job.ticks[0].pass[0] = 0;
    if (threadIdx.x == 0) {
        job.ticks[blockIdx.x].pass[0] = first;
        job.ticks[blockIdx.x].pass[1] = second;
    }
}

/* Names of registers, as many as an accumulator has: p000, p001 … */
#define R2(p) p "0, " p "1"
#define R4(p) R2(p "0") ", " R2(p "1")
#define R8(p) R4(p "0") ", " R4(p "1")
#define R16(p) R8(p "0") ", " R8(p "1")
#define R32(p) R16(p "0") ", " R16(p "1")
#define R64(p) R32(p "0") ", " R32(p "1")
#define ONE2 "d0"
#define ACC2 R2("d")
#define ONE4 "d00"
#define ACC4 R4("d")
#define ONE6 "d00"
#define ACC6 R4("d") ", " R2("e")
#define ONE8 "d000"
#define ACC8 R8("d")
#define ONE12 "d000"
#define ACC12 R8("d") ", " R4("e")
#define ONE16 "d0000"
#define ACC16 R16("d")
#define ONE24 "d0000"
#define ACC24 R16("d") ", " R8("e")
#define ONE32 "d00000"
#define ACC32 R32("d")
#define ONE48 "d00000"
#define ACC48 R32("d") ", " R16("e")
#define ONE64 "d000000"
#define ACC64 R64("d")
#define ONE96 "d000000"
#define ACC96 R64("d") ", " R32("e")
#define ONE128 "d000000"
#define ACC128 R64("d") ", " R64("e")

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define IF_WGMMA(...) __VA_ARGS__
#else
#define IF_WGMMA(...) asm volatile("trap;");
#endif

#define ONCE(SPARSE, SHAPE, TYPES, REGISTERS, A, META, TAIL)                                       \
    " wgmma.mma_async" SPARSE ".sync.aligned.m64" SHAPE "." TYPES " {" REGISTERS "}, " A           \
    ", %2, " META "p" TAIL ";"

/* The instruction and the loop around it. One word of the sum is given back, or ptxas would drop
 * them all. */
#define TENSOR(NAME, N, SPARSE, SHAPE, TYPES, KIND, REGISTERS, FIRST, A, META, TAIL)               \
    namespace                                                                                      \
    {                                                                                              \
    struct NAME##_n##N {                                                                           \
        static __device__ __forceinline__ unsigned issue(uint64_t a, uint64_t b, unsigned turns,   \
                                                         unsigned one)                             \
        {                                                                                          \
            unsigned sum = 0;                                                                      \
            (void)a, (void)b, (void)turns, (void)one;                                              \
            IF_WGMMA(asm volatile("{ .reg ." KIND " " REGISTERS "; .reg .pred p, q; .reg .u32 n;"  \
                                  " setp.ne.u32 p, %4, 0; mov.u32 n, %3;"                          \
                                  " wgmma.fence.sync.aligned; again:" ONCE(                        \
                                      SPARSE, SHAPE, TYPES, REGISTERS, A, META, TAIL)              \
                                      ONCE(SPARSE, SHAPE, TYPES, REGISTERS, A, META, TAIL)         \
                                          ONCE(SPARSE, SHAPE, TYPES, REGISTERS, A, META, TAIL)     \
                                              ONCE(SPARSE, SHAPE, TYPES, REGISTERS, A, META,       \
                                                   TAIL) " wgmma.commit_group.sync.aligned;"       \
                                                         " sub.u32 n, n, 1; setp.ne.u32 q, n, 0;"  \
                                                         " @q bra again;"                          \
                                                         " wgmma.wait_group.sync.aligned 0;"       \
                                                         " mov.b32 %0, " FIRST "; }"               \
                                  : "=r"(sum)                                                      \
                                  : "l"(a), "l"(b), "r"(turns), "r"(one)                           \
                                  : "memory");)                                                    \
            return sum;                                                                            \
        }                                                                                          \
    };                                                                                             \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(WARPGROUP *(N > 128 ? 2 : 4), 1)                  \
        bw_probe_wgmma_##NAME##_n##N(const __grid_constant__ tensor_job job)                       \
    {                                                                                              \
        run_tensors<NAME##_n##N>(job);                                                             \
    }

/* A kind of instruction in ten shapes; X(NAME, N, full accumulator, of half the registers, …). */
#define SHAPES(X, ...)                                                                             \
    X(8, 4, 2, __VA_ARGS__)                                                                        \
    X(16, 8, 4, __VA_ARGS__)                                                                       \
    X(24, 12, 6, __VA_ARGS__)                                                                      \
    X(32, 16, 8, __VA_ARGS__)                                                                      \
    X(48, 24, 12, __VA_ARGS__)                                                                     \
    X(64, 32, 16, __VA_ARGS__)                                                                     \
    X(96, 48, 24, __VA_ARGS__)                                                                     \
    X(128, 64, 32, __VA_ARGS__)                                                                    \
    X(192, 96, 48, __VA_ARGS__)                                                                    \
    X(256, 128, 64, __VA_ARGS__)

#define FULL(N, COUNT, HALF, NAME, SPARSE, K, TYPES, KIND, A, META, TAIL)                          \
    TENSOR(NAME, N, SPARSE, "n" #N "k" #K, TYPES, KIND, ACC##COUNT, ONE##COUNT, A, META, TAIL)
#define HALVED(N, COUNT, HALF, NAME, SPARSE, K, TYPES, KIND, A, META, TAIL)                        \
    TENSOR(NAME, N, SPARSE, "n" #N "k" #K, TYPES, KIND, ACC##HALF, ONE##HALF, A, META, TAIL)

#define SHARED "%1"
#define REGISTERS "{%3, %4, %3, %4}"
#define META "%4, 0, "

/* name, accumulators, (sparse, K, types, kind of accumulator, A, metadata, what follows); then
 * whether A is in shared memory, and whether it is sparse. */
#define KINDS(X)                                                                                   \
    X(f16f32_ss00, FULL, true, false, "", 16, "f32.f16.f16", "f32", SHARED, "", ", 1, 1, 0, 0")    \
    X(f16f32_ss01, FULL, true, false, "", 16, "f32.f16.f16", "f32", SHARED, "", ", 1, 1, 0, 1")    \
    X(f16f32_ss10, FULL, true, false, "", 16, "f32.f16.f16", "f32", SHARED, "", ", 1, 1, 1, 0")    \
    X(f16f32_ss11, FULL, true, false, "", 16, "f32.f16.f16", "f32", SHARED, "", ", 1, 1, 1, 1")    \
    X(f16f32_rs0, FULL, false, false, "", 16, "f32.f16.f16", "f32", REGISTERS, "", ", 1, 1, 0")    \
    X(f16f32_rs1, FULL, false, false, "", 16, "f32.f16.f16", "f32", REGISTERS, "", ", 1, 1, 1")    \
    X(f16f16_ss00, HALVED, true, false, "", 16, "f16.f16.f16", "b32", SHARED, "", ", 1, 1, 0, 0")  \
    X(f16f16_rs0, HALVED, false, false, "", 16, "f16.f16.f16", "b32", REGISTERS, "", ", 1, 1, 0")  \
    X(bf16_ss00, FULL, true, false, "", 16, "f32.bf16.bf16", "f32", SHARED, "", ", 1, 1, 0, 0")    \
    X(bf16_rs1, FULL, false, false, "", 16, "f32.bf16.bf16", "f32", REGISTERS, "", ", 1, 1, 1")    \
    X(tf32_ss, FULL, true, false, "", 8, "f32.tf32.tf32", "f32", SHARED, "", ", 1, 1")             \
    X(tf32_rs, FULL, false, false, "", 8, "f32.tf32.tf32", "f32", REGISTERS, "", ", 1, 1")         \
    X(e4m3f32_ss, FULL, true, false, "", 32, "f32.e4m3.e4m3", "f32", SHARED, "", ", 1, 1")         \
    X(e4m3f32_rs, FULL, false, false, "", 32, "f32.e4m3.e5m2", "f32", REGISTERS, "", ", 1, 1")     \
    X(e5m2f16_ss, HALVED, true, false, "", 32, "f16.e5m2.e5m2", "b32", SHARED, "", ", 1, 1")       \
    X(s8_ss, FULL, true, false, "", 32, "s32.s8.s8", "s32", SHARED, "", "")                        \
    X(s8_rs, FULL, false, false, "", 32, "s32.s8.u8", "s32", REGISTERS, "", "")                    \
    X(u8_ss, FULL, true, false, "", 32, "s32.u8.u8", "s32", SHARED, "", "")                        \
    X(b1_ss, FULL, true, false, "", 256, "s32.b1.b1.and.popc", "s32", SHARED, "", "")              \
    X(f16f32_sp_ss, FULL, true, true, ".sp", 32, "f32.f16.f16", "f32", SHARED, META,               \
      ", 1, 1, 0, 0")                                                                              \
    X(f16f32_sp_rs, FULL, false, true, ".sp", 32, "f32.f16.f16", "f32", REGISTERS, META,           \
      ", 1, 1, 0")                                                                                 \
    X(tf32_sp_ss, FULL, true, true, ".sp", 16, "f32.tf32.tf32", "f32", SHARED, META, ", 1, 1")     \
    X(e4m3f32_sp_ss, FULL, true, true, ".sp", 64, "f32.e4m3.e4m3", "f32", SHARED, META, ", 1, 1")  \
    X(s8_sp_ss, FULL, true, true, ".sp", 64, "s32.s8.s8", "s32", SHARED, META, "")                 \
    X(s8_sp_rs, FULL, false, true, ".sp", 64, "s32.s8.s8", "s32", REGISTERS, META, "")

#define DEFINE(NAME, ACCUMULATORS, IN_SHARED, IS_SPARSE, SPARSE, K, TYPES, KIND, A, META_, TAIL)   \
    SHAPES(ACCUMULATORS, NAME, SPARSE, K, TYPES, KIND, A, META_, TAIL)
KINDS(DEFINE)

typedef struct tensor_kernel {
    const char *name;
    const void *kernel;
    unsigned n;
    bool a_shared, sparse;
} tensor_kernel;

#define ROW(N, COUNT, HALF, NAME, IN_SHARED, IS_SPARSE)                                            \
    {#NAME "_n" #N, (const void *)bw_probe_wgmma_##NAME##_n##N, N, IN_SHARED, IS_SPARSE},
#define ROWS(NAME, ACCUMULATORS, IN_SHARED, IS_SPARSE, ...) SHAPES(ROW, NAME, IN_SHARED, IS_SPARSE)
static const tensor_kernel kernels[] = {KINDS(ROWS)};

static bool launch(bw_card *card, const tensor_kernel *k, unsigned count, tensor_job *job)
{
    void *arguments[] = {job};
    return bw_card_ok(card,
                      cudaFuncSetAttribute(k->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           card->facts.shared_block),
                      "asking for all the shared memory of a block") &&
           bw_card_ok(card,
                      cudaLaunchKernel(k->kernel, dim3(count),
                                       dim3(WARPGROUP * (k->n > 128 ? 2 : 4)), arguments,
                                       (size_t)card->facts.shared_block, 0),
                      k->name) &&
           bw_card_ok(card, cudaDeviceSynchronize(), k->name);
}

/* One kernel on `count` places. Under a profiler its launch counts (2 × SHORT_TURNS + LONG_TURNS) ×
 * BODY instructions for each of them and each warpgroup. */
static bool measure(bw_card *card, FILE *out, const tensor_kernel *k, uint64_t seed, unsigned count,
                    bw_tensor *tensors, bw_ticks *ticks)
{
    const unsigned groups = k->n > 128 ? 2 : 4;
    tensor_job job = {tensors,
                      ticks,
                      {SHORT_TURNS, LONG_TURNS},
                      (unsigned)card->facts.shared_block - BW_SCRATCH_BYTES,
                      1};
    for (unsigned i = 0; i < count; i++)
        bw_tensor_make(seed, k->name, i, &tensors[i]);
    if (!launch(card, k, count, &job))
        return false;
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s,%u,%u,%u,%u,%.3f\n", k->name, i, groups,
                bw_tensor_wavefronts(k->n, k->a_shared, k->sparse),
                bw_tensor_cycles(k->n, k->a_shared, k->sparse),
                (double)(ticks[i].pass[1] - ticks[i].pass[0]) /
                    ((LONG_TURNS - SHORT_TURNS) * BODY * groups));
    return true;
}

bool bw_probe_wgmma(bw_card *card, FILE *out, uint64_t seed, uint64_t count)
{
    const unsigned each = (unsigned)((count + sizeof kernels / sizeof *kernels - 1) /
                                     (sizeof kernels / sizeof *kernels));
    bw_tensor *tensors = NULL;
    bw_ticks *ticks = NULL;
    if (card->facts.cc != 90) {
        fputs("# wgmma is sm_90's alone\n", out);
        return true;
    }
    bool ok =
        bw_card_ok(card, cudaMallocHost((void **)&tensors, each * sizeof *tensors),
                   "taking memory") &&
        bw_card_ok(card, cudaMallocHost((void **)&ticks, each * sizeof *ticks), "taking memory");
    fprintf(out, "# seed: %llu\n", (unsigned long long)seed);
    fputs("kernel,index,warpgroups,wavefronts,cycles,measured\n", out);
    for (const tensor_kernel &k : kernels)
        ok = ok && measure(card, out, &k, seed, each, tensors, ticks);
    cudaFreeHost(tensors);
    cudaFreeHost(ticks);
    return ok;
}
