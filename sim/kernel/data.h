/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * data: what a buffer in global memory holds, from a word of the command line to bytes.
 *
 *     zero                  every byte 0
 *     iota                  0, 1, 2 ... as int; iota:u64 as another type
 *     random:u32:0..255     each element drawn evenly from a range, both ends included
 *     rand:1%256            rand() % 256 after srand(1), as glibc draws: what programs fill ints
 * with rand:1+4096%256       the same after 4096 draws for something else file:keys.bin         the
 * bytes of a file
 *
 * Every law but a file's is endless: element i is the same however much of the buffer is filled,
 * and the same on every machine. Numbers are little-endian. Owns nothing.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_DATA_H
#define BANKWISE_DATA_H

#include <stdbool.h>
#include <stdint.h>

typedef enum bw_data_kind {
    BW_DATA_ZERO,
    BW_DATA_IOTA,
    BW_DATA_RANDOM,
    BW_DATA_RAND,
    BW_DATA_FILE,
} bw_data_kind;

typedef struct bw_data_law {
    bw_data_kind kind;
    uint8_t size;           /* of an element, in bytes */
    bool is_real;           /* f32, f64 */
    uint64_t low, range;    /* RANDOM of integers: low + 0 … range */
    double real[2];         /* RANDOM of reals: between these */
    uint32_t seed, modulus; /* RAND; modulus 0: all of rand() */
    uint64_t skip;          /* RAND: draws before the first */
    const char *path;       /* FILE: part of the text that was read */
} bw_data_law;

/* Reads a law. NULL, or what is wrong with the text and what to write: static storage. */
const char *bw_data_read(bw_data_law *law, const char *text);

/* Fills bytes[0..size) with the law's elements (not of a file). `seed` and `stream` choose the
 * numbers of RANDOM: another stream for each buffer. */
void bw_data_fill(const bw_data_law *law, uint32_t seed, uint32_t stream, uint8_t *bytes,
                  uint64_t size);

#endif
