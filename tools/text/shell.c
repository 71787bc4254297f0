/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shell.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_plain(const char *word)
{
    static const char signs[] = "%+,-./:=@_";
    if (!*word)
        return false;
    for (; *word; word++)
        if (!isalnum((unsigned char)*word) && !strchr(signs, *word))
            return false;
    return true;
}

const char *bw_shell_word(bw_arena *arena, const char *word)
{
    if (is_plain(word))
        return word;
    static const char quote[] = "'\\''"; /* ends the quotes, one of its own, begins them again */
    char *text = bw_arena_alloc(arena, (sizeof quote - 1) * strlen(word) + 3), *to = text;
    *to++ = '\'';
    for (; *word; word++) {
        size_t len = *word == '\'' ? sizeof quote - 1 : 1;
        memcpy(to, *word == '\'' ? quote : word, len);
        to += len;
    }
    *to = '\'';
    return text;
}
