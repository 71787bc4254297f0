/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* memmem */
#include "cache.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "binary_private.h"
#include "json.h"
#include "kernel.h"

/* Of a folder so many files are looked into, so deep. */
#define MOST_FILES 100000
#define DEEPEST 16
/* Kernels that a message lists. */
#define LISTED 40

/* A cubin that may be meant. */
typedef struct image {
    const char *file;   /* that it lies in */
    const char *arch;   /* "sm_90" */
    const char *kernel; /* the first that may be meant, mangled */
    size_t kernels;     /* how many of it may be */
    bool exact;         /* a kernel is called as --kernel says, wholly */
    char *bytes;        /* malloc'd */
    size_t size;
    bool whole; /* the file is nothing else */
} image;

typedef struct search {
    bw_session *session;
    const char *kernel, *arch; /* wanted; NULL: any */
    image *images;             /* malloc'd */
    size_t count, capacity;
    size_t cubins, files; /* seen */
    bool too_many;
} search;

/* ---- cubins in bytes ---- */

/* The next cubin at or after *at, and its size; 0 where there is none. *at goes to it. */
static size_t next_cubin(const char *bytes, size_t len, size_t *at)
{
    while (*at < len) {
        const char *found = memmem(bytes + *at, len - *at, ELFMAG, SELFMAG);
        if (!found)
            return 0;
        *at = (size_t)(found - bytes);
        size_t size = bw_kernel_file_size(found, len - *at);
        if (size)
            return size;
        *at += SELFMAG;
    }
    return 0;
}

bool bw_cache_is_container(const char *bytes, size_t len)
{
    size_t at = 0;
    return next_cubin(bytes, len, &at) > 0 && at > 0;
}

/* Keeps the cubin if a kernel of it may be meant. */
static void consider(search *s, const char *file, const char *bytes, size_t size, bool whole)
{
    bw_diags unheard = {.count = 0};
    bw_source source = {.name = file, .text = bytes, .len = size};
    bw_kernel_file *cubin = bw_kernel_file_read(&source, &unheard);
    bw_diags_finish(&unheard);
    if (!cubin)
        return;
    s->cubins++;
    image found = {.file = file, .size = size, .whole = whole};
    bw_arena *arena = &s->session->arena;
    found.arch = bw_arena_format(arena, "%s", bw_kernel_file_arch(cubin));
    const char *name;
    for (size_t i = 0; (name = bw_kernel_file_name(cubin, i)); i++) {
        bool exact = s->kernel && strcmp(name, s->kernel) == 0;
        if (s->kernel && !strstr(name, s->kernel))
            continue;
        if (!found.kernels++ || exact)
            found.kernel = bw_arena_copy(arena, name, strlen(name));
        found.exact |= exact;
    }
    bw_kernel_file_destroy(cubin);
    if (!found.kernels || (s->arch && strcmp(s->arch, found.arch) != 0))
        return;
    for (size_t i = 0; i < s->count; i++)
        if (s->images[i].size == size && memcmp(s->images[i].bytes, bytes, size) == 0)
            return; /* the same once more */
    found.bytes = bw_alloc(size);
    memcpy(found.bytes, bytes, size);
    BW_GROW(s->images, s->count, s->capacity);
    s->images[s->count++] = found;
}

/* Each cubin in the bytes; what is missing at the end of the last is zero. */
static void look_into(search *s, const char *file, const char *bytes, size_t len)
{
    size_t size;
    for (size_t at = 0; (size = next_cubin(bytes, len, &at)); at += size) {
        char *whole = bw_calloc(1, size);
        memcpy(whole, bytes + at, size < len - at ? size : len - at);
        consider(s, file, whole, size, at == 0);
        free(whole);
    }
}

/* ---- folders ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void look_at_file(search *s, const char *path)
{
    size_t len;
    s->too_many |= s->files == MOST_FILES;
    if (s->too_many)
        return;
    s->files++;
    char *bytes = bw_file_read(path, BW_INPUT_MAX, &len);
    if (bytes)
        look_into(s, path, bytes, len);
    free(bytes);
}

/* Files and folders in the order of their names; links are not followed. */
static void look_at_folder(search *s, const char *folder, unsigned depth)
{
    bw_arena *arena = &s->session->arena;
    const char **names = NULL;
    size_t count = 0, capacity = 0;
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        BW_GROW(names, count, capacity);
        names[count++] = bw_arena_format(arena, "%s/%s", folder, entry->d_name);
    }
    if (open)
        closedir(open);
    if (count)
        qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++) {
        struct stat status;
        if (lstat(names[i], &status) != 0)
            continue;
        if (S_ISREG(status.st_mode))
            look_at_file(s, names[i]);
        else if (S_ISDIR(status.st_mode) && depth < DEEPEST)
            look_at_folder(s, names[i], depth + 1);
    }
    free(names);
}

/* ---- which one ---- */

static bool none_found(const search *s)
{
    const char *name = s->session->input.source.name;
    if (!s->cubins)
        bw_complain(BW_MSG_NO_KERNELS,
                    "cubins are looked for; programs and fatbins must be given by themselves, and "
                    "what another program compressed is not seen",
                    "no compiled kernel lies in '%s'%s", name,
                    s->session->input.folder ? ", a directory" : "");
    else
        bw_complain(BW_MSG_NO_KERNELS, "choose with --kernel and --arch",
                    "of %zu cubins in '%s' none has a kernel that is asked for", s->cubins, name);
    return false;
}

/* "  NAME  sm_90, block 128, 16384 bytes shared: FILE" */
static const char *list_line(bw_arena *arena, const image *of)
{
    bw_launch_choice launch =
        of->whole ? bw_cache_launch(arena, of->file) : (bw_launch_choice){.nth = 0};
    const char *shape =
        launch.block[0] ? bw_arena_format(arena, ", block %u", launch.block[0]) : "";
    const char *shared =
        launch.shared ? bw_arena_format(arena, ", %u bytes shared", launch.shared) : "";
    const char *more =
        of->kernels > 1 ? bw_arena_format(arena, " and %zu more", of->kernels - 1) : "";
    return bw_arena_format(arena, "\n  %s%s  %s%s%s: %s", of->kernel, more, of->arch, shape, shared,
                           of->file);
}

static bool several_found(const search *s)
{
    bw_arena *arena = &s->session->arena;
    const char *list = "name one with --kernel, or give the file itself; they are:";
    for (size_t i = 0; i < s->count && i < LISTED; i++)
        list = bw_arena_format(arena, "%s%s", list, list_line(arena, &s->images[i]));
    if (s->count > LISTED)
        list = bw_arena_format(arena, "%s\n  and %zu more", list, s->count - LISTED);
    bw_complain(BW_MSG_NO_KERNELS, list, "'%s' has %zu cubins with %s",
                s->session->input.source.name, s->count, s->kernel ? "such a kernel" : "kernels");
    return false;
}

/* The only one, or the only one with a kernel of just that name; NULL after an error. */
static const image *choose(const search *s)
{
    const image *exact = NULL;
    size_t exacts = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->images[i].exact) {
            exact = &s->images[i];
            exacts++;
        }
    if (!s->count)
        none_found(s);
    else if (s->count == 1 || exacts == 1)
        return s->count == 1 ? &s->images[0] : exact;
    else
        several_found(s);
    return NULL;
}

/* ---- the cubin as a file ---- */

static bool write_image(bw_session *session, const image *of, const char **path)
{
    if (of->whole) {
        *path = of->file;
        return true;
    }
    if (!bw_binary_make_scratch(session))
        return false;
    *path = bw_arena_format(&session->arena, "%s/kernel.cubin", session->scratch.folder);
    FILE *file = fopen(*path, "wb");
    bool good = file && fwrite(of->bytes, 1, of->size, file) == of->size;
    if (file)
        good &= fclose(file) == 0;
    if (!good)
        bw_complain_of(BW_MSG_CANNOT_WRITE, NULL, "write", *path, errno);
    return good;
}

bool bw_cache_find(bw_session *session, const char **path)
{
    const bw_value *values = session->args->values;
    const bw_input *input = &session->input;
    search s = {.session = session,
                .kernel = values[BW_OPTION_KERNEL].text,
                .arch = values[BW_OPTION_ARCH].given ? values[BW_OPTION_ARCH].arch->name : NULL};
    if (input->folder)
        look_at_folder(&s, input->path, 0);
    else
        look_into(&s, input->path ? input->path : input->source.name, input->source.text,
                  input->source.len);
    bool good = !s.too_many;
    if (s.too_many)
        bw_complain(BW_MSG_NO_KERNELS, "give a folder deeper in it", "'%s' has more than %d files",
                    input->source.name, MOST_FILES);
    const image *chosen = good ? choose(&s) : NULL;
    good = chosen && write_image(session, chosen, path);
    for (size_t i = 0; i < s.count; i++)
        free(s.images[i].bytes);
    free(s.images);
    return good;
}

/* ---- what stands beside a cubin ---- */

static uint32_t whole_number(const bw_json *object, const char *name, uint32_t most)
{
    const bw_json *member = bw_json_member(object, name);
    double number = member && member->kind == BW_JSON_NUMBER ? member->number : 0;
    return number >= 1 && number <= most ? (uint32_t)number : 0;
}

bw_launch_choice bw_cache_launch(bw_arena *arena, const char *cubin)
{
    static const char ending[] = ".cubin";
    bw_launch_choice launch = {.nth = 0};
    size_t len = strlen(cubin), at, text_len;
    if (len <= strlen(ending) || strcmp(cubin + len - strlen(ending), ending) != 0)
        return launch;
    const char *path = bw_arena_format(arena, "%.*s.json", (int)(len - strlen(ending)), cubin);
    struct stat status;
    bool regular = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    char *text = regular ? bw_file_read(path, BW_INPUT_MAX, &text_len) : NULL;
    const bw_json *facts = text ? bw_json_read(arena, text, text_len, &at) : NULL;
    uint32_t warps = whole_number(facts, "num_warps", 32);
    free(text);
    if (!warps)
        return launch;
    launch.block[0] = warps * 32;
    launch.block[1] = launch.block[2] = 1;
    launch.shared = whole_number(facts, "shared", 1u << 20);
    return launch;
}
