/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary_private.h"
#include "cache.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel.h"
#include "output.h"
#include "plain.h"

/* The first bytes of a fatbin (cuobjdump names them FATBIN_MAGIC). */
static const unsigned char fatbin_magic[] = {0x50, 0xed, 0x55, 0xba};
#define PACKAGES                                                                                   \
    "install NVIDIA's packages cuda-nvdisasm and cuda-cuobjdump, or name one with --disasm"
#define MAX_CUBINS 4096

bool bw_binary_is(const char *bytes, size_t len)
{
    return (len > SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0) ||
           (len > sizeof fatbin_magic && memcmp(bytes, fatbin_magic, sizeof fatbin_magic) == 0);
}

/* ---- NVIDIA's programs ---- */

/* The disassembler `name`, or NULL: the one that --disasm gives, if it is called so or is not
 * called as the other one is; else that on the PATH. */
static const char *disassembler(bw_session *session, const char *name, const char *other)
{
    const bw_value *given = &session->args->values[BW_OPTION_DISASSEMBLER];
    if (!given->given)
        return bw_process_find(&session->arena, name);
    const char *slash = strrchr(given->text, '/'), *base = slash ? slash + 1 : given->text;
    return strncmp(base, other, strlen(other)) == 0 ? NULL : given->text;
}

bool bw_binary_no_program(const char *what, const char *note)
{
    bw_complain(BW_MSG_TOOL_MISSING, note, "%s", what);
    return false;
}

bool bw_binary_run(const char *folder, const char *const *argv, bw_process_result *result)
{
    if (folder)
        bw_process_run_in(folder, argv, BW_INPUT_MAX, result);
    else
        *result = bw_process_run(argv, BW_INPUT_MAX);
    if (result->code == 0 && result->output)
        return true;
    if (*result->message)
        bw_say(stderr, "%s\n", result->message);
    if (result->code == 0)
        bw_complain(BW_MSG_TOOL_FAILED, "choose one kernel's cubin", "%s prints more than 64 MiB",
                    argv[0]);
    else if (result->code < 0)
        bw_complain(BW_MSG_TOOL_FAILED, NULL, "%s was ended by signal %d", argv[0], -result->code);
    else
        bw_complain(BW_MSG_TOOL_FAILED, *result->message ? "its message is above" : NULL,
                    "%s failed (exit code %d)", argv[0], result->code);
    free(result->output);
    return false;
}

/* ---- one cubin ---- */

/* Takes the disassembly of the cubin at `path` as the session's text. */
static bool disassemble(bw_session *session, const char *path)
{
    const char *nvdisasm = disassembler(session, "nvdisasm", "cuobjdump");
    const char *cuobjdump = disassembler(session, "cuobjdump", "nvdisasm");
    const char *const with_lines[] = {nvdisasm, "-c", "-gi", path, NULL};
    const char *const plain[] = {cuobjdump, "-sass", path, NULL};
    bw_process_result result;
    if (!nvdisasm && !cuobjdump)
        return bw_binary_no_program(
            "neither nvdisasm nor cuobjdump is here to disassemble the file", PACKAGES);
    if (!bw_binary_run(NULL, nvdisasm ? with_lines : plain, &result))
        return false;
    if (!bw_kernel_is_text(result.output, result.length)) {
        bw_complain(BW_MSG_TOOL_FAILED, "is it NVIDIA's?", "%s prints no machine code",
                    nvdisasm ? nvdisasm : cuobjdump);
        free(result.output);
        return false;
    }
    bw_input now;
    bw_input_set(&now, session->input.source.name, session->input.path, result.output,
                 result.length);
    bw_input_finish(&session->input);
    session->input = now;
    free(result.output);
    return true;
}

bool bw_binary_take_cubin(bw_session *session, const char *path)
{
    session->cubin = path;
    session->beside = bw_cache_launch(&session->arena, path);
    return disassemble(session, path);
}

/* The cubin at `path`, or NULL after an error; its bytes live in *source. */
static bw_kernel_file *read_cubin(bw_session *session, const char *path, bw_source *source)
{
    *source = (bw_source){.name = session->input.source.name};
    source->text = bw_file_read(path, BW_INPUT_MAX, &source->len);
    if (source->text)
        return bw_kernel_file_read(source, &session->diags);
    bw_complain(BW_MSG_CANNOT_READ, NULL, "cannot read '%s': %s", path, strerror(errno));
    return NULL;
}

/* ---- several in a file ---- */

typedef struct found {
    const char *paths[MAX_CUBINS];
    size_t count;
} found;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_cubins(bw_session *session, const char *folder, found *f)
{
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open)) && f->count < MAX_CUBINS;) {
        size_t len = strlen(entry->d_name);
        if (len > 6 && strcmp(entry->d_name + len - 6, ".cubin") == 0)
            f->paths[f->count++] = bw_arena_format(&session->arena, "%s/%s", folder, entry->d_name);
    }
    if (open)
        closedir(open);
    qsort(f->paths, f->count, sizeof *f->paths, by_name);
}

/* Whether the options may mean a kernel of the cubin. */
static bool may_be_meant(const bw_session *session, const bw_kernel_file *file)
{
    const bw_value *kernel = &session->args->values[BW_OPTION_KERNEL];
    const bw_value *arch = &session->args->values[BW_OPTION_ARCH];
    if (arch->given && strcmp(arch->arch->name, bw_kernel_file_arch(file)) != 0)
        return false;
    return bw_kernel_file_has(file, kernel->given ? kernel->text : NULL);
}

/* "sm_80, sm_90", each once, of the cubins that were found. */
static void note_arch(bw_session *session, const char *arch, const char **archs)
{
    const char *at = strstr(*archs, arch);
    if (!at || (at[strlen(arch)] && at[strlen(arch)] != ','))
        *archs = bw_arena_format(&session->arena, "%s%s%s", *archs, **archs ? ", " : "", arch);
}

/* sm_90 comes before all others, then the highest; -1: not meant; -2: an error. */
static int rank_of(bw_session *session, const char *path, const char **archs)
{
    bw_source source;
    int rank = -2;
    bw_kernel_file *file = read_cubin(session, path, &source);
    if (file) {
        const char *arch = bw_kernel_file_arch(file);
        note_arch(session, arch, archs);
        rank = !may_be_meant(session, file)         ? -1
               : strcmp(arch, BW_DEFAULT_ARCH) == 0 ? INT32_MAX
                                                    : (int)strtol(arch + strlen("sm_"), NULL, 10);
        bw_kernel_file_destroy(file);
    }
    free((char *)source.text);
    return rank;
}

static bool none_meant(const bw_session *session, size_t count, const char *archs)
{
    const char *name = session->input.source.name;
    if (!count)
        bw_complain(BW_MSG_NO_KERNELS,
                    "build it with nvcc for one architecture at least: -arch=sm_90",
                    "'%s' holds no machine code for a GPU", name);
    else
        bw_complain(BW_MSG_NO_KERNELS, "choose with --arch and --kernel",
                    "no kernel of '%s' is the one that is asked for; it has code for %s", name,
                    archs);
    return false;
}

/* Of the cubins that are meant, the one for sm_90, or for the highest architecture; if several of
 * that are left, the kernel's name must decide. */
static bool choose_cubin(bw_session *session, const char *folder)
{
    found f = {.count = 0};
    const char *best = NULL, *archs = "";
    int best_rank = -1, equals = 0;
    list_cubins(session, folder, &f);
    for (size_t i = 0; i < f.count; i++) {
        int rank = rank_of(session, f.paths[i], &archs);
        if (rank == -2)
            return false;
        equals = rank > best_rank ? 1 : equals + (rank == best_rank);
        best = rank > best_rank ? f.paths[i] : best;
        best_rank = rank > best_rank ? rank : best_rank;
    }
    if (!best)
        return none_meant(session, f.count, archs);
    if (equals > 1) {
        bw_complain(BW_MSG_NO_KERNELS, "name the kernel: --kernel NAME, mangled, in full",
                    "'%s' has %d parts with machine code for that", session->input.source.name,
                    equals);
        return false;
    }
    return bw_binary_take_cubin(session, best);
}

/* cuobjdump writes into the folder that it runs in: so its input's path must not be relative. */
static bool extract(bw_session *session)
{
    const char *cuobjdump = disassembler(session, "cuobjdump", "nvdisasm");
    if (!cuobjdump)
        return bw_binary_no_program("cuobjdump is not here to take the file apart", PACKAGES);
    char *full = realpath(session->input.path, NULL);
    const char *const argv[] = {cuobjdump, "-xelf", "all", full, NULL};
    bw_process_result result = {.code = 0};
    bool good = full && bw_process_run_in(session->scratch.folder, argv, BW_INPUT_MAX, &result);
    if (!good)
        bw_complain(BW_MSG_TOOL_FAILED, *result.message ? result.message : NULL,
                    "%s takes '%s' not apart (exit code %d)", cuobjdump, session->input.source.name,
                    result.code);
    free(result.output);
    free(full);
    return good;
}

bool bw_binary_make_scratch(bw_session *session)
{
    if (bw_scratch_make(&session->scratch, &session->arena))
        return true;
    bw_complain(BW_MSG_CANNOT_WRITE, NULL, "cannot make a temporary folder: %s", strerror(errno));
    return false;
}

bool bw_binary_read(bw_session *session)
{
    const bw_source *source = &session->input.source;
    if (!session->input.path)
        return bw_binary_no_program("a binary cannot be read from standard input",
                                    "give it as a file");
    if (!bw_kernel_is_file(source->text, source->len))
        return bw_binary_make_scratch(session) && extract(session) &&
               choose_cubin(session, session->scratch.folder);
    bw_kernel_file *file =
        bw_kernel_file_read(source, &session->diags); /* before a program is run */
    bw_kernel_file_destroy(file);
    return file && bw_binary_take_cubin(
                       session, bw_arena_format(&session->arena, "%s", session->input.path));
}
