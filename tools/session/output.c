/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The temporary file to remove when a signal ends the program; NULL: none. */
static char *volatile unfinished;

static void remove_unfinished(int number)
{
    if (unfinished)
        unlink(unfinished);
    signal(number, SIG_DFL);
    raise(number);
}

/* Memory that runs out ends the program from anywhere. */
static void remove_at_exit(void)
{
    if (unfinished)
        unlink(unfinished);
}

/* Signals that are ignored stay so: of a program in the background, SIGINT is. */
static void remove_at_signals(char *temporary)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    unfinished = temporary;
    for (size_t i = 0; temporary && i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction now;
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            signal(numbers[i], remove_unfinished);
    }
}

static bool open_beside(bw_output *output)
{
    output->temporary = bw_alloc(strlen(output->target) + 8);
    sprintf(output->temporary, "%s.XXXXXX", output->target);
    int descriptor = mkstemp(output->temporary);
    if (descriptor < 0)
        return false;
    if (fchmod(descriptor, target_mode(output->target)) == 0)
        output->file = fdopen(descriptor, "w");
    if (!output->file) {
        int reason = errno;
        close(descriptor);
        unlink(output->temporary);
        errno = reason;
    }
    remove_at_signals(output->file ? output->temporary : NULL);
    atexit(remove_at_exit);
    return output->file != NULL;
}

static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static bool open_target(bw_output *output)
{
    struct stat status;
    if (stat(output->path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (is_special(output->path)) { /* a device or a pipe is written in place */
        output->file = fopen(output->path, "w");
        return output->file != NULL;
    }
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
    *output = (bw_output){.width = output_width()};
    if (path->given && strcmp(path->text, "-") != 0) {
        output->path = path->text;
        output->colour = args->values[BW_OPTION_COLOR].number == BW_COLOR_ALWAYS;
        if (bw_is_input(args, path->text)) {
            bw_complain(BW_MSG_OUTPUT_IS_INPUT, "name another file",
                        "--output: '%s' is the input itself", path->text);
            return false;
        }
        if (open_target(output))
            return true;
        cannot_write(output->path);
        free(output->target);
        free(output->temporary);
        return false;
    }
    output->colour = wants_colour(args, STDOUT_FILENO);
    output->file = tmpfile();
    return output->file ? true : cannot_write(NULL);
}

bool bw_flush_stdout(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    return cannot_write(NULL);
}

static bool copy_to_stdout(FILE *file)
{
    char buffer[1 << 16];
    size_t length;
    rewind(file);
    while ((length = fread(buffer, 1, sizeof buffer, file)) > 0)
        if (fwrite(buffer, 1, length, stdout) != length)
            return cannot_write(NULL);
    if (ferror(file))
        return cannot_write(NULL);
    return bw_flush_stdout();
}

static bool deliver(bw_output *output)
{
    errno = 0;
    if (fflush(output->file) != 0 || ferror(output->file))
        return cannot_write(output->path);
    if (!output->path)
        return copy_to_stdout(output->file);
    if (output->temporary && fsync(fileno(output->file)) != 0)
        return cannot_write(output->path);
    if (output->temporary && rename(output->temporary, output->target) != 0)
        return cannot_write(output->path);
    return true;
}

bw_exit bw_output_close(bw_output *output, bool keep, bw_exit code)
{
    bool delivered = keep && deliver(output);
    if (fclose(output->file) != 0 && delivered)
        delivered = cannot_write(output->path);
    if (output->temporary && !delivered)
        unlink(output->temporary);
    remove_at_signals(NULL);
    free(output->temporary);
    free(output->target);
    return keep && !delivered ? BW_EXIT_INTERNAL : code;
}
