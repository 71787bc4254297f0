/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "image.h"

#include <stdlib.h>

#include "arena.h"

void bw_image_create(bw_image *image, uint32_t size)
{
    *image = (bw_image){
        .bytes = bw_calloc(size + 16, 1),
        .state = bw_calloc(size + 16, 1),
        .origin = bw_calloc(size / 4 + 4, sizeof *image->origin),
        .size = size,
    };
}

void bw_image_finish(bw_image *image)
{
    free(image->bytes);
    free(image->state);
    free(image->origin);
}

void bw_image_reset(bw_image *image)
{
    memset(image->state, BW_BYTE_NEVER, image->size);
}

void bw_image_forget(bw_image *image, uint32_t origin)
{
    for (uint32_t k = 0; k < image->size; k++)
        if (image->state[k] == BW_BYTE_KNOWN) {
            image->state[k] = BW_BYTE_UNKNOWN;
            image->origin[k / 4] = origin;
        }
}
