/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plain.h"

/* A terminal of unknown width, a file or a pipe: what fits everywhere. */
#define DEFAULT_WIDTH 80
/* Below this no table is legible; above it is a mistake. */
#define LEAST_WIDTH 40
#define MOST_WIDTH 1000

static unsigned output_width(void)
{
    const char *columns = getenv("COLUMNS");
    if (columns && *columns) {
        char *end;
        unsigned long width = strtoul(columns, &end, 10);
        if (!*end && width >= LEAST_WIDTH && width <= MOST_WIDTH)
            return (unsigned)width;
    }
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
        size.ws_col >= LEAST_WIDTH)
        return size.ws_col;
    return DEFAULT_WIDTH;
}

static bool wants_colour(const bw_args *args, int descriptor)
{
    bw_color when = (bw_color)args->values[BW_OPTION_COLOR].number;
    if (when != BW_COLOR_AUTO)
        return when == BW_COLOR_ALWAYS;
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(descriptor) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

bool bw_stderr_colour(const bw_args *args)
{
    return wants_colour(args, STDERR_FILENO);
}

static bool cannot_write(const char *path)
{
    int reason = errno;
    if (path || reason == ENOMEM)
        bw_complain_of(BW_MSG_CANNOT_WRITE, "what was there before is unchanged", "write", path,
                       reason);
    else
        bw_complain(BW_MSG_CANNOT_WRITE, NULL, "cannot write standard output: %s",
                    strerror(reason));
    return false;
}

/* The mode that the target keeps, or that a new file gets. */
static mode_t target_mode(const char *target)
{
    struct stat status;
    if (stat(target, &status) == 0)
        return status.st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Results are mended after they are written, so files are open for both. */
static bool open_beside(bw_output *output)
{
    bw_temporary *temporary = &output->temporary;
    if (!bw_temporary_make(temporary, output->target, target_mode(output->target)))
        return false;
    output->file = fdopen(temporary->file, "w+");
    if (output->file)
        return true;
    int reason = errno;
    close(temporary->file);
    bw_temporary_remove(temporary);
    errno = reason;
    return false;
}

static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* A device or a pipe is written in place, once all is there. */
static bool open_special(bw_output *output)
{
    output->special = fopen(output->path, "w");
    output->file = output->special ? tmpfile() : NULL;
    if (output->special && !output->file) {
        int reason = errno;
        fclose(output->special);
        errno = reason;
    }
    return output->file != NULL;
}

/* A link to nothing: replacing it would lose it, and where it points nobody asked to write. */
static bool is_dangling(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && stat(path, &status) != 0;
}

static bool open_target(bw_output *output)
{
    struct stat status;
    if (stat(output->path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (is_special(output->path))
        return open_special(output);
    if (access(output->path, F_OK) == 0 && access(output->path, W_OK) != 0)
        return false;
    output->target = realpath(output->path, NULL);
    if (!output->target && errno == ENOMEM)
        bw_out_of_memory();
    if (!output->target) { /* does not exist yet */
        size_t bytes = strlen(output->path) + 1;
        output->target = memcpy(bw_alloc(bytes), output->path, bytes);
    }
    return open_beside(output);
}

bool bw_is_input(const bw_args *args, const char *path)
{
    struct stat a, b;
    if (stat(path, &a) != 0 || !S_ISREG(a.st_mode))
        return false;
    for (size_t i = 0; i < args->file_count; i++)
        if (stat(args->files[i], &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
            return true;
    return false;
}

bool bw_output_open(bw_output *output, const bw_args *args)
{
    const bw_value *path = &args->values[BW_OPTION_OUTPUT];
    *output = (bw_output){.width = output_width(),
                          .commands = args->values[BW_OPTION_FORMAT].number == BW_FORMAT_GITHUB};
    if (path->given && strcmp(path->text, "-") != 0) {
        output->path = path->text;
        output->colour = args->values[BW_OPTION_COLOR].number == BW_COLOR_ALWAYS;
        if (bw_is_input(args, path->text)) {
            bw_complain(BW_MSG_OUTPUT_IS_INPUT, "name another file",
                        "--output: '%s' is the input itself", path->text);
            return false;
        }
        if (is_dangling(path->text)) {
            bw_complain(BW_MSG_CANNOT_WRITE, "name the file that it points to, or remove it",
                        "cannot write '%s': it is a link to nothing", path->text);
            return false;
        }
        if (open_target(output))
            return true;
        cannot_write(output->path);
        free(output->target);
        return false;
    }
    output->colour = wants_colour(args, STDOUT_FILENO);
    output->file = tmpfile();
    return output->file ? true : cannot_write(NULL);
}

/* Who reads has enough: that is said to nobody, as other programs of a pipe do. */
static void end_quietly(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

static bool cannot_copy(const char *path)
{
    if (errno == EPIPE)
        end_quietly();
    return cannot_write(path);
}

bool bw_flush_stdout(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    return cannot_copy(NULL);
}

/* ---- delivering ---- */

/* Mends what was written, in place: no length changes. */
static bool mend(bw_output *output)
{
    char buffer[1 << 16];
    bw_plain at = {.commands = output->commands};
    long from = 0;
    size_t length;
    bool last;
    do {
        if (fseek(output->file, from, SEEK_SET) != 0)
            return false;
        length = fread(buffer, 1, sizeof buffer, output->file);
        last = length < sizeof buffer;
        if (ferror(output->file))
            return false;
        size_t done = bw_plain_mend(&at, buffer, length, last);
        if (fseek(output->file, from, SEEK_SET) != 0 ||
            fwrite(buffer, 1, done, output->file) != done)
            return false;
        from += (long)done;
    } while (!last);
    return fflush(output->file) == 0;
}

static bool copy_to(FILE *to, const char *path, FILE *file)
{
    char buffer[1 << 16];
    size_t length;
    rewind(file);
    while ((length = fread(buffer, 1, sizeof buffer, file)) > 0)
        if (fwrite(buffer, 1, length, to) != length)
            return cannot_copy(path);
    if (ferror(file))
        return cannot_write(path);
    errno = 0;
    return (fflush(to) == 0 && !ferror(to)) || cannot_copy(path);
}

static bool deliver(bw_output *output)
{
    errno = 0;
    if (fflush(output->file) != 0 || ferror(output->file) || (!output->binary && !mend(output)))
        return cannot_write(output->path);
    if (!output->path)
        return copy_to(stdout, NULL, output->file);
    if (output->special)
        return copy_to(output->special, output->path, output->file);
    if (fsync(fileno(output->file)) != 0 ||
        !bw_temporary_rename(&output->temporary, output->target))
        return cannot_write(output->path);
    return true;
}

bw_exit bw_output_close(bw_output *output, bool keep, bw_exit code)
{
    bool delivered = keep && deliver(output);
    if (fclose(output->file) != 0 && delivered)
        delivered = cannot_write(output->path);
    if (output->special && fclose(output->special) != 0 && delivered)
        delivered = cannot_write(output->path);
    bw_temporary_remove(&output->temporary);
    free(output->target);
    return keep && !delivered ? BW_EXIT_INTERNAL : code;
}
