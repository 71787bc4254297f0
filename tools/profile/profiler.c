/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profiler.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"

/* The widest raw page has some thousand metrics. */
#define MAX_FIELDS 16384

enum {
    COLUMN_ID,
    COLUMN_PROCESS,
    COLUMN_KERNEL,
    COLUMN_BLOCK,
    COLUMN_GRID,
    COLUMN_CC,
    COLUMN_METRIC,
    COLUMN_UNIT,
    COLUMN_VALUE,
    COLUMN_LEAST,
    COLUMN_MOST,
    COLUMN_AVERAGE,
    COLUMNS
};

static const char *const column_names[] = {
    [COLUMN_ID] = "ID",
    [COLUMN_PROCESS] = "Process ID",
    [COLUMN_KERNEL] = "Kernel Name",
    [COLUMN_BLOCK] = "Block Size",
    [COLUMN_GRID] = "Grid Size",
    [COLUMN_CC] = "CC",
    [COLUMN_METRIC] = "Metric Name",
    [COLUMN_UNIT] = "Metric Unit",
    [COLUMN_VALUE] = "Metric Value",
    [COLUMN_LEAST] = "Minimum",
    [COLUMN_MOST] = "Maximum",
    [COLUMN_AVERAGE] = "Average",
};
_Static_assert(sizeof column_names / sizeof *column_names == COLUMNS, "a name for each");

typedef struct reader {
    bw_profile *profile;
    const char *name;
    const char *at, *end;
    unsigned line; /* of `at` */
    const char *const *metric_names;
    size_t metric_count;
    char separator;
    bool quoted;   /* the header row is in quotes */
    char **fields; /* of the record at hand */
    size_t field_count;
    size_t header_count;                /* 0: no header row yet */
    int column[COLUMNS];                /* -1: not there */
    int metric[BW_PROFILE_MAX_METRICS]; /* columns of the raw page */
    char **header, **units;             /* by column; units of the raw page, NULL: no row of them */
    bool decimal[2], grouping[2];       /* what ',' and '.' were seen to be */
} reader;

static bool fail(reader *r, bw_message_id id, unsigned line, const char *what)
{
    r->profile->error_id = id;
    r->profile->error = bw_arena_format(&r->profile->arena, "%s:%u: %s", r->name, line, what);
    return false;
}

/* ---- records ---- */

static const char *line_end(const reader *r)
{
    const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    return stop ? stop : r->end;
}

static void skip_line(reader *r)
{
    const char *stop = line_end(r);
    r->at = stop < r->end ? stop + 1 : stop;
    r->line++;
}

/* Reads the record at r->at into r->fields without moving on. 0: it is none. */
static size_t read_record(reader *r, const char **next, unsigned *lines)
{
    bw_csv_cell cell = {.next = r->at};
    *lines = 1;
    r->field_count = 0;
    while (!cell.last && r->field_count < MAX_FIELDS) {
        const char *at = cell.next;
        if (!bw_csv_read(at, r->end, r->separator, NULL, &cell))
            return 0;
        char *text = bw_arena_alloc(&r->profile->arena, cell.len + 1);
        bw_csv_read(at, r->end, r->separator, text, &cell);
        *lines += cell.lines;
        r->fields[r->field_count++] = cell.text;
    }
    *next = cell.next;
    return r->field_count;
}

/* ---- header rows ---- */

static int find_column(const reader *r, const char *name)
{
    for (size_t i = 0; i < r->field_count; i++)
        if (strcmp(r->fields[i], name) == 0)
            return (int)i;
    return -1;
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Whether a cell names the metric: by itself, or as "Label (name)". */
static bool names_metric(const char *cell, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = cell; (at = strstr(at, name)); at++)
        if ((at == cell || !in_name(at[-1])) && !in_name(at[length]))
            return true;
    return false;
}

static bool is_header(const reader *r)
{
    return find_column(r, column_names[COLUMN_KERNEL]) >= 0;
}

static bool contains(const char *from, const char *to, const char *word)
{
    size_t length = strlen(word);
    for (; (size_t)(to - from) >= length; from++)
        if (*from == *word && memcmp(from, word, length) == 0)
            return true;
    return false;
}

/* A header row, whatever separates its cells; a cheap look comes first, as most lines are none. */
static bool try_header(reader *r, const char **next, unsigned *lines)
{
    static const char separators[] = ",;\t";
    char before = r->separator;
    if (!contains(r->at, line_end(r), column_names[COLUMN_KERNEL]))
        return false;
    for (const char *s = separators; *s; s++) {
        r->separator = *s;
        if (read_record(r, next, lines) > 1 && is_header(r))
            return true;
    }
    r->separator = before;
    return false;
}

/* The fields of the record at hand, to keep. */
static char **keep_fields(reader *r)
{
    char **kept = bw_arena_alloc(&r->profile->arena, r->field_count * sizeof *kept);
    return memcpy(kept, r->fields, r->field_count * sizeof *kept);
}

static bool take_header(reader *r)
{
    bw_profile *profile = r->profile;
    r->header_count = r->field_count;
    r->quoted = *r->at == '"';
    r->units = NULL;
    r->header = keep_fields(r);
    for (int i = 0; i < COLUMNS; i++)
        r->column[i] = find_column(r, column_names[i]);
    for (size_t m = 0; m < r->metric_count; m++) {
        r->metric[m] = -1;
        for (size_t i = 0; i < r->field_count; i++)
            if (names_metric(r->fields[i], r->metric_names[m]))
                r->metric[m] = (int)i;
    }
    if (r->column[COLUMN_METRIC] < 0)
        profile->page = BW_PAGE_RAW;
    else if (r->column[COLUMN_VALUE] >= 0)
        profile->page = BW_PAGE_DETAILS;
    else if (r->column[COLUMN_AVERAGE] >= 0)
        profile->page = BW_PAGE_SUMMARY;
    else
        return fail(r, BW_MSG_PROFILE_FORM, r->line,
                    "the header row has Metric Name but no Metric Value; print the "
                    "report with 'ncu --import REPORT --csv --page raw'");
    return true;
}

/* ---- kernels and shapes ---- */

/* Skips "<…>" or "(…)" at `at`; returns what follows. */
static const char *skip_brackets(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        depth += *at == '<' || *at == '(';
        depth -= *at == '>' || *at == ')';
        if (depth == 0)
            return at + 1;
    }
    return at;
}

/* Template arguments without the spaces, and without the casts that the tool writes. */
static const char *plain_arguments(bw_arena *arena, const char *from, const char *to)
{
    char *text = bw_arena_alloc(arena, (size_t)(to - from) + 1), *out = text;
    while (from < to) {
        bool begins = out == text || out[-1] == ',';
        if (*from == ' ')
            from++;
        else if (begins && *from == '(')
            from = skip_brackets(from);
        else
            *out++ = *from++;
    }
    *out = '\0';
    return text;
}

/* ---- kernels and shapes: mangled names ---- */

/* As the Itanium C++ ABI mangles names: "_Z" with a name, or "N", names and "E" for scopes; a name
 * is its length and its letters; "I", arguments and "E" follow a template's. Of arguments those are
 * read that are literals, "Li32E" and "Lb1E"; where there are others, none is told. */
typedef struct mangled {
    const char *at, *name, *arguments;
    size_t length;
} mangled;

static bool take_name(mangled *m)
{
    m->at += *m->at == 'L'; /* not seen outside its file */
    if (!isdigit((unsigned char)*m->at))
        return false;
    char *letters;
    unsigned long length = strtoul(m->at, &letters, 10);
    if (length == 0 || length > strlen(letters))
        return false;
    m->name = letters;
    m->length = length;
    m->arguments = "";
    m->at = letters + length;
    return true;
}

/* The literals between "I" and "E"; goes after the "E". */
static bool take_arguments(bw_arena *arena, mangled *m)
{
    const char *list = "";
    for (m->at++; *m->at == 'L'; m->at++) {
        char type = m->at[1];
        const char *value = m->at + 2;
        bool minus = type && *value == 'n';
        size_t digits = type ? strspn(value + minus, "0123456789") : 0;
        m->at = value + minus + digits;
        if (!digits || *m->at != 'E')
            return false;
        const char *comma = *list ? "," : "", *sign = minus ? "-" : "";
        list = bw_arena_format(arena, "%s%s%s%.*s", list, comma, sign, (int)digits, value + minus);
    }
    m->arguments = list;
    return *m->at++ == 'E';
}

/* False where it is no mangled name, or one with more in it than is known here. */
static bool demangle(bw_arena *arena, const char *kernel, const char **name, const char **arguments)
{
    mangled m = {.at = kernel + 2, .arguments = ""};
    if (strncmp(kernel, "_Z", 2) != 0)
        return false;
    bool nested = *m.at == 'N';
    m.at += nested;
    do {
        if (!take_name(&m))
            return false;
        if (*m.at == 'I' && !take_arguments(arena, &m)) {
            if (nested)
                return false;
            m.arguments = "";
            break;
        }
    } while (nested && *m.at != 'E');
    *name = bw_arena_copy(arena, m.name, m.length);
    *arguments = m.arguments;
    return true;
}

void bw_kernel_parts(bw_arena *arena, const char *kernel, const char **name, const char **arguments)
{
    if (demangle(arena, kernel, name, arguments))
        return;
    static const char *const scopes[] = {"(anonymous namespace)::", "<unnamed>::", "unnamed>::"};
    const char *begin = kernel, *at = kernel;
    *arguments = "";
    *name = "";
    while (*at) {
        size_t scope = 0;
        for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
            if (strncmp(at, scopes[i], strlen(scopes[i])) == 0)
                scope = strlen(scopes[i]);
        if (scope) {
            begin = at += scope;
        } else if (*at == ' ' || *at == ':') {
            begin = ++at;
        } else if (*at == '<') {
            const char *after = skip_brackets(at);
            *name = bw_arena_copy(arena, begin, (size_t)(at - begin));
            *arguments = plain_arguments(arena, at + 1, after > at + 1 ? after - 1 : at + 1);
            if (*after != ':') /* else the arguments were a scope's */
                return;
            at = after;
            *arguments = "";
        } else if (*at == '(') {
            break;
        } else {
            at++;
        }
    }
    *name = bw_arena_copy(arena, begin, (size_t)(at - begin));
}

/* "(32, 8, 1)" or "32x8x1" or "256". */
static bool read_shape(const char *text, uint32_t shape[3])
{
    unsigned count = 0;
    shape[0] = shape[1] = shape[2] = 1;
    while (*text && count < 3) {
        text += strcspn(text, "0123456789");
        if (!*text)
            break;
        char *end;
        unsigned long value = strtoul(text, &end, 10);
        if (value > UINT32_MAX)
            return false;
        shape[count++] = (uint32_t)value;
        text = end;
    }
    return count > 0;
}

static const char *cell(const reader *r, int column)
{
    return r->column[column] >= 0 ? r->fields[r->column[column]] : "";
}

static bool same_launch(const reader *r, const bw_profiled *launch)
{
    bool same = strcmp(launch->id, cell(r, COLUMN_ID)) == 0 &&
                strcmp(launch->process, cell(r, COLUMN_PROCESS)) == 0 &&
                strcmp(launch->kernel, cell(r, COLUMN_KERNEL)) == 0;
    uint32_t block[3], grid[3];
    if (same && r->profile->page == BW_PAGE_SUMMARY) /* which has no number of a launch */
        same = (!read_shape(cell(r, COLUMN_BLOCK), block) ||
                memcmp(block, launch->block, sizeof block) == 0) &&
               (!read_shape(cell(r, COLUMN_GRID), grid) ||
                memcmp(grid, launch->grid, sizeof grid) == 0);
    return same;
}

/* The launch of this row; of the raw page each row is one. */
static bw_profiled *launch_of(reader *r)
{
    bw_profile *profile = r->profile;
    for (size_t i = profile->count; i > 0 && profile->page != BW_PAGE_RAW; i--)
        if (same_launch(r, &profile->launches[i - 1]))
            return &profile->launches[i - 1];
    BW_GROW(profile->launches, profile->count, profile->capacity);
    bw_profiled *launch = &profile->launches[profile->count++];
    *launch = (bw_profiled){.process = cell(r, COLUMN_PROCESS),
                            .id = cell(r, COLUMN_ID),
                            .kernel = cell(r, COLUMN_KERNEL),
                            .cc = cell(r, COLUMN_CC),
                            .line = r->line};
    bw_kernel_parts(&profile->arena, launch->kernel, &launch->name, &launch->arguments);
    launch->has_block = read_shape(cell(r, COLUMN_BLOCK), launch->block);
    launch->has_grid = read_shape(cell(r, COLUMN_GRID), launch->grid);
    return launch;
}

/* ---- numbers ---- */

/* Larger numbers count nothing that a card can do; they are whole in a double, and in JSON. */
#define MOST_COUNTED 9e15

#define COMMA 0
#define POINT 1

/* Bytes of a separator that only ever groups digits: spaces of all kinds and apostrophes. */
static size_t group_length(const char *at)
{
    static const char *const groups[] = {"'", " ", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x99"};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        size_t length = strlen(groups[i]);
        if (strncmp(at, groups[i], length) == 0 && isdigit((unsigned char)at[length]))
            return length;
    }
    return 0;
}

/* Digits, separators and an exponent, as far as they go; false where something else follows. What
 * is in brackets after the number is the list of its parts. */
static bool copy_number(const char *text, char *out, size_t size)
{
    char *end = out + size - 1;
    if (!isdigit((unsigned char)*text) && *text != '-' && *text != '+')
        return false;
    while (*text && out < end) {
        size_t group = group_length(text);
        if (strncmp(text, " (", 2) == 0 || strncmp(text, " {", 2) == 0)
            break;
        if (group)
            text += group;
        else if (isdigit((unsigned char)*text) || strchr(",.-+eE", *text))
            *out++ = *text++;
        else
            return false;
    }
    *out = '\0';
    return out < end;
}

/* What a number tells about the report's separators. */
static void learn_from(reader *r, const char *text)
{
    char number[64];
    if (!copy_number(text, number, sizeof number))
        return;
    const char *comma = strchr(number, ','), *point = strchr(number, '.');
    if (comma && point) {
        bool points = strrchr(number, '.') > strrchr(number, ',');
        r->decimal[points ? POINT : COMMA] = r->grouping[points ? COMMA : POINT] = true;
        return;
    }
    const char *mark = comma ? comma : point;
    if (!mark)
        return;
    int kind = comma ? COMMA : POINT;
    size_t before = (size_t)(mark - number), after = strspn(mark + 1, "0123456789");
    if (strchr(mark + 1, *mark))
        r->grouping[kind] = true;
    else if (after != 3 || before > 3 || number[0] == '0' || mark[1 + after])
        r->decimal[kind] = true;
    /* else: 1,234 may be either */
}

static bool choose_point(reader *r)
{
    bool points = r->decimal[POINT] || r->grouping[COMMA];
    bool commas = r->decimal[COMMA] || r->grouping[POINT];
    if (points && commas)
        return fail(r, BW_MSG_PROFILE_FORM, r->line,
                    "numbers are written in two ways, 1,234.5 and 1.234,5; export the "
                    "report again with LC_ALL=C");
    r->profile->point = commas ? ',' : points ? '.' : '\0';
    return true;
}

/* Reads by the report's separators. Where no number tells which they are, all that is left are
 * groups of three digits: counters are whole. */
static bool parse_number(const bw_profile *profile, const char *text, double *value)
{
    char number[64], plain[64], *to = plain;
    if (!copy_number(text, number, sizeof number))
        return false;
    for (const char *at = number; *at; at++)
        if (*at == profile->point)
            *to++ = '.';
        else if (*at != ',' && *at != '.')
            *to++ = *at;
    *to = '\0';
    char *end;
    *value = strtod(plain, &end);
    return end != plain && !*end && fabs(*value) <= MOST_COUNTED;
}

/* The tool shortens large quantities of some units; counts of the tool have none, or the name of
 * what is counted. */
static bool is_scaled(const char *unit)
{
    return strlen(unit) > 1 && strchr("KMGT", unit[0]) && islower((unsigned char)unit[1]);
}

static void settle_metric(const bw_profile *profile, bw_metric *metric)
{
    if (!metric->text)
        return;
    metric->known = parse_number(profile, metric->text, &metric->value);
    if (!metric->known)
        metric->why = "the report has no number";
    if (metric->known && is_scaled(metric->unit)) {
        metric->known = false;
        metric->why = "rounded to its unit; export with --print-units base";
    }
}

/* ---- rows ---- */

/* A value of the summary stands for all its launches only if they agree. */
static void take_summary(reader *r, bw_metric *metric)
{
    metric->text = cell(r, COLUMN_AVERAGE);
    if (strcmp(cell(r, COLUMN_LEAST), cell(r, COLUMN_MOST)) == 0)
        metric->text = cell(r, COLUMN_LEAST);
}

static void take_long_row(reader *r)
{
    bw_profiled *launch = launch_of(r);
    bool summary = r->profile->page == BW_PAGE_SUMMARY;
    learn_from(r, cell(r, summary ? COLUMN_AVERAGE : COLUMN_VALUE));
    for (size_t m = 0; m < r->metric_count; m++) {
        bw_metric *metric = &launch->metrics[m];
        if (!names_metric(cell(r, COLUMN_METRIC), r->metric_names[m]))
            continue;
        metric->text = cell(r, COLUMN_VALUE);
        metric->unit = cell(r, COLUMN_UNIT);
        if (summary)
            take_summary(r, metric);
    }
}

/* Metric columns of the raw page, told from those of the launch by the domain in their names. */
static void take_raw_row(reader *r)
{
    if (!*cell(r, COLUMN_KERNEL) && !*cell(r, COLUMN_ID)) {
        r->units = keep_fields(r);
        return;
    }
    bw_profiled *launch = launch_of(r);
    for (size_t i = 0; i < r->field_count; i++)
        if (strstr(r->header[i], "__"))
            learn_from(r, r->fields[i]);
    for (size_t m = 0; m < r->metric_count; m++) {
        if (r->metric[m] < 0)
            continue;
        launch->metrics[m].text = r->fields[r->metric[m]];
        launch->metrics[m].unit = r->units ? r->units[r->metric[m]] : "";
    }
}

static bool read_all(reader *r)
{
    while (r->at < r->end) {
        const char *next = r->end;
        unsigned lines = 1;
        if (try_header(r, &next, &lines)) {
            if (!take_header(r))
                return false;
        } else if (!r->header_count || (r->quoted && *r->at != '"')) {
            skip_line(r);
            continue;
        } else if (!read_record(r, &next, &lines)) {
            return fail(r, BW_MSG_PROFILE_FORM, r->line,
                        "quotes open here and do not close: the report is cut short");
        } else if (r->field_count == r->header_count) { /* else it is something that was printed */
            if (r->profile->page == BW_PAGE_RAW)
                take_raw_row(r);
            else
                take_long_row(r);
        }
        r->at = next;
        r->line += lines;
    }
    return true;
}

bool bw_profile_read(bw_profile *profile, const char *name, const char *text, size_t len,
                     const char *const *names, size_t count)
{
    *profile = (bw_profile){.count = 0};
    reader r = {.profile = profile,
                .name = name,
                .at = text,
                .end = text + len,
                .line = 1,
                .metric_names = names,
                .metric_count = count,
                .separator = ','};
    r.fields = bw_alloc(MAX_FIELDS * sizeof *r.fields);
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        r.at += 3;
    bool good = read_all(&r);
    if (good && !r.header_count)
        good = fail(&r, BW_MSG_PROFILE_FORM, 1,
                    "no header row with a column Kernel Name; give what 'ncu --import REPORT "
                    "--csv --page raw' prints");
    else if (good && !profile->count)
        good =
            fail(&r, BW_MSG_STREAM_EMPTY, r.line, "the report has no rows: nothing was profiled");
    good = good && choose_point(&r);
    for (size_t i = 0; good && i < profile->count; i++)
        for (size_t m = 0; m < count; m++)
            settle_metric(profile, &profile->launches[i].metrics[m]);
    free(r.fields);
    return good;
}

void bw_profile_finish(bw_profile *profile)
{
    free(profile->launches);
    bw_arena_finish(&profile->arena);
}

const char *bw_profile_page_name(bw_profile_page page)
{
    static const char *const names[] = {
        [BW_PAGE_RAW] = "raw", [BW_PAGE_DETAILS] = "details", [BW_PAGE_SUMMARY] = "summary"};
    _Static_assert(sizeof names / sizeof *names == BW_PAGE_SUMMARY + 1, "a name for each");
    return names[page];
}
