/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * utf8: characters of texts that may be anything.
 *
 * Pure functions; nothing is owned.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_UTF8_H
#define BANKWISE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the character at text[0..len), len >= 1; its bytes, or 0 where it is not UTF-8: a wrong
 * or missing byte, a longer form than needed, a surrogate, or past U+10FFFF. */
unsigned bw_utf8_decode(const char *text, size_t len, uint32_t *code);

#endif
