/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The picture in characters:
 *
 *     bank| 0       4      | 8      12      |16  ...       word
 *       1 | 0 . . . . . . .| 3 . . . . . . .| .  ...       0
 *
 * A cell is two characters (three where the terminal is wide), a wide access's `<--10-->`. Bars
 * part groups of eight banks. Where two-digit numbers would run together and the terminal is
 * narrow, a wavefront takes two lines, banks 0 to 15 above 16 to 31, with three characters a cell;
 * in a picture too long for that, bars part groups of four.
 */
#include "picture.h"

#include <string.h>

#include "plain.h"
#include "table.h"
#include "wording.h"

/* "  1 |": a picture has fewer than 1000 wavefronts but for some loops, which then are wider. */
#define LABEL 5
/* From this width on a cell is three characters. */
#define WIDE 124
/* Wavefronts shown of a long picture: what fits a tall terminal. */
#define MOST_WAVES 36
/* Up to so many wavefronts may take two lines each. */
#define MOST_SPLIT 12

typedef struct text_pen {
    const bw_picture *picture;
    bw_arena arena;
    FILE *out;
    unsigned width, cell, group;
    unsigned across;  /* banks on a line: 32, or 16 where a wavefront takes two */
    unsigned longest; /* of the words of a wavefront */
    bool words_beside, colour, dense;
    unsigned legend_column;
} text_pen;

/* ---- measuring ---- */

static void measure_section(void *context, const char *title)
{
    (void)context;
    (void)title;
}

static void measure_wave(void *context, const bw_wavefront *wave, const bw_cell *cells,
                         unsigned count)
{
    text_pen *pen = context;
    unsigned words = bw_text_width(bw_wave_words(pen->picture, wave, &pen->arena));
    pen->longest = words > pen->longest ? words : pen->longest;
    for (unsigned i = 1; i < count; i++)
        if (pen->picture->span == 1 && cells[i].bank == cells[i - 1].bank + 1 &&
            strlen(cells[i].label) > 1)
            pen->dense = true;
}

static void measure_omitted(void *context, const char *what)
{
    measure_section(context, what);
}

static void measure_legend(void *context, const char *sign, const char *meaning)
{
    (void)sign;
    measure_section(context, meaning);
}

static unsigned grid_width(const text_pen *pen)
{
    return LABEL + pen->across * pen->cell + pen->across / pen->group - 1;
}

static void measure(text_pen *pen, size_t most)
{
    bw_pen measuring = {pen, measure_section, measure_wave, measure_omitted, measure_legend};
    bw_picture_draw(pen->picture, &pen->arena, &measuring, most);
    bool crowded = pen->dense && pen->width < WIDE;
    bool split = crowded && pen->picture->wave_count <= MOST_SPLIT;
    pen->cell = pen->width >= WIDE || split ? 3 : 2;
    pen->group = crowded && !split ? 4 : 8;
    pen->across = split ? BW_LANES / 2 : BW_LANES;
    unsigned words = pen->longest > strlen("word") ? pen->longest : (unsigned)strlen("word");
    pen->words_beside = grid_width(pen) + 1 + words <= pen->width;
}

/* ---- drawing ---- */

static void put(text_pen *pen, bw_style style, const char *text)
{
    bool styled = pen->colour && style != BW_STYLE_OFF;
    if (styled)
        bw_put_style(pen->out, style);
    fputs(text, pen->out);
    if (styled)
        bw_put_style(pen->out, BW_STYLE_OFF);
}

/* Repeats a character. */
static void fill(FILE *out, char sign, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fputc(sign, out);
}

static void put_bars(text_pen *pen, unsigned next_bank)
{
    if (next_bank % pen->group == 0 && next_bank % pen->across != 0)
        fputc('|', pen->out);
}

/* The numbers of the banks on one line. */
static void header_line(text_pen *pen, unsigned first)
{
    bool words = pen->words_beside && first == 0;
    unsigned last = first + pen->across - 4; /* the last that is named; nothing ends in spaces */
    fputs(first == 0 ? "bank|" : "    |", pen->out);
    for (unsigned bank = first; bank < first + pen->across; bank++) {
        if (bank % 4 == 0)
            fprintf(pen->out, "%*u", (int)pen->cell, bank);
        else
            fill(pen->out, ' ', bank > last && !words ? 0 : pen->cell);
        put_bars(pen, bank + 1);
    }
    fputs(words ? " word\n" : "\n", pen->out);
}

static void text_header(text_pen *pen)
{
    for (unsigned first = 0; first < BW_LANES; first += pen->across)
        header_line(pen, first);
}

static void text_section(void *context, const char *title)
{
    text_pen *pen = context;
    fputs("----|-- ", pen->out);
    put(pen, BW_STYLE_BOLD, title);
    unsigned used = LABEL + 3 + bw_text_width(title), all = grid_width(pen);
    if (all > used + 1) {
        fputc(' ', pen->out);
        fill(pen->out, '-', all - used - 1);
    }
    fputc('\n', pen->out);
}

/* One bank's lane right-aligned, or "<--10-->" over the banks of a wide access. */
static const char *cell_text(text_pen *pen, const bw_cell *cell)
{
    unsigned span = pen->picture->span, width = span * pen->cell;
    unsigned label = (unsigned)strlen(cell->label);
    if (span == 1)
        return bw_arena_format(&pen->arena, "%*s", (int)width, cell->label);
    char *text = bw_arena_alloc(&pen->arena, width + 1);
    memset(text, '-', width);
    text[0] = '<';
    text[width - 1] = '>';
    memcpy(text + 1 + (width - 2 - label) / 2, cell->label, label);
    return text;
}

/* Neighbours differ in weight, so that two numbers side by side are told apart. */
static void put_cell(text_pen *pen, const bw_cell *cell)
{
    bw_style style = cell->lanes & (cell->lanes - 1)       ? BW_STYLE_NOTE
                     : cell->bank / pen->picture->span % 2 ? BW_STYLE_BOLD
                                                           : BW_STYLE_OFF;
    put(pen, style, cell_text(pen, cell));
}

/* Words below their wavefront, broken where the line ends. */
static void put_words_below(text_pen *pen, const char *words)
{
    const char *start = strpbrk(words, "-, ") ? "    | words " : "    | word ";
    unsigned column = (unsigned)strlen(start);
    fprintf(pen->out, "\n%s", start);
    while (*words) {
        size_t length = strcspn(words, " ");
        length += words[length] == ' ';
        if (column + length > pen->width) {
            fputs("\n    |   ", pen->out);
            column = 8;
        }
        fprintf(pen->out, "%.*s", (int)length, words);
        column += (unsigned)length;
        words += length;
    }
    fputc('\n', pen->out);
}

static void put_words(text_pen *pen, const bw_wavefront *wave)
{
    const char *words = bw_wave_words(pen->picture, wave, &pen->arena);
    if (!*words)
        fputs(pen->words_beside ? " none" : "\n    | serves no lane\n", pen->out);
    else if (pen->words_beside)
        fprintf(pen->out, " %s", words);
    else
        put_words_below(pen, words);
}

static void text_wave(void *context, const bw_wavefront *wave, const bw_cell *cells, unsigned count)
{
    text_pen *pen = context;
    unsigned next = 0;
    fprintf(pen->out, "%3u |", wave->index + 1);
    for (unsigned bank = 0; bank < BW_LANES;) {
        unsigned taken = 1;
        if (next < count && cells[next].bank == bank) {
            put_cell(pen, &cells[next++]);
            taken = pen->picture->span;
        } else {
            fill(pen->out, ' ', pen->cell - 1);
            put(pen, BW_STYLE_FAINT, ".");
        }
        bank += taken;
        put_bars(pen, bank);
        if (bank == pen->across && pen->words_beside)
            put_words(pen, wave);
        if (bank == pen->across && pen->across < BW_LANES)
            fputs("\n    |", pen->out);
    }
    if (pen->words_beside)
        fputc('\n', pen->out);
    else
        put_words(pen, wave);
}

static void text_omitted(void *context, const char *what)
{
    text_pen *pen = context;
    fprintf(pen->out, "... | %s\n", what);
}

static void text_legend(void *context, const char *sign, const char *meaning)
{
    text_pen *pen = context;
    unsigned width = (unsigned)strlen(sign) + 3 + bw_text_width(meaning);
    if (pen->legend_column && pen->legend_column + 3 + width > pen->width) {
        fputc('\n', pen->out);
        pen->legend_column = 0;
    }
    fputs(pen->legend_column ? "   " : "", pen->out);
    put(pen, BW_STYLE_NOTE, sign);
    fprintf(pen->out, " = %s", meaning);
    pen->legend_column += width + (pen->legend_column ? 3 : 0);
}

const char *bw_picture_text_key(const bw_picture *picture, unsigned width, bool whole)
{
    text_pen pen = {.picture = picture, .width = width};
    measure(&pen, whole ? 0 : MOST_WAVES);
    bw_arena_finish(&pen.arena);
    if (pen.across < BW_LANES)
        return "Banks 0-15 above banks 16-31, each pair of rows a wavefront";
    if (pen.group == 4)
        return "32 banks across, each two characters wide, each row a wavefront";
    return "32 banks across, each row a wavefront";
}

void bw_picture_text(const bw_picture *picture, FILE *out, unsigned width, bool colour, bool whole)
{
    text_pen pen = {.picture = picture, .out = out, .width = width, .colour = colour};
    size_t most = whole ? 0 : MOST_WAVES;
    measure(&pen, most);
    text_header(&pen);
    bw_pen drawing = {&pen, text_section, text_wave, text_omitted, text_legend};
    bw_picture_draw(picture, &pen.arena, &drawing, most);
    if (pen.legend_column)
        fputc('\n', out);
    bw_arena_finish(&pen.arena);
}
