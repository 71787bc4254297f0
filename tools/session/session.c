/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session.h"
#include "held.h"

#include "binary_private.h"
#include "cache.h"
#include "exact.h"
#include "kernel.h"
#include "launch.h"
#include "output.h"
#include "plain.h"
#include "profiled.h"
#include "rows.h"
#include "stream.h"
#include "table_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".pat"
/* What one read asks for; a pattern file is mostly smaller. */
#define CHUNK ((size_t)1 << 16)

/* ---- the stock patterns ---- */

const char *bw_program_folder(bw_arena *arena)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0 || (size_t)length == sizeof path)
        return NULL;
    while (length > 0 && path[length - 1] != '/')
        length--;
    return bw_arena_copy(arena, path, length > 1 ? (size_t)length - 1 : 1);
}

const char *bw_stock_folder(bw_arena *arena, size_t index)
{
    const char *override = getenv("BANKWISE_PATTERNS");
    if (override && *override)
        return index == 0 ? override : NULL;
    const char *program = bw_program_folder(arena);
    if (program && strcmp(program, BANKWISE_BUILD_FOLDER) == 0)
        return index == 0 ? BANKWISE_SOURCE_PATTERNS : NULL;
    /* An installed tree may have been moved: what lies beside the program comes first. */
    if (index == 0 && program)
        return bw_arena_format(arena, "%s/%s", program, BANKWISE_RELATIVE_PATTERNS);
    return index == (program ? 1 : 0) ? BANKWISE_INSTALLED_PATTERNS : NULL;
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* A stock pattern is named by its path in the library; others are said to be files. */
static bool may_be_stock(const char *path)
{
    return path[0] != '/' && path[0] != '.' && !strstr(path, "/../");
}

/* The path and the shown name of the stock pattern `name`, with or without its ending. */
static char *find_stock(bw_arena *arena, const char *name, const char **shown)
{
    const char *folder;
    for (size_t i = 0; may_be_stock(name) && (folder = bw_stock_folder(arena, i)); i++)
        for (int ending = 0; ending < 2; ending++) {
            *shown = bw_arena_format(arena, "%s%s", name, ending ? SUFFIX : "");
            char *path = bw_arena_format(arena, "%s/%s", folder, *shown);
            if (is_file(path))
                return path;
        }
    return NULL;
}

/* ---- reading ---- */

/* All of `file` into malloc'd memory; NULL with errno set after an error or past `limit` bytes. */
static char *read_all(FILE *file, size_t limit, size_t *len)
{
    size_t capacity = CHUNK, used = 0, got;
    char *text = bw_alloc(capacity + 1);
    while ((got = fread(text + used, 1, capacity - used, file)) > 0) {
        used += got;
        if (used > limit) {
            free(text);
            errno = EFBIG;
            return NULL;
        }
        if (used == capacity)
            text = bw_realloc(text, (capacity *= 2) + 1);
    }
    if (ferror(file)) {
        free(text);
        return NULL;
    }
    text[used] = '\0';
    *len = used;
    return text;
}

char *bw_file_read(const char *path, size_t limit, size_t *len)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    struct stat status;
    char *text = NULL;
    if (fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode))
        errno = EISDIR;
    else
        text = read_all(file, limit, len);
    int reason = errno;
    fclose(file);
    errno = reason;
    return text;
}

/* The language reads text; a zero byte means that this is none, and would end names early. */
static bool is_text(const char *name, const char *text, size_t len)
{
    const char *zero = memchr(text, '\0', len);
    if (zero)
        bw_complain(BW_MSG_NOT_TEXT, "give a pattern file: CUDA C as text",
                    "'%s' is not text: byte %zu is zero", name, (size_t)(zero - text));
    return !zero;
}

static bool cannot_read(const char *path, bool looked_in_stock)
{
    int reason = errno;
    bw_complain_of(BW_MSG_CANNOT_READ,
                   reason == ENOENT && looked_in_stock
                       ? "it is neither a file nor the name of a stock pattern"
                       : NULL,
                   "read", path, reason);
    return false;
}

/* A binary request stream as CSV, in which everything after this has lines to point at: record k
 * is on line k + 1. NULL after an error, which was printed. Frees `bytes`. */
static char *text_of_stream(const char *name, char *bytes, size_t *len)
{
    char *text = NULL;
    FILE *in = fmemopen(bytes, *len, "rb"), *out = open_memstream(&text, len);
    if (!in || !out)
        bw_out_of_memory();
    bw_stream_reader *reader = bw_stream_open(in, name);
    unsigned first = 2 + BW_LANES; /* columns after op, active and addresses */
    bw_stream_row row;
    int got = bw_stream_begin(reader) ? 1 : -1;
    if (got > 0) {
        const char *extra = "";
        bw_arena arena = {NULL};
        for (unsigned i = first; bw_stream_column_name(reader, i); i++)
            if (!bw_stream_is_source(bw_stream_column_name(reader, i)))
                extra = bw_arena_format(&arena, "%s,%s", extra, bw_stream_column_name(reader, i));
        if (bw_stream_has_sources(reader))
            bw_stream_write_header_with_sources(out, extra);
        else
            bw_stream_write_header(out, extra);
        bw_arena_finish(&arena);
    }
    while (got > 0 && (got = bw_stream_next(reader, &row)) > 0) {
        bw_stream_write_request(out, &row.request);
        for (unsigned i = first; i < row.field_count; i++)
            if (!bw_stream_is_source(bw_stream_column_name(reader, i)))
                fprintf(out, ",%s", row.fields[i]);
        if (bw_stream_has_sources(reader))
            bw_stream_write_sources(out, &row.request);
        putc('\n', out);
    }
    if (fclose(out) != 0)
        bw_out_of_memory();
    if (got < 0) {
        bw_complain(bw_stream_error_id(reader), NULL, "%s", bw_stream_error(reader));
        free(text);
        text = NULL;
    }
    bw_stream_close(reader);
    fclose(in);
    free(bytes);
    return text;
}

/* What was read, as the text that it stands for; NULL after an error, which was printed. */
static char *readable(const char *name, char *text, size_t *len)
{
    if (bw_stream_is_binary(text, *len))
        return text_of_stream(name, text, len);
    if (bw_binary_is(text, *len) || bw_profiled_is_file(text, *len) ||
        bw_cache_is_container(text, *len) || is_text(name, text, *len))
        return text;
    free(text);
    return NULL;
}

bool bw_input_read(bw_input *input, const char *path)
{
    bw_arena arena = {NULL};
    bool from_stdin = strcmp(path, "-") == 0;
    const char *shown = from_stdin ? "<stdin>" : path, *stock_name;
    const char *opened = path;
    if (!from_stdin && access(path, F_OK) != 0) {
        const char *stock = find_stock(&arena, path, &stock_name);
        opened = stock ? stock : path;
        shown = stock ? stock_name : path;
    }
    size_t len = 0;
    char *text =
        from_stdin ? read_all(stdin, BW_INPUT_MAX, &len) : bw_file_read(opened, BW_INPUT_MAX, &len);
    if (text)
        text = readable(shown, text, &len);
    else
        cannot_read(shown, opened == path);
    *input = (bw_input){.source = {.text = NULL}};
    if (text)
        *input = (bw_input){.source = {bw_copy_text(shown), text, len, NULL},
                            .path = from_stdin ? NULL : bw_copy_text(opened)};
    bw_arena_finish(&arena);
    return text != NULL;
}

bool bw_input_open(bw_input *input, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return bw_input_read(input, path);
    bw_input_set(input, path, path, "", 0);
    input->folder = true;
    return true;
}

void bw_input_set(bw_input *input, const char *name, const char *path, const char *text, size_t len)
{
    char *copy = bw_alloc(len + 1);
    memcpy(copy, text, len);
    copy[len] = '\0';
    *input =
        (bw_input){.source = {bw_copy_text(name), copy, len, NULL}, .path = bw_copy_text(path)};
}

void bw_input_finish(bw_input *input)
{
    free((char *)input->source.name);
    free((char *)input->source.text);
    free(input->path);
}

/* ---- what the language asks for ---- */

static double draw(void *context, bw_law law, double a, double b)
{
    return bw_laws_draw(((bw_session *)context)->laws, law, a, b);
}

/* A table that the pattern names, as seen from its file. */
static char *read_table(void *context, const char *path, size_t *len, const char **error)
{
    bw_session *session = context;
    const char *from = session->input.path, *slash = from ? strrchr(from, '/') : NULL;
    const char *folder = slash ? bw_arena_copy(&session->arena, from, (size_t)(slash - from) + 1)
                               : "."; /* of a slash alone it is the root */
    return bw_table_file_read(folder, path, session->args->values[BW_OPTION_TABLES].given,
                              BW_INPUT_MAX, len, error);
}

/* ---- sessions ---- */

bw_pattern_options bw_session_options(bw_session *session)
{
    if (!session->laws)
        session->laws = bw_laws_create((uint32_t)session->args->values[BW_OPTION_SEED].number);
    const bw_value *values = session->args->values;
    bw_pattern_options options = {
        .arch = values[BW_OPTION_ARCH].arch,
        .defines = session->defines,
        .define_count = session->define_count,
        .max_steps = values[BW_OPTION_MAX_STEPS].number,
        .max_memory = (size_t)values[BW_OPTION_MAX_MEMORY].number,
        .join = values[BW_OPTION_JOIN].given,
        .host = {session, draw, read_table},
    };
    options.has_shared = values[BW_OPTION_SHARED].given;
    options.shared = (uint32_t)values[BW_OPTION_SHARED].number;
    options.kernel = values[BW_OPTION_KERNEL].text;
    options.arguments = bw_session_arguments(session);
    options.argument_count = session->args->argument_count;
    memcpy(options.block, values[BW_OPTION_BLOCK].shape, sizeof options.block);
    memcpy(options.grid, values[BW_OPTION_GRID].shape, sizeof options.grid);
    return options;
}

/* ---- request streams in the place of patterns ---- */

/* Its first line that is no comment names columns, "op" and "active" among them. */
bool bw_input_is_stream(const bw_input *input)
{
    const char *line = NULL, *end = input->source.text + input->source.len;
    size_t len = 0;
    for (const char *text = input->source.text; text < end && !line; text += len + 1) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        len = (size_t)((stop ? stop : end) - text);
        if (len && text[0] != '#' && strspn(text, " \t\r") < len)
            line = text;
    }
    if (!line)
        return false;
    bool op = false, active = false;
    for (const char *cell = line; cell < line + len;) {
        size_t size = 0;
        cell += *cell == '"';
        while (cell + size < line + len && !strchr(",\r\"", cell[size]))
            size++;
        op |= size == 2 && memcmp(cell, "op", 2) == 0;
        active |= size == 6 && memcmp(cell, "active", 6) == 0;
        cell += size + 1; /* after a comma, or at the one after a quote: an empty name more */
    }
    return op && active;
}

bool bw_input_is_machine(const bw_input *input)
{
    const bw_source *source = &input->source;
    return input->folder || bw_binary_is(source->text, source->len) ||
           bw_profiled_is_file(source->text, source->len) ||
           bw_cache_is_container(source->text, source->len) ||
           (!bw_input_is_stream(input) && bw_kernel_is_text(source->text, source->len));
}

/* A cell of the column "count" or "copies", which `lower` writes; 1 without one. */
static bool row_count(const bw_stream_reader *reader, const bw_stream_row *row, uint64_t *count)
{
    int column = bw_stream_column(reader, "count");
    if (column < 0)
        column = bw_stream_column(reader, "copies");
    *count = 1;
    if (column < 0 || (unsigned)column >= row->field_count || !*row->fields[column])
        return true;
    char *end;
    errno = 0;
    *count = strtoull(row->fields[column], &end, 10);
    return *end == '\0' && errno == 0 && *count > 0 && row->fields[column][0] != '-';
}

/* What only patterns have is refused. */
static void make_stream(bw_session *session, const bw_row *rows, size_t count,
                        const bw_pattern_options *options)
{
    const bw_source *source = &session->input.source;
    bw_diags *diags = &session->diags;
    session->program = bw_rows_program(source, rows, count, options->arch, diags);
    if (options->join)
        bw_note(diags,
                bw_diagnose(diags, BW_MSG_STREAM_NOT_PATTERN, NULL, (bw_span){0, 0},
                            "--join: %s holds requests", source->name),
                "only a pattern says which accesses of a thread follow each other");
    if (session->args->launch_count || session->args->argument_count || options->kernel)
        bw_note(diags,
                bw_diagnose(diags, BW_MSG_STREAM_NOT_PATTERN, NULL, (bw_span){0, 0},
                            "--launch, --arg and --kernel: %s holds requests", source->name),
                "only a program has launches");
    for (size_t k = 0; k < options->define_count; k++)
        bw_note(diags,
                bw_diagnose(diags, BW_MSG_UNKNOWN_PARAMETER, NULL, (bw_span){0, 0},
                            "-D %s: %s has no such parameter", options->defines[k].name,
                            source->name),
                "it is a request stream, and has none");
}

/* The number in a column, 0 without one. */
static uint64_t cell_number(const bw_stream_reader *reader, const bw_stream_row *row,
                            const char *name)
{
    int column = bw_stream_column(reader, name);
    return column < 0 || (unsigned)column >= row->field_count
               ? 0
               : strtoull(row->fields[column], NULL, 10);
}

/* A row's sources live until the next is read, and may not say what L1 holds. */
static void keep_sources(bw_session *session, bw_held *held, const bw_stream_reader *reader,
                         const bw_stream_row *row, bw_request *request)
{
    if (!bw_op_get(request->op)->copies || !request->sources)
        return;
    bw_sources *kept = bw_arena_alloc(&session->arena, sizeof *kept);
    *kept = *request->sources;
    request->sources = kept;
    if (!bw_stream_says_held(reader))
        bw_held_see(held, cell_number(reader, row, "launch"), cell_number(reader, row, "block"),
                    request, kept);
}

static bool read_stream(bw_session *session, const bw_pattern_options *options)
{
    const bw_source *source = &session->input.source;
    FILE *file = fmemopen((void *)source->text, source->len, "r");
    if (!file)
        bw_out_of_memory();
    bw_stream_reader *reader = bw_stream_open(file, source->name);
    bw_row *rows = NULL;
    bw_held *held = bw_calloc(1, sizeof *held);
    size_t count = 0, capacity = 0;
    bw_stream_row row;
    int got;
    const char *error = NULL;
    bw_message_id id = BW_MSG_STREAM_COUNT;
    while (!error && (got = bw_stream_next(reader, &row)) == 1) {
        BW_GROW(rows, count, capacity);
        rows[count] = (bw_row){.request = row.request, .line = row.line};
        if (bw_request_lanes(&row.request) == 0)
            continue; /* a request without lanes is none */
        keep_sources(session, held, reader, &row, &rows[count].request);
        if (!row_count(reader, &row, &rows[count++].count))
            error = bw_arena_format(&session->arena, "%s:%u: its count is no positive number",
                                    source->name, row.line);
    }
    if (!error && got < 0) {
        id = bw_stream_error_id(reader);
        error = bw_stream_error(reader);
    }
    if (error)
        bw_diagnose(&session->diags, id, NULL, (bw_span){0, 0}, "%s", error);
    else if (!count)
        bw_diagnose(&session->diags, BW_MSG_STREAM_EMPTY, NULL, (bw_span){0, 0},
                    "%s: no request in this stream", source->name);
    else
        make_stream(session, rows, count, options);
    free(rows);
    free(held);
    bw_stream_close(reader);
    fclose(file);
    return session->diags.errors == 0;
}

const bw_argument *bw_session_arguments(const bw_session *session)
{
    return session->arguments ? session->arguments : session->args->arguments;
}

/* The launches of the command line go on after the pattern. */
static void add_launches(bw_session *session, bw_pattern_options *options)
{
    const bw_args *args = session->args;
    size_t count = args->launch_count;
    bw_source *sources = bw_arena_alloc(&session->arena, (count + 1) * sizeof *sources);
    unsigned *orders = bw_arena_alloc(&session->arena, (count + 1) * sizeof *orders);
    for (size_t i = 0; i < count; i++) {
        sources[i] = args->launches[i].source;
        sources[i].more = i + 1 < count ? &sources[i + 1] : NULL;
        orders[i] = args->launches[i].order;
    }
    session->input.source.more = count ? sources : NULL;
    options->launch_orders = orders;
}

bool bw_session_parse(bw_session *session)
{
    bw_pattern_options options = bw_session_options(session);
    if (bw_input_is_machine(&session->input))
        return bw_session_read_kernel(session);
    if (!bw_session_refuse_kernel(session))
        return false;
    if (bw_input_is_stream(&session->input))
        return read_stream(session, &options);
    add_launches(session, &options);
    session->program = bw_pattern_parse(&session->input.source, &options, &session->diags);
    return session->diags.errors == 0;
}

bool bw_session_take_binary(bw_session *session)
{
    const bw_source *source = &session->input.source;
    if (bw_binary_is(source->text, source->len))
        return bw_binary_read(session);
    if (session->input.folder || bw_cache_is_container(source->text, source->len)) {
        const char *cubin;
        return bw_cache_find(session, &cubin) && bw_binary_take_cubin(session, cubin);
    }
    if (bw_profiled_is_file(source->text, source->len))
        return bw_profiled_print(&session->input, session->args, BW_PROFILED_CODE);
    return !bw_binary_is_to_compile(session) || bw_binary_compile(session);
}

bw_exit bw_session_open(bw_session *session, const bw_args *args, const char *path)
{
    *session =
        (bw_session){.args = args, .defines = args->defines, .define_count = args->define_count};
    if (!bw_input_open(&session->input, path))
        return BW_EXIT_USAGE;
    bool good = bw_session_take_binary(session) && bw_session_parse(session);
    bw_session_show(session);
    return good ? BW_EXIT_DONE : BW_EXIT_USAGE;
}

/* Warnings that the command line switched off. */
static void drop_silent(bw_session *session)
{
    bw_diags *diags = &session->diags;
    size_t kept = 0;
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].severity == BW_ERROR ||
            bw_warning_is_on(session->args, diags->items[i].id))
            diags->items[kept++] = diags->items[i];
    diags->count = kept;
}

/* Once: what else can be done with a source that the language does not take. */
static void say_command(bw_session *session, size_t at)
{
    const char *command = bw_exact_command(&session->arena, session, NULL, at);
    if (command && !session->said_command)
        bw_say(stderr,
               "note: nvcc may compile what is refused here; this takes its machine code, "
               "which gives exact numbers:\n  %s\n",
               command);
    session->said_command = true;
}

void bw_session_show(bw_session *session)
{
    size_t at;
    drop_silent(session);
    for (size_t i = 0; i < session->diags.count; i++) {
        const bw_diagnostic *d = &session->diags.items[i];
        if (d->severity == BW_ERROR)
            bw_tell(d->id, d->source, d->span, d->message);
    }
    bw_diags_show(&session->diags, stderr, bw_stderr_colour(session->args));
    if (bw_exact_is_refusal(session, &at))
        say_command(session, at);
    bw_diags_finish(&session->diags);
    session->diags = (bw_diags){.count = 0};
}

unsigned bw_session_line(const bw_session *session)
{
    const bw_value *line = &session->args->values[BW_OPTION_LINE];
    const bw_instruction *all;
    if (!line->given || strncmp(line->text, "0x", 2) != 0)
        return (unsigned)line->number;
    size_t count = bw_program_instructions(session->program, &all);
    for (size_t i = 0; i < count; i++)
        if (all[i].address == line->number)
            return all[i].line;
    return UINT32_MAX;
}

void bw_session_close(bw_session *session)
{
    bw_program_destroy(session->program);
    bw_laws_destroy(session->laws);
    bw_diags_finish(&session->diags);
    bw_input_finish(&session->input);
    bw_scratch_finish(&session->scratch);
    bw_arena_finish(&session->arena);
}
