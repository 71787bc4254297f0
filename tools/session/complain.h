/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * complain: errors that are about no line of an input, said on standard error.
 *
 * Owns their form, and who else hears of errors: a report that must tell of them. It knows no
 * option. Not thread-safe, as standard error is.
 */
#ifndef BANKWISE_COMPLAIN_H
#define BANKWISE_COMPLAIN_H

#include "diag.h"

/* Who hears of the errors that are said. */
typedef struct bw_listener {
    void *context;
    /* `source` may be NULL: about no place in a file. The texts live for the call. */
    void (*hear)(void *context, bw_message_id id, const bw_source *source, bw_span span,
                 const char *message);
} bw_listener;

/* From now on `listener` hears; NULL: nobody. It must outlive its time. */
void bw_listen(const bw_listener *listener);
/* Tells of an error that is said elsewhere. */
void bw_tell(bw_message_id id, const bw_source *source, bw_span span, const char *message);

/* Prints "bankwise: error: … [id]" to standard error, and the remedy where `note` is not NULL. */
void bw_complain(bw_message_id id, const char *note, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of the system's error `reason`: "cannot read 'PATH': why"; `doing` is "read" or "write".
 * Where memory ran out, the program ends with exit code 3. */
void bw_complain_of(bw_message_id id, const char *note, const char *doing, const char *path,
                    int reason);

#endif
