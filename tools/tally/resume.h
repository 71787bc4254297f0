/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resume: tallies of whole files that were finished before, in a folder.
 *
 * A file's tally stands under a name made of the file's path, size and time of change, and of the
 * architecture: one that has changed since is tallied again. It is written whole or not at all, so
 * a killed process leaves nothing half. Several processes may use one folder at once.
 */
#ifndef BANKWISE_RESUME_H
#define BANKWISE_RESUME_H

#include "totals.h"

/* Makes the folder if there is none. False after an error, which was printed. */
bool bw_resume_begin(const char *folder);
/* Adds the tally of the file, if it is there and whole. */
bool bw_resume_take(const char *folder, const char *file, const bw_arch *arch, bw_totals *totals);
/* Keeps the tally of the file, which may be read again. False after an error, which was printed. */
bool bw_resume_keep(const char *folder, const char *file, const bw_arch *arch,
                    const bw_totals *totals);

#endif
