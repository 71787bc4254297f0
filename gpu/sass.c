/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "sass.h"

#include <string.h>

/* Machine code lines are shorter; longer ones are cut, which loses nothing of the mnemonic. */
#define LINE 512

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* The mnemonic of a line such as "  /\*0080*\/  @!P0 LDS.64 R2, [R4] ;", or NULL; *length gets its
 * length. Instructions that are switched off for good ("@!PT") are padding of ptxas, not ours. */
static const char *mnemonic(const char *line, size_t *length)
{
    while (is_space(*line))
        line++;
    const char *end = strncmp(line, "/*", 2) == 0 ? strstr(line, "*/") : NULL;
    if (!end)
        return NULL;
    for (line = end + 2; is_space(*line);)
        line++;
    if (strncmp(line, "@!PT", 4) == 0)
        return NULL;
    if (*line == '@')
        line += strcspn(line, " \t");
    while (is_space(*line))
        line++;
    *length = strcspn(line, " \t;\n");
    return *length ? line : NULL;
}

/* "Function : NAME" begins a kernel: its operation, or BW_OP_COUNT for others; *wait tells which of
 * the two it is. */
static bw_op kernel_of(const char *line, bool *wait)
{
    const char *name = strstr(line, "Function : ");
    if (!name)
        return BW_OP_COUNT;
    name += strlen("Function : ");
    size_t length = strcspn(name, " \t\r\n");
    for (int op = 0; op < BW_OP_COUNT; op++) {
        char timing[BW_KERNEL_NAME], waiting[BW_KERNEL_NAME];
        bw_gpu_kernel_name((bw_op)op, false, timing, sizeof timing);
        bw_gpu_kernel_name((bw_op)op, true, waiting, sizeof waiting);
        *wait = strlen(waiting) == length && memcmp(name, waiting, length) == 0;
        if (*wait || (strlen(timing) == length && memcmp(name, timing, length) == 0))
            return (bw_op)op;
    }
    return BW_OP_COUNT;
}

void bw_sass_read(FILE *text, bw_sass_count *counts)
{
    char line[LINE];
    int *counter = NULL;
    const char *wanted = "";
    for (int op = 0; op < BW_OP_COUNT; op++)
        counts[op] = (bw_sass_count){-1, -1};
    while (fgets(line, sizeof line, text)) {
        size_t length = 0;
        if (strstr(line, "Function : ")) {
            bool wait = false;
            bw_op op = kernel_of(line, &wait);
            counter = op == BW_OP_COUNT ? NULL : wait ? &counts[op].wait : &counts[op].time;
            wanted = op == BW_OP_COUNT ? "" : bw_gpu_op_get(op)->sass;
            if (counter)
                *counter = 0;
            continue;
        }
        const char *word = counter ? mnemonic(line, &length) : NULL;
        if (word && strcspn(wanted, " ") == length && memcmp(word, wanted, length) == 0)
            ++*counter;
    }
}

bool bw_sass_right(bw_op op, int count)
{
    bool ours_too = op == BW_OP_LD_32 || op == BW_OP_ST_32;
    return ours_too ? count >= BW_ISSUES : count == BW_ISSUES;
}
