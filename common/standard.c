/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "standard.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool bw_standard_hold(void)
{
    for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; standard++) {
        if (fcntl(standard, F_GETFD) >= 0 || errno != EBADF)
            continue;
        /* The lowest free one is taken; the wrong way round, so that its use is an error. */
        int held = open("/dev/null", standard == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (held != standard)
            return false;
    }
    return true;
}
