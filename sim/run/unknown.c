/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "unknown.h"

void bw_explain_unknown(bw_diags *diags, bw_diagnostic *d, const bw_source *source,
                        const bw_unknown *unknowns, uint32_t origin, const char *note)
{
    bool unwritten = origin & BW_ORIGIN_UNWRITTEN;
    const bw_unknown *u = &unknowns[BW_ORIGIN_INDEX(origin)];
    bw_also(diags, d, source, u->span, "the value comes from %s%s", u->what,
            unwritten ? ": shared memory that nothing has written" : "");
    if (unwritten)
        bw_note(diags, d, "store to it before it is read");
    else
        bw_note(diags, d, "%s", u->note ? u->note : note);
}
