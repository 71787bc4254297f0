/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "batch.h"

size_t bw_cost_batch(const bw_arch *arch, const bw_request *requests, size_t count, bw_cost *costs,
                     bw_status *statuses)
{
#if defined(__x86_64__) || defined(__i386__)
    if (__builtin_cpu_supports("avx2"))
        return bw_batch_avx2(arch, requests, count, costs, statuses);
#endif
    return bw_batch_portable(arch, requests, count, costs, statuses);
}
