/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * probe far: random requests to the shared memory of the other block of a cluster.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "card_private.h"
#include "families.h"
#include "harness.cuh"
#include "probe.h"

#define WARPS 16u

/* Addresses of the other block's shared memory; what they hold is 0. */
#define FAR(NAME, PTX, ...)                                                                        \
    struct NAME {                                                                                  \
        static __device__ __forceinline__ unsigned issue(unsigned a, unsigned zero)                \
        {                                                                                          \
            unsigned x = 0, y = 0, z = 0, w = 0;                                                   \
            asm volatile(PTX __VA_ARGS__);                                                         \
            return x ^ y ^ z ^ w ^ zero;                                                           \
        }                                                                                          \
    };
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
FAR(far_ld_32, "ld.volatile.shared::cluster.u32 %0, [%1];", : "=r"(x) : "r"(a))
FAR(far_ld_64, "ld.volatile.shared::cluster.v2.u32 {%0, %1}, [%2];", : "=r"(x), "=r"(y) : "r"(a))
FAR(far_ld_128, "ld.volatile.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];",
    : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
    : "r"(a))
FAR(far_st_32, "st.volatile.shared::cluster.u32 [%0], %1;", ::"r"(a), "r"(zero) : "memory")
FAR(far_st_64, "st.volatile.shared::cluster.v2.u32 [%0], {%1, %1};", ::"r"(a), "r"(zero) : "memory")
FAR(far_st_128, "st.volatile.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};", ::"r"(a), "r"(zero)
    : "memory")
FAR(far_red, "red.shared::cluster.add.u32 [%0], %1;", ::"r"(a), "r"(zero) : "memory")
FAR(far_atom, "atom.shared::cluster.add.u32 %0, [%1], %2;",
    : "=r"(x)
    : "r"(a), "r"(zero)
    : "memory")
#else
FAR(far_ld_32, "", )
FAR(far_ld_64, "", )
FAR(far_ld_128, "", )
FAR(far_st_32, "", )
FAR(far_st_64, "", )
FAR(far_st_128, "", )
FAR(far_red, "", )
FAR(far_atom, "", )
#endif

#define FAR_TURNS 8u /* instructions in the body */

static __device__ __forceinline__ void far_meet(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

/* The first block issues, the other waits. Stores are done when a load after them has come back:
 * the way there is taken in order. */
template <class Op>
static __global__ void __launch_bounds__(WARPS *BW_LANES, 1)
    bw_probe_far_pipe(const bw_request *requests, unsigned count, unsigned scratch, unsigned zero,
                      bw_ticks *ticks)
{
    bw_job job = {};
    unsigned rank = 0, target = 0, sink = 0;
    job.scratch = scratch;
    bw_clear(job);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    far_meet();
    for (unsigned r = 0; rank == 0 && r < count; r++) {
        const unsigned a = bw_base() + requests[r].addr[threadIdx.x % BW_LANES];
        const bool on = requests[r].active >> threadIdx.x % BW_LANES & 1;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(target) : "r"(a), "r"(1));
#endif
        for (unsigned pass = 0; pass < 3; pass++) {
            const unsigned loops = pass == 2 ? 12 : 4;
            __syncthreads();
            const unsigned start = bw_clock();
            if (on)
#pragma unroll 1
                for (unsigned i = 0; i < loops; i++)
#pragma unroll
                    for (unsigned k = 0; k < FAR_TURNS; k++)
                        sink ^= Op::issue(target, zero);
            __syncwarp();
            sink ^= far_ld_32::issue(target & ~127u, zero);
            bw_await(sink);
            const unsigned elapsed = bw_elapsed(job, start, bw_clock());
            if (threadIdx.x == 0 && pass)
                ticks[r].pass[pass - 1] = elapsed;
        }
    }
    far_meet();
}

static const struct {
    const char *name;
    bw_op op; /* whose requests it takes */
    const void *kernel;
} far_ops[] = {{"ld.32", BW_OP_LD_32, (const void *)bw_probe_far_pipe<far_ld_32>},
               {"ld.64", BW_OP_LD_64, (const void *)bw_probe_far_pipe<far_ld_64>},
               {"ld.128", BW_OP_LD_128, (const void *)bw_probe_far_pipe<far_ld_128>},
               {"st.32", BW_OP_ST_32, (const void *)bw_probe_far_pipe<far_st_32>},
               {"st.64", BW_OP_ST_64, (const void *)bw_probe_far_pipe<far_st_64>},
               {"st.128", BW_OP_ST_128, (const void *)bw_probe_far_pipe<far_st_128>},
               {"red.add.u32", BW_OP_RED_ADD_U32, (const void *)bw_probe_far_pipe<far_red>},
               {"atom.add.u32", BW_OP_ATOM_ADD_U32, (const void *)bw_probe_far_pipe<far_atom>}};

static bool far_launch(bw_card *card, const void *kernel, const bw_request *requests,
                       unsigned count, bw_ticks *ticks)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster;
    unsigned scratch = (unsigned)card->facts.shared_block - BW_SCRATCH_BYTES, zero = 0;
    void *arguments[] = {&requests, &count, &scratch, &zero, &ticks};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 2;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.gridDim = dim3(2);
    config.blockDim = dim3(WARPS * BW_LANES);
    config.dynamicSmemBytes = (size_t)card->facts.shared_block;
    config.attrs = &cluster;
    config.numAttrs = 1;
    return bw_card_ok(card,
                      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           card->facts.shared_block),
                      "asking for all the shared memory of a block") &&
           bw_card_ok(card, cudaLaunchKernelExC(&config, kernel, arguments),
                      "launching a cluster") &&
           bw_card_ok(card, cudaDeviceSynchronize(), "reaching the other block's memory");
}

bool bw_probe_far_random(bw_card *card, FILE *out, uint64_t seed, uint64_t count)
{
    bw_request *requests = NULL;
    bw_ticks *ticks = NULL;
    if (card->facts.cc < 90) {
        fputs("# clusters need sm_90 or later\n", out);
        return true;
    }
    bool ok =
        bw_card_ok(card, cudaMallocHost((void **)&requests, count * sizeof *requests),
                   "taking memory") &&
        bw_card_ok(card, cudaMallocHost((void **)&ticks, count * sizeof *ticks), "taking memory");
    fprintf(out, "# seed: %llu\n", (unsigned long long)seed);
    fputs("op,index,cycles\n", out);
    for (const auto &op : far_ops) {
        for (uint64_t i = 0; ok && i < count; i++)
            bw_family_request(op.op, seed, i, 49152, &requests[i]);
        ok = ok && far_launch(card, op.kernel, requests, (unsigned)count, ticks);
        for (uint64_t i = 0; ok && i < count; i++)
            fprintf(out, "%s,%llu,%.3f\n", op.name, (unsigned long long)i,
                    (double)(int)(ticks[i].pass[1] - ticks[i].pass[0]) / (8.0 * FAR_TURNS * WARPS));
    }
    cudaFreeHost(requests);
    cudaFreeHost(ticks);
    return ok;
}
