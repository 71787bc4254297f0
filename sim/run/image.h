/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * image: the shared memory of a block, byte by byte: what it holds, and why it is not known.
 *
 * Owns its arrays. It checks no bounds: who reads and writes has checked that the bytes are there.
 * An origin is the caller's number for the place where an unknown value arose; it is kept for each
 * word. Reading and writing are here, inline, because they are what evaluation spends time on. Not
 * thread-safe.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_IMAGE_H
#define BANKWISE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef enum bw_byte_state { BW_BYTE_NEVER, BW_BYTE_KNOWN, BW_BYTE_UNKNOWN } bw_byte_state;

/* The origin of what was never written. */
#define BW_NEVER_WRITTEN UINT32_MAX

typedef struct bw_image {
    uint8_t *bytes;
    uint8_t *state;   /* by byte: bw_byte_state */
    uint32_t *origin; /* by word, where a byte of it is unknown */
    uint32_t size;
} bw_image;

/* What an image of `size` bytes takes, about. */
#define BW_IMAGE_BYTES(size) ((uint64_t)(size)*3)

void bw_image_create(bw_image *image, uint32_t size);
void bw_image_finish(bw_image *image); /* accepts a zeroed one */
/* As it is when a block begins: never written. */
void bw_image_reset(bw_image *image);

/* Nothing that was written is known any more. */
void bw_image_forget(bw_image *image, uint32_t origin);

/* Up to 8 bytes, little-endian as the card's. False where some of them are not known: then *origin
 * says why, or is BW_NEVER_WRITTEN. */
static inline bool bw_image_read(const bw_image *image, uint32_t offset, uint32_t bytes,
                                 uint64_t *bits, uint32_t *origin)
{
    *bits = 0;
    memcpy(bits, image->bytes + offset, bytes);
    for (uint32_t k = 0; k < bytes; k++)
        if (image->state[offset + k] != BW_BYTE_KNOWN) {
            *origin = image->state[offset + k] == BW_BYTE_NEVER ? BW_NEVER_WRITTEN
                                                                : image->origin[(offset + k) / 4];
            return false;
        }
    return true;
}

static inline void bw_image_write(bw_image *image, uint32_t offset, uint32_t bytes, uint64_t bits,
                                  bool known, uint32_t origin)
{
    memcpy(image->bytes + offset, &bits, bytes);
    memset(image->state + offset, known ? BW_BYTE_KNOWN : BW_BYTE_UNKNOWN, bytes);
    if (!known)
        for (uint32_t k = 0; k < bytes; k += 4)
            image->origin[(offset + k) / 4] = origin;
}

#endif
