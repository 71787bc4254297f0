/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "plain.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "utf8.h"

#define ESCAPE '\033'
#define SHOWN '?'

/* What follows the escape, or the zero byte in its place: "Select Graphic Rendition" of ECMA-48. */
static const char *const codes[] = {
    [BW_STYLE_OFF] = "[0m",      [BW_STYLE_BOLD] = "[1m",       [BW_STYLE_FAINT] = "[2m",
    [BW_STYLE_ALERT] = "[1;31m", [BW_STYLE_WARNING] = "[1;35m", [BW_STYLE_NOTE] = "[1;36m",
    [BW_STYLE_CARET] = "[1;32m",
};
_Static_assert(sizeof codes / sizeof *codes == BW_STYLE_COUNT, "a code for each");

/* What a CI obeys: GitHub's workflow commands at the beginning of a line, after blanks; their older
 * form, and Azure's, anywhere. */
#define COMMAND "::"
static const char *const anywhere[] = {"##[", "##vso["};

void bw_put_style(FILE *out, bw_style style)
{
    fputc('\0', out);
    fputs(codes[style], out);
}

static bool begins(const char *text, size_t len, const char *with)
{
    size_t bytes = strlen(with);
    return len >= bytes && memcmp(text, with, bytes) == 0;
}

/* Bytes of the style's mark at text[0..len), the zero byte included; 0: none. */
static size_t mark_bytes(const char *text, size_t len)
{
    for (size_t i = 0; i < BW_STYLE_COUNT; i++)
        if (begins(text + 1, len - 1, codes[i]))
            return 1 + strlen(codes[i]);
    return 0;
}

static bool is_command(const bw_plain *at, const char *text, size_t len)
{
    bool found = !at->inside && !at->commands && begins(text, len, COMMAND);
    for (size_t i = 0; i < sizeof anywhere / sizeof *anywhere; i++)
        found |= begins(text, len, anywhere[i]);
    return found;
}

/* Blanks beyond ASCII's that readers of logs take off a line's beginning (Unicode's White_Space).
 */
static bool is_blank(uint32_t code)
{
    return code == ' ' || code == '\t' || code == 0xa0 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 ||
           code == 0x202f || code == 0x205f || code == 0x3000;
}

/* A carriage return belongs to a line's end alone: elsewhere it overwrites what was shown. */
static bool is_control(const char *text, size_t len, uint32_t code)
{
    if (code == '\r')
        return !(len > 1 && text[1] == '\n');
    return (code < ' ' && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0);
}

/* Mends the character at text[0..len); its bytes. */
static size_t mend_one(bw_plain *at, char *text, size_t len)
{
    uint32_t code = 0;
    size_t bytes = bw_utf8_decode(text, len, &code), mark;
    if (*text == '\0' && (mark = mark_bytes(text, len)) != 0) {
        *text = ESCAPE;
        return mark;
    }
    if (bytes == 0 || is_control(text, len, code)) {
        bytes = bytes ? bytes : 1;
        memset(text, SHOWN, bytes);
        code = SHOWN;
    } else if (is_command(at, text, len)) {
        *text = SHOWN;
    }
    at->inside = code != '\n' && code != '\r' && (at->inside || !is_blank(code));
    return bytes;
}

/* Bytes of printable ASCII at the beginning that need no second look: most of all texts. */
static size_t plain_bytes(const char *text, size_t len)
{
    size_t bytes = 0;
    while (bytes < len && text[bytes] >= ' ' && text[bytes] < 0x7f && text[bytes] != '#')
        bytes++;
    return bytes;
}

size_t bw_plain_mend(bw_plain *at, char *text, size_t len, bool last)
{
    size_t done = 0;
    while (done < len && (last || len - done >= BW_PLAIN_AHEAD)) {
        size_t plain = at->inside ? plain_bytes(text + done, len - done) : 0;
        done += plain ? plain : mend_one(at, text + done, len - done);
    }
    return done;
}

void bw_print_plain(FILE *out, char *text, size_t len)
{
    bw_plain at = {.commands = false};
    bw_plain_mend(&at, text, len, true);
    fwrite(text, 1, len, out);
}

void bw_say_list(FILE *out, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t size = (size_t)(length < 0 ? 0 : length) + 1;
    char *text = bw_calloc(size, 1);
    vsnprintf(text, size, format, arguments);
    bw_print_plain(out, text, strlen(text));
    free(text);
}

void bw_say(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bw_say_list(out, format, arguments);
    va_end(arguments);
}
