/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * list: files that list launches.
 *
 * Owns their two forms: what people write, a launch, "data PLACE=LAW" or "arg PLACE=VALUE" a line;
 * and what bankwise-launches.so writes of a running program (gpu/launches.c), whose launches become
 * the same. It knows no kernel.
 */
#ifndef BANKWISE_LIST_H
#define BANKWISE_LIST_H

#include "options.h"

/* Adds what the file at `path` lists to the launches, arguments and data of `args`. False after an
 * error, which was printed. `path` must outlive args. */
bool bw_list_read(bw_args *args, const char *path);

#endif
