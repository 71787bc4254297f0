/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary_private.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FLAGS 512

static bool has_ending(const char *path, const char *ending)
{
    size_t len = path ? strlen(path) : 0, n = strlen(ending);
    return len > n && strcmp(path + len - n, ending) == 0;
}

bool bw_binary_is_to_compile(const bw_session *session)
{
    return session->args->values[BW_OPTION_NVCC].given || has_ending(session->input.path, ".ptx");
}

/* Splits flags at spaces; "…" and '…' keep theirs. No other quoting, and no shell. */
static size_t split_flags(bw_arena *arena, const char *text, const char **argv, size_t count)
{
    while (*text && count < MAX_FLAGS) {
        text += strspn(text, " \t\n");
        char *word = bw_arena_copy(arena, text, strlen(text)), *to = word, quote = '\0';
        if (!*text)
            break;
        for (; *text && (quote || !strchr(" \t\n", *text)); text++) {
            if (quote ? *text == quote : *text == '"' || *text == '\'')
                quote = quote ? '\0' : *text;
            else
                *to++ = *text;
        }
        *to = '\0';
        argv[count++] = word;
    }
    return count;
}

static bool compile(bw_session *session, const char *cubin)
{
    const bw_value *arch = &session->args->values[BW_OPTION_ARCH];
    const bw_value *flags = &session->args->values[BW_OPTION_NVCC];
    bool ptx = has_ending(session->input.path, ".ptx");
    const char *name = ptx ? "ptxas" : "nvcc", *program = bw_process_find(&session->arena, name);
    const char *argv[MAX_FLAGS + 16];
    size_t count = 0;
    if (!program)
        return bw_binary_no_program(
            bw_arena_format(&session->arena, "%s is not here to compile the file", name),
            "install NVIDIA's CUDA Toolkit, and put its bin folder on the PATH");
    argv[count++] = program;
    if (!ptx)
        argv[count++] = "-cubin";
    argv[count++] = "-lineinfo";
    argv[count++] = bw_arena_format(&session->arena, "-arch=%s",
                                    arch->given ? arch->arch->name : BW_DEFAULT_ARCH);
    if (flags->given)
        count = split_flags(&session->arena, flags->text, argv, count);
    argv[count++] = "-o";
    argv[count++] = cubin;
    argv[count++] = session->input.path;
    argv[count] = NULL;
    bw_process_result result;
    bool good = bw_binary_run(argv, &result);
    if (good)
        free(result.output);
    return good;
}

bool bw_binary_compile(bw_session *session)
{
    if (!session->input.path)
        return bw_binary_no_program("a source cannot be compiled from standard input",
                                    "give it as a file");
    if (!bw_binary_make_scratch(session))
        return false;
    const char *cubin =
        bw_arena_format(&session->arena, "%s/kernel.cubin", session->scratch.folder);
    return compile(session, cubin) && bw_binary_take_cubin(session, cubin);
}
