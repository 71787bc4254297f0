/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary_private.h"
#include "compile_commands.h"

#include <stdlib.h>
#include <string.h>

static bool has_ending(const char *path, const char *ending)
{
    size_t len = path ? strlen(path) : 0, n = strlen(ending);
    return len > n && strcmp(path + len - n, ending) == 0;
}

bool bw_binary_is_to_compile(const bw_session *session)
{
    const bw_value *values = session->args->values;
    return values[BW_OPTION_NVCC].given || values[BW_OPTION_COMPILE_COMMANDS].given ||
           has_ending(session->input.path, ".ptx");
}

/* ---- flags ---- */

/* Those of the project, then those of the command line. */
static bool read_flags(bw_session *session, bw_nvcc_flags *flags, const char **folder)
{
    const bw_value *project = &session->args->values[BW_OPTION_COMPILE_COMMANDS];
    const bw_value *given = &session->args->values[BW_OPTION_NVCC];
    if (project->given && !bw_compile_commands_find(flags, folder, &session->arena, project->text,
                                                    session->input.path))
        return false;
    bw_words words = {.words = NULL};
    if (given->given)
        bw_words_split(&words, &session->arena, given->text);
    bw_nvcc_flags_add(flags, &session->arena, &words);
    bw_words_finish(&words);
    return true;
}

/* A path that means the same in another folder. */
static const char *full_path(bw_session *session, const char *path)
{
    char *full = realpath(path, NULL);
    if (!full)
        return path;
    const char *kept = bw_arena_copy(&session->arena, full, strlen(full));
    free(full);
    return kept;
}

/* ---- compiling ---- */

static bool run_compiler(bw_session *session, const char *program, const bw_nvcc_flags *flags,
                         const char *folder, const char *cubin)
{
    const bw_value *arch = &session->args->values[BW_OPTION_ARCH];
    const char *path = session->input.path;
    bw_words argv = {.words = NULL};
    bw_words_add(&argv, program);
    if (!has_ending(path, ".ptx"))
        bw_words_add(&argv, "-cubin");
    bw_words_add(&argv, "-lineinfo");
    bw_words_add(&argv,
                 bw_arena_format(&session->arena, "-arch=%s",
                                 bw_nvcc_flags_arch(flags, arch->given ? arch->arch->name : NULL,
                                                    BW_DEFAULT_ARCH)));
    for (size_t i = 0; i < flags->flags.count; i++)
        bw_words_add(&argv, flags->flags.words[i]);
    bw_words_add(&argv, "-o");
    bw_words_add(&argv, cubin);
    bw_words_add(&argv, folder ? full_path(session, path) : path);
    bw_words_add(&argv, NULL);
    bw_process_result result;
    bool good = bw_binary_run(folder, argv.words, &result);
    if (good)
        free(result.output);
    bw_words_finish(&argv);
    return good;
}

static bool compile(bw_session *session, const char *cubin)
{
    const char *name = has_ending(session->input.path, ".ptx") ? "ptxas" : "nvcc";
    const char *program, *folder = NULL;
    bw_nvcc_flags flags = {.flags = {.words = NULL}};
    bool good = read_flags(session, &flags, &folder);
    if (good && !(program = bw_process_find(&session->arena, name)))
        good = bw_binary_no_program(
            bw_arena_format(&session->arena, "%s is not here to compile the file", name),
            "install NVIDIA's CUDA Toolkit, and put its bin folder on the PATH");
    else if (good)
        good = run_compiler(session, program, &flags, folder, cubin);
    bw_nvcc_flags_finish(&flags);
    return good;
}

bool bw_binary_compile(bw_session *session)
{
    if (!session->input.path)
        return bw_binary_no_program("a source cannot be compiled from standard input",
                                    "give it as a file");
    if (!bw_binary_make_scratch(session))
        return false;
    const bw_source *source = &session->input.source;
    session->compiled =
        (bw_source){.name = source->name,
                    .text = bw_arena_copy(&session->arena, source->text, source->len),
                    .len = source->len};
    const char *cubin = bw_arena_format(&session->arena, "%s/kernel.cubin",
                                        full_path(session, session->scratch.folder));
    return compile(session, cubin) && bw_binary_take_cubin(session, cubin);
}
