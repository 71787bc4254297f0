/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session.h"
#include "tally_report.h"

/* A tally has a row for each instruction. */
#define MOST_KEPT ((size_t)1 << 30)

bool bw_resume_begin(const char *folder)
{
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return true;
    bw_complain_of(BW_MSG_CANNOT_WRITE, NULL, "write", folder, errno);
    return false;
}

/* NULL where the file is none that can be known again: standard input, or a pipe. */
static const char *name_of(bw_arena *arena, const char *folder, const char *file,
                           const bw_arch *arch)
{
    struct stat status;
    if (strcmp(file, "-") == 0 || stat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return NULL;
    const char *slash = strrchr(file, '/');
    uint32_t one = bw_hash_text(file, strlen(file)),
             two = bw_hash_text(arch->name, strlen(arch->name));
    one = bw_hash_number(one, (uint64_t)status.st_size);
    two = bw_hash_number(two, (uint64_t)status.st_mtim.tv_sec);
    two = bw_hash_number(two, (uint64_t)status.st_mtim.tv_nsec);
    return bw_arena_format(arena, "%s/%08" PRIx32 "%08" PRIx32 "-%s.json", folder, one, two,
                           slash ? slash + 1 : file);
}

bool bw_resume_take(const char *folder, const char *file, const bw_arch *arch, bw_totals *totals)
{
    bw_arena arena = {NULL};
    size_t len = 0;
    const char *name = name_of(&arena, folder, file, arch);
    char *text = name ? bw_file_read(name, MOST_KEPT, &len) : NULL;
    bool good = text && bw_tally_read(name, text, len, arch, totals);
    free(text);
    bw_arena_finish(&arena);
    return good;
}

static bool write_text(const char *path, const char *text, size_t len)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    bool good = fwrite(text, 1, len, out) == len && fflush(out) == 0 && fsync(fileno(out)) == 0;
    return fclose(out) == 0 && good;
}

bool bw_resume_keep(const char *folder, const char *file, const bw_arch *arch,
                    const bw_totals *totals)
{
    bw_arena arena = {NULL};
    const char *name = name_of(&arena, folder, file, arch);
    bool good = true;
    if (name) {
        size_t len;
        char *text = bw_tally_json(totals, arch, &len);
        const char *beside = bw_arena_format(&arena, "%s.%ld", name, (long)getpid());
        good = write_text(beside, text, len) && rename(beside, name) == 0;
        if (!good)
            bw_complain_of(BW_MSG_CANNOT_WRITE, NULL, "write", name, errno);
        free(text);
    }
    bw_arena_finish(&arena);
    return good;
}
