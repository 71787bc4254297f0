/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compile_commands: how a project compiles a file, from the compile_commands.json that CMake,
 * Meson, Bear and others write (clang's "JSON Compilation Database").
 *
 * Owns the finding of the file's entry. It runs nothing; see nvcc_flags.h for what is taken of it.
 */
#ifndef BANKWISE_COMPILE_COMMANDS_H
#define BANKWISE_COMPILE_COMMANDS_H

#include "nvcc_flags.h"

/*
 * Adds the flags with which `path` is compiled according to `where`, a folder that has a
 * compile_commands.json or such a file; *folder, in the arena, is where they are meant. Of several
 * entries for the file the first counts. False after an error, which was said.
 */
bool bw_compile_commands_find(bw_nvcc_flags *flags, const char **folder, bw_arena *arena,
                              const char *where, const char *path);

#endif
