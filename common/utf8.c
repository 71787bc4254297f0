/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "utf8.h"

#include <stdbool.h>

unsigned bw_utf8_decode(const char *text, size_t len, uint32_t *code)
{
    const unsigned char *s = (const unsigned char *)text;
    unsigned bytes = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
    if (bytes == 0 || bytes > len || s[0] > 0xf4)
        return 0;
    *code = bytes == 1 ? s[0] : s[0] & (0x7fu >> bytes);
    for (unsigned i = 1; i < bytes; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (s[i] & 0x3f);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < least[bytes] || surrogate || *code > 0x10ffff ? 0 : bytes;
}
