/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * option_values: the arguments of options, by their types.
 *
 * Owns how each bw_option_type is written, and what is said of one that is written otherwise. It
 * knows no single option, but for where a range is allowed. Internal to options.
 */
#ifndef BANKWISE_OPTION_VALUES_H
#define BANKWISE_OPTION_VALUES_H

#include "options.h"

/* Reads the argument `text` of the option into args; "" of a flag. False after an error, which was
 * printed. `text` must outlive args. */
bool bw_option_read(bw_args *args, const bw_option *option, const char *text);

/* Says "--option: 'text' what"; false. */
bool bw_bad_value(bw_message_id id, const bw_option *option, const char *text, const char *what,
                  const char *note);

#endif
