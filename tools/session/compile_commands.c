/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compile_commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "json.h"
#include "session.h"

#define NAME "compile_commands.json"

/* ---- the file's entry ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *within(bw_arena *arena, const char *folder, const char *path)
{
    return path[0] == '/' ? path : bw_arena_format(arena, "%s/%s", folder, path);
}

/* The file that is compiled, and where its command is meant. */
typedef struct wanted {
    bw_arena *arena;
    const char *folder;
    struct stat file;
} wanted;

static bool is_same_file(const wanted *w, const char *path)
{
    struct stat status;
    return stat(within(w->arena, w->folder, path), &status) == 0 &&
           status.st_dev == w->file.st_dev && status.st_ino == w->file.st_ino;
}

static bool is_input(void *context, const char *word)
{
    return is_same_file(context, word);
}

/* The first entry of the file; `base` is the folder that relative ones are in. */
static const bw_json *find_entry(wanted *w, const bw_json *list, const char *base)
{
    for (const bw_json *at = list->first; at; at = at->next) {
        const char *file = bw_json_text(at, "file"), *folder = bw_json_text(at, "directory");
        w->folder = within(w->arena, base, folder ? folder : ".");
        if (file && is_same_file(w, file))
            return at;
    }
    return NULL;
}

/* ---- errors ---- */

static bool refuse(const char *where, const char *what, const char *note)
{
    bw_complain(BW_MSG_COMPILE_COMMANDS, note, "'%s': %s", where, what);
    return false;
}

/* The names of some CUDA sources that it has. */
static const char *some_sources(bw_arena *arena, const bw_json *list)
{
    const char *names = "";
    size_t shown = 0;
    for (const bw_json *at = list->first; at && shown < 8; at = at->next) {
        const char *file = bw_json_text(at, "file"), *end = file ? strrchr(file, '.') : NULL;
        if (!end || strcmp(end, ".cu") != 0)
            continue;
        names = bw_arena_format(arena, "%s%s%s", names, shown ? ", " : "", base_name(file));
        shown++;
    }
    return shown ? bw_arena_format(arena, "among its CUDA sources are %s", names)
                 : "it has no CUDA sources; was it made before they were added?";
}

/* ---- reading ---- */

/* The words of an entry: "arguments", or "command" as the shell splits it. */
static bool read_words(bw_words *words, bw_arena *arena, const bw_json *entry)
{
    const bw_json *list = bw_json_member(entry, "arguments");
    const char *command = bw_json_text(entry, "command");
    if (list && list->kind == BW_JSON_ARRAY) {
        for (const bw_json *at = list->first; at; at = at->next)
            if (at->kind == BW_JSON_TEXT)
                bw_words_add(words, at->text);
    } else if (command) {
        bw_words_split(words, arena, command);
    }
    return words->count > 0;
}

static const bw_json *read_list(bw_arena *arena, const char *path)
{
    size_t len = 0, at = 0;
    char *text = bw_file_read(path, BW_INPUT_MAX, &len);
    if (!text) {
        bw_complain_of(BW_MSG_CANNOT_READ, "-p takes a folder with a " NAME ", or such a file",
                       "read", path, errno);
        return NULL;
    }
    const bw_json *list = bw_json_read(arena, text, len, &at);
    free(text);
    if (list && list->kind == BW_JSON_ARRAY)
        return list;
    refuse(path,
           list ? "this is no list of commands"
                : bw_arena_format(arena, "this is no JSON: byte %zu cannot stand there", at),
           "CMake writes one with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, Meson always, others through "
           "'bear -- make'");
    return NULL;
}

bool bw_compile_commands_find(bw_nvcc_flags *flags, const char **folder, bw_arena *arena,
                              const char *where, const char *path)
{
    struct stat status;
    if (stat(where, &status) == 0 && S_ISDIR(status.st_mode))
        where = bw_arena_format(arena, "%s/" NAME, where);
    const bw_json *list = read_list(arena, where);
    wanted w = {.arena = arena};
    if (!list)
        return false;
    if (stat(path, &w.file) != 0)
        return refuse(where, bw_arena_format(arena, "cannot find '%s' in it", path), NULL);
    const char *slash = strrchr(where, '/');
    const char *base = slash ? bw_arena_copy(arena, where, (size_t)(slash - where)) : ".";
    const bw_json *entry = find_entry(&w, list, *base ? base : "/");
    bw_words words = {.words = NULL};
    if (!entry)
        return refuse(where, bw_arena_format(arena, "it does not say how '%s' is compiled", path),
                      some_sources(arena, list));
    bool good = read_words(&words, arena, entry);
    if (good)
        bw_nvcc_flags_add_command(flags, arena, &words, is_input, &w);
    bw_words_finish(&words);
    *folder = w.folder;
    return good ||
           refuse(where, bw_arena_format(arena, "the entry of '%s' has no command", path), NULL);
}
