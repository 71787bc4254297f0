/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "diag.h"

#include <stdlib.h>
#include <string.h>

#include "plain.h"
#include "utf8.h"

/* A source line longer than this is shown in part: a minified file must not fill the screen. */
#define SHOWN_BYTES 160
/* How much of a cut line is kept before the caret. */
#define SHOWN_BEFORE 60

/* ---- collecting ---- */

static bool same_place(const bw_diagnostic *a, const bw_diagnostic *b)
{
    return a->source == b->source && a->span.offset == b->span.offset && a->span.len == b->span.len;
}

/* Equal for the reader: the note follows from the message. */
static bool same(const bw_diagnostic *a, const bw_diagnostic *b)
{
    return a->severity == b->severity && a->id == b->id && same_place(a, b) &&
           strcmp(a->message, b->message) == 0;
}

/* The slot past the last item takes what is not kept, so that a note can still be put on it. */
static bw_diagnostic *spare(bw_diags *diags)
{
    BW_GROW(diags->items, diags->count, diags->capacity);
    return &diags->items[diags->count];
}

static bool is_known(const bw_diags *diags, const bw_diagnostic *new)
{
    for (size_t i = diags->count; i-- > 0;)
        if (same(&diags->items[i], new))
            return true;
    return false;
}

static bool is_full(const bw_diags *diags, bw_severity severity)
{
    size_t have = severity == BW_ERROR ? diags->errors : diags->count - diags->errors;
    return have >= BW_DIAGS_MAX;
}

/* A warning in a loop comes a million times: its text must cost no memory after the first. */
static bw_diagnostic *add(bw_diags *diags, bw_diagnostic new, const char *format, va_list args)
{
    char text[512];
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(text, sizeof text, format, again);
    va_end(again);
    bw_diagnostic *item = spare(diags);
    new.message = text;
    bool whole = len >= 0 && (size_t)len < sizeof text;
    if ((whole && is_known(diags, &new)) || is_full(diags, new.severity)) {
        diags->dropped += !(whole && is_known(diags, &new));
        new.message = "";
        *item = new;
        return item;
    }
    new.message = bw_arena_format_list(&diags->arena, format, args);
    *item = new;
    diags->count++;
    diags->errors += new.severity == BW_ERROR;
    return item;
}

bw_diagnostic *bw_diagnose(bw_diags *diags, bw_message_id id, const bw_source *source, bw_span span,
                           const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool warns = bw_message_of(id)->kind == BW_KIND_WARNING;
    source = bw_source_at(source, &span.offset);
    bw_diagnostic new = {warns ? BW_WARNING : BW_ERROR, .id = id, .source = source, .span = span};
    bw_diagnostic *item = add(diags, new, format, args);
    va_end(args);
    return item;
}

/* Whether `item` is the spare slot: what is put on it would only cost memory. */
static bool is_spare(const bw_diags *diags, const bw_diagnostic *item)
{
    return item == diags->items + diags->count;
}

void bw_note(bw_diags *diags, bw_diagnostic *diagnostic, const char *format, ...)
{
    if (is_spare(diags, diagnostic))
        return;
    va_list args;
    va_start(args, format);
    diagnostic->note = bw_arena_format_list(&diags->arena, format, args);
    va_end(args);
}

void bw_also(bw_diags *diags, bw_diagnostic *diagnostic, const bw_source *source, bw_span span,
             const char *format, ...)
{
    if (is_spare(diags, diagnostic))
        return;
    va_list args;
    va_start(args, format);
    diagnostic->also_source = bw_source_at(source, &span.offset);
    diagnostic->also = span;
    diagnostic->also_message = bw_arena_format_list(&diags->arena, format, args);
    va_end(args);
}

void bw_diags_forget(bw_diags *diags, size_t from, size_t to)
{
    to = to < diags->count ? to : diags->count;
    for (size_t i = from; i < to; i++)
        diags->errors -= diags->items[i].severity == BW_ERROR;
    if (to > from)
        memmove(diags->items + from, diags->items + to, (diags->count - to) * sizeof *diags->items);
    diags->count -= to > from ? to - from : 0;
}

/* ---- ordering ---- */

/* Errors about no place come first; then by file and offset. */
static int compare(const bw_diagnostic *a, const bw_diagnostic *b)
{
    if (!a->source || !b->source)
        return (a->source != NULL) - (b->source != NULL);
    int by_name = strcmp(a->source->name, b->source->name);
    if (by_name)
        return by_name;
    return (a->span.offset > b->span.offset) - (a->span.offset < b->span.offset);
}

/* Insertion keeps the order of equal places, and there are at most 2 * BW_DIAGS_MAX. */
void bw_diags_sort(bw_diags *diags)
{
    size_t kept = 0;
    for (size_t i = 0; i < diags->count; i++) {
        bw_diagnostic item = diags->items[i];
        size_t at = kept;
        while (at > 0 && compare(&diags->items[at - 1], &item) > 0)
            at--;
        bool known = false;
        for (size_t j = at; j-- > 0 && compare(&diags->items[j], &item) == 0;)
            known = known || same(&diags->items[j], &item);
        if (known) {
            diags->errors -= item.severity == BW_ERROR;
            continue;
        }
        memmove(&diags->items[at + 1], &diags->items[at], (kept - at) * sizeof item);
        diags->items[at] = item;
        kept++;
    }
    diags->count = kept;
}

/* ---- places ---- */

const bw_source *bw_source_at(const bw_source *source, uint32_t *offset)
{
    while (source && source->more && *offset > source->len) {
        *offset -= (uint32_t)source->len + 1;
        source = source->more;
    }
    return source;
}

bw_place bw_source_place(const bw_source *source, uint32_t offset)
{
    size_t end = offset < source->len ? offset : source->len;
    size_t start = 0;
    unsigned line = 1;
    for (size_t i = 0; i < end; i++)
        if (source->text[i] == '\n') {
            line++;
            start = i + 1;
        }
    return (bw_place){.line = line, .column = (unsigned)(end - start) + 1};
}

bw_lines bw_lines_of(bw_arena *arena, const bw_source *source)
{
    bw_lines lines = {.count = 1, .len = source->len};
    for (size_t i = 0; i < source->len; i++)
        lines.count += source->text[i] == '\n';
    lines.starts = bw_arena_alloc(arena, lines.count * sizeof *lines.starts);
    uint32_t *next = lines.starts;
    *next++ = 0;
    for (size_t i = 0; i < source->len; i++)
        if (source->text[i] == '\n')
            *next++ = (uint32_t)i + 1;
    return lines;
}

bw_place bw_lines_place(const bw_lines *lines, uint32_t offset)
{
    uint32_t end = offset < lines->len ? offset : (uint32_t)lines->len;
    size_t low = 0, high = lines->count; /* starts[low] <= end < starts[high] */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (lines->starts[middle] <= end)
            low = middle;
        else
            high = middle;
    }
    return (bw_place){.line = (unsigned)low + 1, .column = end - lines->starts[low] + 1};
}

const char *bw_source_line(const bw_source *source, unsigned line, size_t *len)
{
    const char *at = source->text, *end = source->text + source->len;
    *len = 0;
    if (!source->len)
        return "";
    for (unsigned i = 1; i < line; i++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        if (!next)
            return "";
        at = next + 1;
    }
    const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    *len = (size_t)((stop ? stop : end) - at);
    if (*len && at[*len - 1] == '\r')
        --*len;
    return at;
}

/* ---- text as a terminal shows it ---- */

typedef struct range {
    uint32_t first, last;
} range;

/* Characters without a cell of their own, as far as source comments have them: combining marks,
 * zero-width spaces and joiners, direction marks, variation selectors. Unicode 15, categories Mn
 * and Cf of the scripts named. */
static const range no_cell[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a},
    {0x064b, 0x065f}, {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x2064},
    {0x20d0, 0x20f0}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff},
};

/* Characters of two cells: Unicode's East Asian Width W and F, and pictographs. */
static const range two_cells[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
    {0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

static bool in_ranges(const range *ranges, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

static unsigned cells(uint32_t code)
{
    if (in_ranges(no_cell, sizeof no_cell / sizeof *no_cell, code))
        return 0;
    return in_ranges(two_cells, sizeof two_cells / sizeof *two_cells, code) ? 2 : 1;
}

/* One character as printed. Controls and broken UTF-8 become '?': a source must not drive the
 * terminal. */
typedef struct glyph {
    unsigned bytes; /* of the source */
    unsigned cells; /* on the terminal; a tab is copied */
    bool tab, plain;
} glyph;

static glyph next_glyph(const char *text, size_t len)
{
    uint32_t code = 0;
    unsigned bytes = bw_utf8_decode(text, len, &code);
    if (bytes == 0)
        return (glyph){.bytes = 1, .cells = 1};
    if (code == '\t')
        return (glyph){.bytes = 1, .cells = 1, .tab = true, .plain = true};
    if (code < 0x20 || (code >= 0x7f && code < 0xa0))
        return (glyph){.bytes = bytes, .cells = 1};
    return (glyph){.bytes = bytes, .cells = cells(code), .plain = true};
}

static void put_line(FILE *out, const char *text, size_t len)
{
    while (len) {
        glyph g = next_glyph(text, len);
        if (g.plain)
            fwrite(text, 1, g.bytes, out);
        else
            fputc('?', out);
        text += g.bytes;
        len -= g.bytes;
    }
}

/* Blanks as wide as the text before the caret, then ^~~~ as wide as the span. */
static void put_caret(FILE *out, const char *text, size_t len, size_t from, size_t count)
{
    size_t at = 0;
    while (at < len && at < from) {
        glyph g = next_glyph(text + at, len - at);
        if (g.tab)
            fputc('\t', out);
        for (unsigned i = 0; !g.tab && i < g.cells; i++)
            fputc(' ', out);
        at += g.bytes;
    }
    fputc('^', out);
    bool first = true;
    while (at < len && at < from + count) {
        glyph g = next_glyph(text + at, len - at);
        for (unsigned i = first; i < g.cells; i++)
            fputc('~', out);
        first = first && g.cells == 0;
        at += g.bytes;
    }
}

/* ---- printing ---- */

/* A style, where there is colour. */
static void put_style(FILE *out, bool colour, bw_style style)
{
    if (colour)
        bw_put_style(out, style);
}

/* Cuts a long line to what stands around the span; moves *from accordingly. */
static const char *cut_line(const char *text, size_t *len, size_t *from)
{
    if (*len <= SHOWN_BYTES)
        return text;
    size_t skip = *from > SHOWN_BYTES - SHOWN_BEFORE ? *from - SHOWN_BEFORE : 0;
    while (skip && skip < *len && ((unsigned char)text[skip] & 0xc0) == 0x80)
        skip++;
    *len -= skip;
    *from -= skip;
    if (*len > SHOWN_BYTES) {
        *len = SHOWN_BYTES;
        while (*len && ((unsigned char)text[skip + *len] & 0xc0) == 0x80)
            --*len;
    }
    return text + skip;
}

static void put_source(FILE *out, bool colour, const bw_source *source, bw_span span)
{
    bw_place place = bw_source_place(source, span.offset);
    size_t len, from = place.column - 1;
    const char *text = bw_source_line(source, place.line, &len);
    if (from > len)
        from = len;
    size_t whole = len;
    const char *shown = cut_line(text, &len, &from);
    const char *before = shown != text ? "..." : "";
    const char *after = shown + len != text + whole ? "..." : "";
    fprintf(out, " %5u | %s", place.line, before);
    put_line(out, shown, len);
    fprintf(out, "%s\n       | %*s", after, (int)strlen(before), "");
    put_style(out, colour, BW_STYLE_CARET);
    put_caret(out, shown, len, from, span.len);
    put_style(out, colour, BW_STYLE_OFF);
    fputc('\n', out);
}

static void put_head(FILE *out, bool colour, const bw_source *source, bw_span span, bw_style style,
                     const char *word, const char *message)
{
    put_style(out, colour, BW_STYLE_BOLD);
    if (source) {
        bw_place place = bw_source_place(source, span.offset);
        fprintf(out, "%s:%u:%u: ", source->name, place.line, place.column);
    } else {
        fputs("bankwise: ", out);
    }
    put_style(out, colour, BW_STYLE_OFF);
    put_style(out, colour, style);
    fprintf(out, "%s: ", word);
    put_style(out, colour, BW_STYLE_OFF);
    put_style(out, colour, BW_STYLE_BOLD);
    fputs(message, out);
    put_style(out, colour, BW_STYLE_OFF);
}

static void put_note(FILE *out, bool colour, const char *note)
{
    put_style(out, colour, BW_STYLE_NOTE);
    fputs("note: ", out);
    put_style(out, colour, BW_STYLE_OFF);
    for (; *note; note++) {
        fputc(*note, out);
        if (*note == '\n' && note[1])
            fputs("      ", out);
    }
    fputc('\n', out);
}

static void put_one(FILE *out, bool colour, const bw_diagnostic *item)
{
    bool error = item->severity == BW_ERROR;
    put_head(out, colour, item->source, item->span, error ? BW_STYLE_ALERT : BW_STYLE_WARNING,
             error ? "error" : "warning", item->message);
    fprintf(out, error ? " [%s]\n" : " [-W%s]\n", bw_message_of(item->id)->id);
    if (item->source)
        put_source(out, colour, item->source, item->span);
    if (item->also_message) {
        put_head(out, colour, item->also_source, item->also, BW_STYLE_NOTE, "note",
                 item->also_message);
        fputc('\n', out);
        if (item->also_source)
            put_source(out, colour, item->also_source, item->also);
    }
    if (item->note)
        put_note(out, colour, item->note);
}

void bw_diags_print(bw_diags *diags, FILE *out, bool colour)
{
    bw_diags_sort(diags);
    for (size_t i = 0; i < diags->count; i++)
        put_one(out, colour, &diags->items[i]);
    if (diags->dropped)
        fprintf(out, "bankwise: %zu more not shown; mend the first ones and run again\n",
                diags->dropped);
}

void bw_diags_show(bw_diags *diags, FILE *out, bool colour)
{
    char *text = NULL;
    size_t len = 0;
    FILE *memory = open_memstream(&text, &len);
    if (!memory)
        bw_out_of_memory();
    bw_diags_print(diags, memory, colour);
    if (ferror(memory) | fclose(memory))
        bw_out_of_memory();
    bw_print_plain(out, text, len);
    free(text);
}

void bw_diags_finish(bw_diags *diags)
{
    bw_arena_finish(&diags->arena);
    free(diags->items);
    *diags = (bw_diags){0};
}
