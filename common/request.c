/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "request.h"

uint32_t bw_request_lanes(const bw_request *request)
{
    const bw_op_info *info = bw_op_get(request->op);
    if (!info)
        return 0;
    if (info->matrices == 0 || info->matrices == 4)
        return request->active;
    return request->active & ((1u << (8 * info->matrices)) - 1);
}

int bw_request_bad_lane(const bw_request *request, uint32_t limit)
{
    const bw_op_info *info = bw_op_get(request->op);
    uint32_t lanes = bw_request_lanes(request);
    for (int lane = 0; info && lane < BW_LANES; lane++) {
        uint32_t a = request->addr[lane];
        if (!(lanes >> lane & 1))
            continue;
        if (a & (info->bytes - 1u) || (limit && (a >= limit || limit - a < info->bytes)))
            return lane;
    }
    return -1;
}
