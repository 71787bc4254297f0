/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "complain.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "plain.h"

static const bw_listener *listening;

void bw_listen(const bw_listener *listener)
{
    listening = listener;
}

void bw_tell(bw_message_id id, const bw_source *source, bw_span span, const char *message)
{
    if (listening)
        listening->hear(listening->context, id, source, span, message);
}

void bw_complain(bw_message_id id, const char *note, const char *format, ...)
{
    bw_arena arena = {NULL};
    va_list arguments;
    va_start(arguments, format);
    const char *message = bw_arena_format_list(&arena, format, arguments);
    va_end(arguments);
    bw_say(stderr, "bankwise: error: %s [%s]\n", message, bw_message_of(id)->id);
    if (note)
        bw_say(stderr, "note: %s\n", note);
    bw_tell(id, NULL, (bw_span){0, 0}, message);
    bw_arena_finish(&arena);
}

void bw_complain_of(bw_message_id id, const char *note, const char *doing, const char *path,
                    int reason)
{
    if (reason == ENOMEM)
        bw_out_of_memory();
    bw_complain(id, note, "cannot %s '%s': %s", doing, path, strerror(reason));
}
