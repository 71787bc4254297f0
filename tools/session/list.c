/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "list.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

/* 16 MiB: parameter blocks of a thousand launches. */
#define MOST_BYTES ((size_t)16 << 20)
/* In one launch. */
#define MOST_BUFFERS 256

typedef struct reader {
    bw_args *args;
    const char *path;
    unsigned line;
    /* the launch of a running program that is read */
    unsigned launches;
    unsigned launch_line;
    const char *head;      /* "NAME<<<…>>>"; NULL: none */
    const char *arguments; /* as far as read */
    const char *argument;  /* the last: its members, as read_value of a launch takes them */
    const char *hex;       /* the rest of its bytes */
    size_t at;             /* bytes of it that are in `argument` */
    uint64_t bases[MOST_BUFFERS];
    unsigned base_count;
} reader;

static bool wrong(const reader *r, const char *line, const char *what)
{
    bw_complain(
        BW_MSG_LAUNCH_LIST,
        "a line is kernel<<<grid, block>>>(arguments), data PLACE=LAW, arg PLACE=VALUE or a "
        "comment after '#'",
        "%s:%u: '%.80s' %s", r->path, r->line, line, what);
    return false;
}

/* The text of a launch, at its line: so its errors have their place in the list. */
static void add_launch(reader *r, unsigned line, const char *launch)
{
    size_t len = strlen(launch);
    char *text = bw_arena_alloc(&r->args->arena, line + len);
    memset(text, '\n', line - 1);
    memcpy(text + line - 1, launch, len + 1);
    bw_args_add_launch(r->args, r->path, text);
}

/* ---- what a running program launched ---- */

/* Reads what a pattern such as "grid # # #" says, a number for each "#" into *values++. Returns
 * what comes after it, or NULL where the line is another. */
static const char *scan(const char *line, const char *pattern, uint64_t *values)
{
    for (; *pattern; pattern++) {
        if (*pattern == ' ') {
            if (*line != ' ')
                return NULL;
            line += strspn(line, " ");
        } else if (*pattern == '#') {
            char *end;
            if (!isdigit((unsigned char)*line))
                return NULL;
            *values++ = strtoull(line, &end, 10);
            line = end;
        } else if (*line++ != *pattern) {
            return NULL;
        }
    }
    return line;
}

/* More members of the last argument, up to byte `to` of it. */
static void take_bytes(reader *r, size_t to)
{
    bw_arena *arena = &r->args->arena;
    size_t left = strlen(r->hex) / 2, count = to > r->at ? to - r->at : 0;
    count = count < left ? count : left;
    if (count)
        r->argument = bw_arena_format(arena, "%s%sbytes:%.*s", r->argument,
                                      *r->argument ? ", " : "", (int)(2 * count), r->hex);
    r->hex += 2 * count;
    r->at += count;
}

static void end_argument(reader *r)
{
    if (!r->argument)
        return;
    take_bytes(r, SIZE_MAX);
    r->arguments = bw_arena_format(&r->args->arena, "%s%s{%s}", r->arguments,
                                   *r->arguments ? ", " : "", r->argument);
    r->argument = NULL;
}

static void end_launch(reader *r)
{
    if (!r->head)
        return;
    end_argument(r);
    add_launch(r, r->launch_line,
               bw_arena_format(&r->args->arena, "%s(%s)", r->head, r->arguments));
    r->head = NULL;
}

static bool begin_launch(reader *r, const char *line)
{
    uint64_t v[7];
    const char *name = line + 7;
    size_t len = strcspn(name, " ");
    const char *rest = scan(name + len, " grid # # # block # # # shared #", v);
    if (!rest || *rest)
        return wrong(r, line, "is no launch of a program");
    end_launch(r);
    r->head = bw_arena_format(&r->args->arena,
                              "%.*s<<<dim3(%" PRIu64 ", %" PRIu64 ", %" PRIu64 "), dim3(%" PRIu64
                              ", %" PRIu64 ", %" PRIu64 "), %" PRIu64 ">>>",
                              (int)len, name, v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
    r->arguments = "";
    r->launch_line = r->line;
    r->launches++;
    r->base_count = 0;
    return true;
}

static bool begin_argument(reader *r, const char *line)
{
    uint64_t v[3]; /* index, offset, size */
    const char *hex = r->head ? scan(line, "arg # offset # size # hex ", v) : NULL;
    if (!hex || strlen(hex) != 2 * v[2])
        return wrong(r, line, "is no argument of a launch");
    end_argument(r);
    r->argument = "";
    r->hex = hex;
    r->at = 0;
    return true;
}

/* The eight bytes of the pointer that comes next. */
static uint64_t pointer_of(const char *hex)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--) {
        char byte[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        value = value << 8 | strtoul(byte, NULL, 16);
    }
    return value;
}

/* A buffer has a name for each launch: its bytes are those that it had before that. */
static bool take_pointer(reader *r, const char *line)
{
    bw_arena *arena = &r->args->arena;
    uint64_t v[5]; /* index, at, buffer, plus, size */
    unsigned k = 0;
    const char *file =
        r->argument ? scan(line, "pointer # at # buffer # plus # size # file ", v) : NULL;
    if (!file || !*file || r->base_count == MOST_BUFFERS)
        return wrong(r, line, "is no pointer of an argument");
    uint64_t at = v[1], plus = v[3];
    take_bytes(r, at);
    if (strlen(r->hex) < 16 || r->at != at)
        return wrong(r, line, "lies outside the argument");
    uint64_t base = pointer_of(r->hex) - plus;
    while (k < r->base_count && r->bases[k] != base)
        k++;
    const char *name = bw_arena_format(arena, "@launch%u_buffer%u", r->launches, k);
    if (k == r->base_count)
        r->bases[r->base_count++] = base;
    const char *slash = strrchr(r->path, '/');
    int folder = slash ? (int)(slash - r->path) + 1 : 0;
    if (strcmp(file, "-") != 0) /* another argument may have left it out as too large */
        bw_args_bind(r->args, true, name,
                     bw_arena_format(arena, "file:%.*s%s", folder, r->path, file));
    r->argument = bw_arena_format(arena, "%s%s%s+%llu", r->argument, *r->argument ? ", " : "", name,
                                  (unsigned long long)plus);
    r->hex += 16;
    r->at += 8;
    return true;
}

/* ---- what people write ---- */

static bool take_binding(reader *r, const char *line, bool data)
{
    const char *text = line + strcspn(line, " \t");
    text += strspn(text, " \t");
    size_t length = strcspn(text, "=");
    if (!length || !text[length] || !text[length + 1])
        return wrong(r, line, data ? "is not data PLACE=LAW" : "is not arg PLACE=VALUE");
    bw_args_bind(r->args, data, bw_arena_copy(&r->args->arena, text, length), text + length + 1);
    return true;
}

static bool begins(const char *line, const char *word)
{
    size_t len = strlen(word);
    return strncmp(line, word, len) == 0 && (line[len] == ' ' || line[len] == '\t');
}

static bool take_line(reader *r, const char *line)
{
    if (strstr(line, "<<<")) {
        end_launch(r);
        add_launch(r, r->line, line);
        return true;
    }
    if (begins(line, "launch"))
        return begin_launch(r, line);
    if (begins(line, "pointer"))
        return take_pointer(r, line);
    if (begins(line, "arg"))
        return strstr(line, " offset ") ? begin_argument(r, line) : take_binding(r, line, false);
    if (begins(line, "data"))
        return take_binding(r, line, true);
    return wrong(r, line, "is no launch");
}

bool bw_list_read(bw_args *args, const char *path)
{
    size_t len;
    char *text = bw_file_read(path, MOST_BYTES, &len);
    reader r = {.args = args, .path = path};
    bool good = text != NULL;
    if (!text)
        bw_complain_of(BW_MSG_CANNOT_READ, NULL, "read", path, errno);
    for (char *line = text, *next; good && line && *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next ? 1 : 0;
        char *copy = bw_arena_copy(&args->arena, line, (size_t)(next - line));
        copy[strcspn(copy, "#\r\n")] = '\0';
        copy += strspn(copy, " \t");
        for (size_t end = strlen(copy); end && strchr(" \t", copy[end - 1]); end--)
            copy[end - 1] = '\0';
        r.line++;
        good = !*copy || take_line(&r, copy);
    }
    if (good)
        end_launch(&r);
    free(text);
    return good;
}
