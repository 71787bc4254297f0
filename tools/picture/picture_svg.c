/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The picture as one SVG file: no script, no network, no fonts of its own. Colours follow the
 * reader's preference for light or dark; they are those of Okabe and Ito, which colour-blind people
 * tell apart, and what they say is also said by a frame, a letter or a number. Units: pixels.
 */
#include "picture.h"

#include <string.h>

#include "table.h"
#include "utf8.h"
#include "wording.h"

#define MARGIN 16
#define LABEL 34 /* the wavefront's number */
#define CELL 27
#define ROW 29
#define HEADING 26
#define LINE 19
#define GRID_LEFT (MARGIN + LABEL)
#define WIDTH (GRID_LEFT + BW_LANES * CELL + MARGIN)
/* Characters of a sentence that fit the width at the size of the text, with room to spare: the
 * font is the reader's. */
#define WRAP 118
/* The same for the title, and for code. */
#define WRAP_TITLE 92
#define WRAP_CODE 112
/* Wavefronts of a long picture: what fits a slide. */
#define MOST_WAVES 32

/* Plain rules, and dark ones over them on screens: programs that know no variables and no media
 * queries draw the light picture, and so do printers. */
static const char style[] =
    "svg{color-scheme:light dark}.p{fill:#fff}text{fill:#1a1a1a;font:14px system-ui,sans-serif}"
    ".t{font-weight:600;font-size:16px}.c{font:13px ui-monospace,monospace;white-space:pre}"
    ".d{fill:#595959;font-size:11px}.m{text-anchor:middle}.e{text-anchor:end}"
    ".n{text-anchor:middle;font:600 13px ui-monospace,monospace}"
    ".w{text-anchor:middle;font:8px ui-monospace,monospace;fill:#595959}"
    ".g{fill:none;stroke:#d4d4d4}.l{fill:#d6eaf8;stroke:#0072b2}"
    ".s{fill:#fce3bd;stroke:#b35900;stroke-width:2.5}.h{font-weight:600}"
    "@media screen and (prefers-color-scheme:dark){.p{fill:#16181c}text{fill:#ececec}"
    ".d,.w{fill:#a8a8a8}.g{stroke:#3a3e46}.l{fill:#12384f;stroke:#56b4e9}"
    ".s{fill:#4d3410;stroke:#e69f00}}";

/* Columns of the legend where its entries are short, and the width of a character there. */
#define LEGEND_COLUMNS 4
#define LEGEND_CHARACTER 8

typedef struct svg_pen {
    const bw_picture *picture;
    bw_arena arena;
    FILE *out; /* NULL: only the height is wanted */
    unsigned y;
    size_t most;      /* wavefronts to show; 0: all */
    unsigned legends; /* entries so far */
    unsigned columns; /* of the legend: so many that its longest entry fits one */
} svg_pen;

/* XML 1.0 has no controls, no surrogates and not these two; U+FFFD stands for what is no UTF-8. */
static void put_character(FILE *out, const char *text, unsigned bytes, uint32_t code)
{
    if (!bytes || code == 0xfffe || code == 0xffff)
        fputs("\xEF\xBF\xBD", out);
    else if (code >= ' ' && !(code >= 0x7f && code < 0xa0))
        fwrite(text, 1, bytes, out);
}

void bw_markup_text(FILE *out, const char *text, size_t len)
{
    while (len) {
        uint32_t code = 0;
        unsigned bytes = bw_utf8_decode(text, len, &code);
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\t': fputs("    ", out); break;
        default: put_character(out, text, bytes, code);
        }
        text += bytes ? bytes : 1;
        len -= bytes ? bytes : 1;
    }
}

static void put_text(svg_pen *pen, const char *class, unsigned x, unsigned y, const char *text,
                     size_t len)
{
    if (!pen->out)
        return;
    fprintf(pen->out, "<text class=\"%s\" x=\"%u\" y=\"%u\">", class, x, y);
    bw_markup_text(pen->out, text, len);
    fputs("</text>\n", pen->out);
}

/* Sentences are broken at spaces. */
static void put_wrapped(svg_pen *pen, const char *class, const char *text)
{
    size_t most = class[0] == 't' ? WRAP_TITLE : class[0] == 'c' ? WRAP_CODE : WRAP;
    while (*text) {
        size_t length = strlen(text);
        if (length > most) {
            length = most;
            while (length > 1 && text[length] != ' ')
                length--;
            if (length == 1) /* one long word */
                length = most;
            while (length > 1 && ((unsigned char)text[length] & 0xC0) == 0x80)
                length--; /* not within a character */
        }
        pen->y += LINE;
        put_text(pen, class, MARGIN, pen->y, text, length);
        text += length + (text[length] == ' ');
    }
}

static void put_banks(svg_pen *pen)
{
    pen->y += 16;
    put_text(pen, "d", MARGIN, pen->y, "bank", 4);
    for (unsigned bank = 0; bank < BW_LANES; bank++) {
        const char *number = bw_arena_format(&pen->arena, "%u", bank);
        put_text(pen, "d m", GRID_LEFT + bank * CELL + CELL / 2, pen->y, number, strlen(number));
    }
    pen->y += 5;
}

static void svg_section(void *context, const char *title)
{
    svg_pen *pen = context;
    pen->y += HEADING;
    put_text(pen, "h", MARGIN, pen->y - 8, title, strlen(title));
}

static void put_cell(svg_pen *pen, const bw_cell *cell)
{
    unsigned span = pen->picture->span, x = GRID_LEFT + cell->bank * CELL, width = span * CELL;
    bool shared = (cell->lanes & (cell->lanes - 1)) != 0;
    if (!pen->out)
        return;
    fprintf(pen->out,
            "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"3\"><title>",
            shared ? "s" : "l", x + 1, pen->y + 1, width - 2, ROW - 2);
    const char *who = bw_words_lanes(&pen->arena, cell->lanes);
    const char *words =
        span > 1 ? bw_arena_format(&pen->arena, "words %u-%u", cell->word, cell->word + span - 1)
                 : bw_arena_format(&pen->arena, "word %u", cell->word);
    fprintf(pen->out, "%s, bank %u, %s</title></rect>\n", who, cell->bank, words);
    put_text(pen, "n", x + width / 2, pen->y + 15, cell->label, strlen(cell->label));
    const char *word = bw_arena_format(&pen->arena, "%u", cell->word);
    put_text(pen, "w", x + width / 2, pen->y + 25, word, strlen(word));
}

static void svg_wave(void *context, const bw_wavefront *wave, const bw_cell *cells, unsigned count)
{
    svg_pen *pen = context;
    const char *number = bw_arena_format(&pen->arena, "%u", wave->index + 1);
    put_text(pen, "d e", GRID_LEFT - 7, pen->y + 18, number, strlen(number));
    if (pen->out)
        fprintf(pen->out, "<use href=\"#r\" y=\"%u\"/>\n", pen->y);
    for (unsigned i = 0; i < count; i++)
        put_cell(pen, &cells[i]);
    pen->y += ROW;
}

static void svg_omitted(void *context, const char *what)
{
    svg_pen *pen = context;
    pen->y += LINE;
    const char *text = bw_arena_format(&pen->arena, "\xE2\x80\xA6 %s", what);
    put_text(pen, "d", GRID_LEFT, pen->y - 5, text, strlen(text));
}

static void put_key(svg_pen *pen)
{
    const bw_picture *p = pen->picture;
    const char *span =
        p->span > 1 ? bw_arena_format(&pen->arena, " at %u banks at once", p->span) : "";
    put_wrapped(
        pen, "d",
        bw_arena_format(&pen->arena,
                        "Across: the 32 banks. Down: the wavefronts, numbered. A box is the "
                        "lane that is served%s; the small number is its %sword.",
                        span, p->span > 1 ? "first " : ""));
}

static const char *legend_entry(svg_pen *pen, const char *sign, const char *meaning)
{
    return bw_arena_format(&pen->arena, "%s = %s", sign, meaning);
}

/* Entries stand in columns. */
static void svg_legend(void *context, const char *sign, const char *meaning)
{
    svg_pen *pen = context;
    const char *entry = legend_entry(pen, sign, meaning);
    unsigned room = (WIDTH - 2 * MARGIN) / pen->columns, column = pen->legends % pen->columns;
    if (!pen->legends)
        put_wrapped(pen, "d", "A letter in a thick frame is several lanes, served at once:");
    pen->legends++;
    if (pen->columns == 1) {
        put_wrapped(pen, "c", entry);
        return;
    }
    pen->y += column == 0 ? LINE : 0;
    put_text(pen, "c", MARGIN + column * room, pen->y, entry, strlen(entry));
}

static void measure_legend(void *context, const char *sign, const char *meaning)
{
    svg_pen *pen = context;
    unsigned width = LEGEND_CHARACTER * (bw_text_width(legend_entry(pen, sign, meaning)) + 2);
    unsigned fit = (WIDTH - 2 * MARGIN) / width;
    pen->columns = fit >= pen->columns ? pen->columns : fit ? fit : 1;
}

static void measure_text(void *context, const char *text)
{
    (void)context;
    (void)text;
}

static void measure_wave(void *context, const bw_wavefront *wave, const bw_cell *cells,
                         unsigned count)
{
    (void)context;
    (void)wave;
    (void)cells;
    (void)count;
}

static void measure(svg_pen *pen)
{
    bw_pen measuring = {pen, measure_text, measure_wave, measure_text, measure_legend};
    pen->columns = LEGEND_COLUMNS;
    bw_picture_draw(pen->picture, &pen->arena, &measuring, pen->most);
}

/* The line of code, cut where the picture ends. */
static void put_code(svg_pen *pen, const char *source)
{
    size_t length = strlen(source);
    if (length > WRAP_CODE) {
        length = WRAP_CODE - 3;
        while (length > 0 && ((unsigned char)source[length] & 0xC0) == 0x80)
            length--; /* not within a character */
        source = bw_arena_format(&pen->arena, "%.*s...", (int)length, source);
    }
    put_text(pen, "c", MARGIN, pen->y, source, strlen(source));
}

static void draw_all(svg_pen *pen, const bw_caption *caption)
{
    bw_pen drawing = {pen, svg_section, svg_wave, svg_omitted, svg_legend};
    pen->y = MARGIN - 4;
    put_wrapped(pen, "t", caption->title);
    if (caption->source) {
        pen->y += LINE + 3;
        put_code(pen, caption->source);
    }
    put_key(pen);
    pen->y += 6;
    put_banks(pen);
    pen->legends = 0;
    bw_picture_draw(pen->picture, &pen->arena, &drawing, pen->most);
    pen->y += 6;
    for (const char *const *at = caption->sentences; *at; at++)
        put_wrapped(pen, "b", *at);
    pen->y += MARGIN;
}

/* The empty cells of a row, drawn once and used by every wavefront. */
static void put_row(FILE *out)
{
    fputs("<defs><g id=\"r\">", out);
    for (unsigned bank = 0; bank < BW_LANES; bank++)
        fprintf(out, "<rect class=\"g\" x=\"%u.5\" y=\"1.5\" width=\"%u\" height=\"%u\" rx=\"3\"/>",
                GRID_LEFT + bank * CELL, CELL - 2, ROW - 3);
    fputs("</g></defs>\n", out);
}

void bw_picture_svg(const bw_picture *picture, FILE *out, const bw_caption *caption, bool whole)
{
    svg_pen pen = {.picture = picture, .most = whole ? 0 : MOST_WAVES};
    measure(&pen);
    draw_all(&pen, caption);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" "
            "height=\"%u\" role=\"img\">\n<title>",
            WIDTH, pen.y, WIDTH, pen.y);
    bw_markup_text(out, caption->title, strlen(caption->title));
    fprintf(out, "</title>\n<style>%s</style>\n", style);
    fprintf(out, "<rect class=\"p\" width=\"%u\" height=\"%u\"/>\n", WIDTH, pen.y);
    put_row(out);
    pen.out = out;
    draw_all(&pen, caption);
    fputs("</svg>\n", out);
    bw_arena_finish(&pen.arena);
}
