/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * probe pages: wide loads and copies past L1, each an instruction of its own, for a profiler's
 * Source page.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "pagelaw.h"

#include "card_private.h"
#include "copies.h"
#include "families.h"
#include "harness.cuh"
#include "probe.h"

/* Instructions of a kernel, each with a request of its own. */
#define ROWS 256u
#define SOURCE_BYTES (BW_COPIES_SOURCE)

typedef struct page_row {
    uint32_t active, to[BW_LANES], from[BW_LANES];
} page_row;

struct page_ld_64 {
    static __device__ __forceinline__ void issue(unsigned a, const char *, int on)
    {
        uint2 v;
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0;"
                     " @p ld.volatile.shared.v2.u32 {%0, %1}, [%3]; }"
                     : "=r"(v.x), "=r"(v.y)
                     : "r"(on), "r"(a));
    }
};
struct page_ld_128 {
    static __device__ __forceinline__ void issue(unsigned a, const char *, int on)
    {
        uint4 v;
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %4, 0;"
                     " @p ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%5]; }"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "r"(on), "r"(a));
    }
};
struct page_copy_16 {
    static __device__ __forceinline__ void issue(unsigned a, const char *from, int on)
    {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 0;"
                     " @p cp.async.cg.shared.global [%1], [%2], 16; }" ::"r"(on),
                     "r"(a), "l"(from)
                     : "memory");
#endif
    }
};

template <class Op>
static __device__ __forceinline__ void page_all(const page_row *rows, const char *source)
{
    const unsigned lane = threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < ROWS; k++)
        Op::issue(bw_base() + rows[k].to[lane], source + rows[k].from[lane],
                  (int)(rows[k].active >> lane & 1));
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#define KERNEL(NAME)                                                                               \
    extern "C" __global__ void __launch_bounds__(32)                                               \
        bw_probe_page_##NAME(const page_row *rows, const char *source)                             \
    {                                                                                              \
        page_all<page_##NAME>(rows, source);                                                       \
    }
KERNEL(ld_64)
KERNEL(ld_128)
KERNEL(copy_16)

static const struct {
    const char *name;
    bw_op op;
    unsigned bytes;
    void (*kernel)(const page_row *, const char *);
} page_ops[] = {{"ld.64", BW_OP_LD_64, 8, bw_probe_page_ld_64},
                {"ld.128", BW_OP_LD_128, 16, bw_probe_page_ld_128},
                {"cp.async.16", BW_OP_CP_ASYNC_16, 0, bw_probe_page_copy_16}};

/* Request `index` of one of them, and what the Source page will say. */
static bw_page_cost make_row(unsigned which, uint64_t seed, uint64_t index, const char *source,
                             page_row *row)
{
    if (page_ops[which].bytes) {
        bw_request request;
        bw_family_request(page_ops[which].op, seed, index, BW_COPIES_SHARED, &request);
        row->active = request.active;
        memcpy(row->to, request.addr, sizeof row->to);
        memset(row->from, 0, sizeof row->from);
        return bw_page_load(page_ops[which].bytes, row->active, row->to);
    }
    bw_copy copy;
    bw_copy_make(seed, index, 16, (uintptr_t)source, &copy);
    row->active = copy.active;
    memcpy(row->to, copy.to, sizeof row->to);
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        row->from[lane] = (uint32_t)(copy.from[lane] - (uintptr_t)source);
    return bw_page_bypass(&copy);
}

bool bw_probe_pages(bw_card *card, FILE *out, uint64_t seed, uint64_t count)
{
    char *source = NULL;
    page_row *rows = NULL;
    bool ok =
        bw_card_ok(card, cudaMalloc((void **)&source, SOURCE_BYTES), "taking memory") &&
        bw_card_ok(card, cudaMallocHost((void **)&rows, ROWS * sizeof *rows), "taking memory");
    fprintf(out, "# source: 0x%llx\n# seed: %llu\n", (unsigned long long)(uintptr_t)source,
            (unsigned long long)seed);
    fputs("op,index,active,wavefronts,ideal\n", out);
    for (unsigned which = 0; which < sizeof page_ops / sizeof *page_ops; which++)
        for (uint64_t first = 0; ok && first < count; first += ROWS) {
            for (unsigned k = 0; k < ROWS; k++) {
                const bw_page_cost cost = make_row(which, seed, first + k, source, &rows[k]);
                fprintf(out, "%s,%llu,%08x,%u,%u\n", page_ops[which].name,
                        (unsigned long long)(first + k), rows[k].active, cost.wavefronts,
                        cost.ideal);
            }
            page_ops[which].kernel<<<1, BW_LANES, BW_COPIES_SHARED>>>(rows, source);
            ok = bw_card_ok(card, cudaDeviceSynchronize(), "running requests");
        }
    cudaFree(source);
    cudaFreeHost(rows);
    return ok;
}
