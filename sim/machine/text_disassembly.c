/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text of cuobjdump -sass and nvdisasm, line by line.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

typedef struct reader {
    bw_sass *sass;
    bw_diags *diags;
    const char *arch;
    bw_function *function; /* the one being read, or NULL */
    uint64_t pending_from; /* labels from here on wait for an instruction */
    const bw_sass_line *line;
    bw_sass_line *line_end; /* where the chain that is being read is continued */
    bool in_lines;          /* the line before was one of line information */
    long bank;              /* index of the constant section being read, or -1 */
} reader;

/* One line without its end, its outer space removed. */
typedef struct line_text {
    const char *text;
    size_t len;
} line_text;

static bool begins(line_text line, const char *head)
{
    size_t n = strlen(head);
    return line.len >= n && memcmp(line.text, head, n) == 0;
}

static bw_span span_of(const reader *r, const char *from, size_t len)
{
    return (bw_span){(uint32_t)(from - r->sass->source->text), (uint32_t)len};
}

static line_text trim(const char *text, size_t len)
{
    while (len && isspace((unsigned char)*text))
        text++, len--;
    while (len && isspace((unsigned char)text[len - 1]))
        len--;
    return (line_text){text, len};
}

/* ---- architecture ---- */

/* "sm_90" from a line that names one after `mark` ("sm_" or "EF_CUDA_SM"). */
static bool find_arch(reader *r, line_text line, const char *mark)
{
    const char *at = bw_text_search(line.text, line.len, mark);
    if (!at)
        return false;
    at += strlen(mark);
    size_t len = 0, left = (size_t)(line.text + line.len - at);
    while (len < left && len < 4 && isdigit((unsigned char)at[len]))
        len++;
    if (len < 2)
        return false;
    r->arch = bw_arena_format(&r->sass->arena, "sm_%.*s", (int)len, at);
    if (r->function && r->function->count == 0)
        r->function->shown.arch = r->arch;
    return true;
}

static bool is_arch_line(reader *r, line_text line)
{
    if (begins(line, "arch = ") || begins(line, "code for ") || begins(line, ".target"))
        return find_arch(r, line, "sm_") || true;
    if (begins(line, ".headerflags"))
        return find_arch(r, line, "EF_CUDA_SM") || find_arch(r, line, "SM(sm_") || true;
    return false;
}

/* ---- line information ---- */

/* A quoted name and a line number: `"FILE", line N`. Returns where it ends, or NULL. */
static const char *file_line(reader *r, const char *at, const char *end, bw_sass_line *out)
{
    const char *open = memchr(at, '"', (size_t)(end - at));
    const char *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
    if (!close)
        return NULL;
    out->file = bw_arena_copy(&r->sass->arena, open + 1, (size_t)(close - open - 1));
    const char *mark = bw_text_search(close, (size_t)(end - close), "line ");
    if (!mark)
        return NULL;
    mark += 5;
    uint32_t number = 0;
    for (; mark < end && isdigit((unsigned char)*mark); mark++)
        number = number * 10 + (uint32_t)(*mark - '0');
    out->line = number;
    return mark;
}

/*
 * `//## File "a", line 3 inlined at "b", line 7`: a line gives one place and where it was inlined;
 * the next such line repeats that second place and goes on from there.
 */
static void read_line_info(reader *r, line_text line)
{
    const char *end = line.text + line.len;
    bw_sass_line *place = bw_arena_alloc(&r->sass->arena, sizeof *place);
    const char *rest = file_line(r, line.text, end, place);
    if (!rest)
        return;
    bw_sass_line *last = r->line_end;
    bool repeats =
        r->in_lines && last && last->line == place->line && strcmp(last->file, place->file) == 0;
    if (repeats) {
        place = last;
    } else if (r->in_lines && last) {
        last->inlined_at = place;
    } else {
        r->line = place;
    }
    r->line_end = place;
    r->in_lines = true;
    if (!bw_text_search(rest, (size_t)(end - rest), "inlined at"))
        return;
    bw_sass_line *outer = bw_arena_alloc(&r->sass->arena, sizeof *outer);
    if (file_line(r, rest, end, outer)) {
        place->inlined_at = outer;
        r->line_end = outer;
    }
}

/* ---- functions and labels ---- */

/* A function of cuobjdump is closed by a row of points: without it the text was cut. */
static void check_end(reader *r)
{
    bw_function *function = r->function;
    if (!function || r->sass->dialect != BW_DIALECT_CUOBJDUMP || function->ended ||
        !function->count)
        return;
    bw_diagnostic *d =
        bw_diagnose(r->diags, BW_MSG_MACHINE_TEXT, r->sass->source, function->shown.span,
                    "the end of %s is missing", function->shown.name);
    bw_note(r->diags, d, "the text is cut");
}

static void begin_function(reader *r, const char *name, size_t len)
{
    check_end(r);
    r->function = bw_text_begin(r->sass, span_of(r, name, len), r->arch);
    r->line = NULL;
    r->line_end = NULL;
    r->in_lines = false;
    r->bank = -1;
}

static void add_label(reader *r, const char *name, size_t len)
{
    bw_function *function = r->function;
    if (!function)
        return;
    BW_GROW(function->labels, function->label_count, function->label_capacity);
    function->labels[function->label_count++] =
        (bw_label){bw_arena_copy(&r->sass->arena, name, len), (uint32_t)function->count};
}

/* `.nv.constant2.NAME:`: the bytes that follow are constant bank 2 of kernel NAME. */
static bool begin_bank(reader *r, line_text label)
{
    const char *head = ".nv.constant";
    size_t n = strlen(head);
    if (!begins(label, head) || label.len <= n || !isdigit((unsigned char)label.text[n]))
        return false;
    bw_sass *sass = r->sass;
    BW_GROW(sass->banks, sass->bank_count, sass->bank_capacity);
    const char *kernel = label.len > n + 2 ? label.text + n + 2 : "";
    sass->banks[sass->bank_count] = (bw_bank_text){
        .kernel = bw_arena_copy(&sass->arena, kernel, label.len > n + 2 ? label.len - n - 2 : 0),
        .bank = (uint32_t)(label.text[n] - '0')};
    r->bank = (long)sass->bank_count++;
    r->function = NULL;
    return true;
}

static bool is_label(line_text line)
{
    if (line.len < 2 || line.text[line.len - 1] != ':')
        return false;
    for (size_t i = 0; i + 1 < line.len; i++)
        if (!isalnum((unsigned char)line.text[i]) && !strchr("._$@", line.text[i]))
            return false;
    return true;
}

static void read_label(reader *r, line_text line)
{
    line_text label = {line.text, line.len - 1};
    if (begins(label, ".text.") && label.len > 6)
        begin_function(r, label.text + 6, label.len - 6);
    else if (!begin_bank(r, label))
        add_label(r, label.text, label.len);
}

/* ---- data of constant banks ---- */

static void put_bytes(bw_bank_text *bank, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        BW_GROW(bank->bytes, bank->size, bank->capacity);
        bank->bytes[bank->size++] = (uint8_t)(value >> (8 * i));
    }
}

/* `.byte 0x00, 0x01`, `.word 0x120`, `.quad`, `.zero 8`; symbols cannot be known. */
static void read_data(reader *r, line_text line)
{
    static const struct {
        const char *name;
        unsigned size;
    } kinds[] = {{".byte", 1}, {".short", 2}, {".word", 4}, {".dword", 8}, {".quad", 8}};
    bw_bank_text *bank = &r->sass->banks[r->bank];
    const char *end = line.text + line.len;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (!begins(line, kinds[k].name))
            continue;
        const char *at = line.text + strlen(kinds[k].name);
        while (at < end) {
            char *after;
            uint64_t value = strtoull(at, &after, 0);
            if (after == at || after > end)
                break;
            put_bytes(bank, value, kinds[k].size);
            at = after + strcspn(after, ",\n");
            at += at < end;
        }
        return;
    }
    if (begins(line, ".zero"))
        for (uint64_t n = strtoull(line.text + 5, NULL, 0); n && bank->size < 65536; n--)
            put_bytes(bank, 0, 1);
}

/* ---- instructions ---- */

/* After an address in comment signs; returns NULL where the line has none. */
static const char *read_address(line_text line, uint64_t *address)
{
    if (line.len < 8 || line.text[0] != '/' || line.text[1] != '*')
        return NULL;
    size_t i = 2;
    uint64_t value = 0;
    for (; i < line.len && isxdigit((unsigned char)line.text[i]) && i < 18; i++) {
        int c = tolower((unsigned char)line.text[i]);
        value = value * 16 + (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    if (i < 6 || i + 1 >= line.len || line.text[i] != '*' || line.text[i + 1] != '/')
        return NULL;
    *address = value;
    return line.text + i + 2;
}

static void read_instruction(reader *r, const char *at, const char *end, uint64_t address)
{
    line_text rest = trim(at, (size_t)(end - at));
    if (rest.len && *rest.text == '.') {
        if (r->bank >= 0)
            read_data(r, rest);
        return;
    }
    if (!r->function)
        return;
    while (rest.len && (*rest.text == '{' || *rest.text == ' ')) /* sets of two, before sm_70 */
        rest.text++, rest.len--;
    const char *semicolon = memchr(rest.text, ';', rest.len);
    if (!semicolon) {
        bw_diagnostic *d = bw_diagnose(
            r->diags, BW_MSG_MACHINE_TEXT, r->sass->source, span_of(r, rest.text, rest.len),
            "an instruction without its end in %s", r->function->shown.name);
        bw_note(r->diags, d, "the text is cut");
        return;
    }
    line_text statement = trim(rest.text, (size_t)(semicolon - rest.text));
    if (bw_text_add(r->sass, r->function, address, span_of(r, statement.text, statement.len),
                    r->diags))
        r->function->ins[r->function->count - 1].line = r->line;
    r->in_lines = false;
}

/* ---- lines ---- */

static void read_line(reader *r, line_text line)
{
    uint64_t address;
    const char *after = read_address(line, &address);
    if (after)
        read_instruction(r, after, line.text + line.len, address);
    else if (begins(line, "//##"))
        read_line_info(r, line);
    else if (begins(line, "Function : "))
        begin_function(r, line.text + 11, line.len - 11);
    else if (begins(line, ".....") && r->function)
        r->function->ended = true;
    else if (is_label(line))
        read_label(r, line);
    else if (begins(line, ".section"))
        r->bank = -1;
    else if (!is_arch_line(r, line) && r->bank >= 0)
        read_data(r, line);
}

void bw_text_disassembly(bw_sass *sass, bw_diags *diags)
{
    reader r = {.sass = sass, .diags = diags, .bank = -1};
    const char *at = sass->source->text, *end = at + sass->source->len;
    while (at < end && diags->errors < BW_DIAGS_MAX) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        read_line(&r, trim(at, (size_t)(stop - at)));
        at = stop + 1;
    }
    check_end(&r);
}
