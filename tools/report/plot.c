/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot.h"

#include <inttypes.h>
#include <string.h>

#include "picture.h"
#include "wording.h"

/* Of means over trials. */
#define DECIMALS 2

/* Pixels. */
#define MARGIN 16
#define LEFT 64
#define PANEL 170
#define GAP 54
#define TEETH 880 /* width of a comb */
#define CELL_LEAST 22
#define TITLE_CHARACTER 9.9 /* of bold 16 pixels, in the widest of the common fonts */
#define CELL_HEIGHT 22

/* Plain rules with dark ones over them: as in picture_svg.c. */
static const char style[] =
    "svg{color-scheme:light dark}.p{fill:#fff}text{fill:#1a1a1a;font:11px system-ui,sans-serif}"
    ".t{font-weight:600;font-size:16px}.h{font-weight:600;font-size:13px}.d{fill:#595959}"
    ".m{text-anchor:middle}.e{text-anchor:end}.g{stroke:#d4d4d4;fill:none}.b{fill:#0072b2}"
    ".x{fill:#d55e00}"
    "@media screen and (prefers-color-scheme:dark){.p{fill:#16181c}text{fill:#ececec}"
    ".d{fill:#a8a8a8}.g{stroke:#3a3e46}.b{fill:#56b4e9}.x{fill:#e69f00}}";

static void put_text(FILE *out, const char *class, double x, double y, const char *text)
{
    fprintf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    bw_markup_text(out, text, strlen(text));
    fputs("</text>\n", out);
}

static double value_of(const bw_point *point, bool degree)
{
    return degree ? point->degree : point->wavefronts;
}

static double largest(const bw_sweep *sweep, bool degree)
{
    double most = 1;
    for (size_t i = 0; i < sweep->count; i++) {
        double value = value_of(&sweep->points[i], degree);
        most = value > most ? value : most;
    }
    return most;
}

/* ---- combs ---- */

/* The first power-of-ten multiple of 1, 2 or 5 that leaves `most` marks at most. */
static int64_t mark_step(size_t count, size_t most)
{
    int64_t step = 1;
    for (int64_t ten = 1; (size_t)step * most < count; ten *= 10)
        for (int i = 0; i < 3 && (size_t)step * most < count; i++)
            step = ten * (i == 0 ? 2 : i == 1 ? 5 : 10);
    return step;
}

/* The ideal part below, the excessive part above it, with a gap of its own colour. */
static void tooth(bw_sweep *sweep, FILE *out, size_t index, bool degree, double most, double bottom)
{
    const bw_point *point = &sweep->points[index];
    double pitch = (double)TEETH / (double)sweep->count, width = pitch > 3 ? pitch * 0.7 : pitch;
    double x = LEFT + pitch * (double)index + (pitch - width) / 2;
    if (point->failed) { /* a gap */
        put_text(out, "d m", x + width / 2, bottom - 3, pitch >= 34 ? "fails" : "-");
        return;
    }
    double all = value_of(point, degree) * PANEL / most;
    double ideal = (degree ? 1 : point->ideal) * PANEL / most;
    ideal = ideal < all ? ideal : all;
    fprintf(out, "<g><title>%s=%" PRId64 ": %s</title>", sweep->ranges[0].name,
            bw_sweep_value(sweep, 0, index),
            degree ? bw_arena_format(&sweep->arena, "%u-way", point->degree)
                   : bw_arena_format(&sweep->arena, "%s wavefronts, %s ideal",
                                     bw_words_number(&sweep->arena, point->wavefronts, DECIMALS),
                                     bw_words_number(&sweep->arena, point->ideal, DECIMALS)));
    fprintf(out, "<rect class=\"b\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", x,
            bottom - ideal, width, ideal);
    if (all > ideal)
        fprintf(out, "<rect class=\"x\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", x,
                bottom - all, width, all - ideal);
    fputs("</g>\n", out);
    if (pitch >= 12)
        put_text(out, "d m", x + width / 2, bottom - all - 3,
                 bw_words_number(&sweep->arena, value_of(point, degree), DECIMALS));
}

/* Lines at whole numbers: quarters where that gives some, as of powers of two, else round ones. */
static void height_lines(FILE *out, double most, double bottom)
{
    int64_t whole = (int64_t)most;
    int64_t step = whole % 4 == 0 ? whole / 4 : mark_step((size_t)whole, 5);
    for (int64_t at = 0; at <= whole; at += step) {
        double y = bottom - PANEL * (double)at / most;
        char number[24];
        snprintf(number, sizeof number, "%" PRId64, at);
        fprintf(out, "<path class=\"g\" d=\"M%d %.1fH%d\"/>", LEFT, y, LEFT + TEETH);
        put_text(out, "d e", LEFT - 6, y + 4, number);
    }
}

static void comb(bw_sweep *sweep, FILE *out, bool degree, double top)
{
    double most = largest(sweep, degree), bottom = top + PANEL;
    double pitch = (double)TEETH / (double)sweep->count;
    put_text(out, "h", MARGIN, top - 18, degree ? "degree (1 is free of conflicts)" : "wavefronts");
    height_lines(out, most, bottom);
    for (size_t i = 0; i < sweep->count; i++)
        tooth(sweep, out, i, degree, most, bottom);
    int64_t step = mark_step(sweep->count, 32);
    bool list = !sweep->ranges[0].step; /* of a list every step-th is marked, whatever it is */
    for (size_t i = 0; i < sweep->count; i++)
        if ((list ? (int64_t)i : bw_sweep_value(sweep, 0, i)) % step == 0)
            put_text(out, "m", LEFT + pitch * ((double)i + 0.5), bottom + 14,
                     bw_arena_format(&sweep->arena, "%" PRId64, bw_sweep_value(sweep, 0, i)));
    put_text(out, "e", LEFT + TEETH, bottom + 28, sweep->ranges[0].name);
}

/* ---- maps ---- */

static double cell_width(bw_sweep *sweep, bool degree)
{
    size_t longest = strlen(bw_words_number(&sweep->arena, largest(sweep, degree), DECIMALS));
    double width = 7.0 * (double)longest + 8;
    return width > CELL_LEAST ? width : CELL_LEAST;
}

/* A cell's shade grows with its share of the excess: opacity of one colour, and the number. */
static void map(bw_sweep *sweep, FILE *out, bool degree, double top)
{
    double most = largest(sweep, degree), width = cell_width(sweep, degree);
    size_t across = sweep->ranges[0].count, down = sweep->ranges[1].count;
    put_text(out, "h", MARGIN, top - 22, degree ? "degree (1 is free of conflicts)" : "wavefronts");
    for (size_t x = 0; x < across; x++)
        put_text(out, "d m", LEFT + width * ((double)x + 0.5), top - 4,
                 bw_arena_format(&sweep->arena, "%" PRId64, bw_sweep_value(sweep, 0, x)));
    put_text(out, "", LEFT + width * (double)across + 6, top - 4, sweep->ranges[0].name);
    for (size_t y = 0; y < down; y++) {
        double place = top + CELL_HEIGHT * (double)y;
        put_text(out, "d e", LEFT - 6, place + 15,
                 bw_arena_format(&sweep->arena, "%" PRId64, bw_sweep_value(sweep, 1, y * across)));
        for (size_t x = 0; x < across; x++) {
            const bw_point *point = &sweep->points[y * across + x];
            double share = point->excessive > 0 ? 0.12 + 0.6 * value_of(point, degree) / most : 0;
            fprintf(out,
                    "<rect class=\"x\" fill-opacity=\"%.2f\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                    "height=\"%d\"/>",
                    share, LEFT + width * (double)x + 1, place + 1, width - 2, CELL_HEIGHT - 2);
            put_text(out, "m", LEFT + width * ((double)x + 0.5), place + 15,
                     point->failed
                         ? "-"
                         : bw_words_number(&sweep->arena, value_of(point, degree), DECIMALS));
        }
    }
    put_text(out, "e", LEFT - 6, top + CELL_HEIGHT * (double)down + 14, sweep->ranges[1].name);
}

/* ---- the file ---- */

static void begin(FILE *out, double width, double height, const char *title)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\" role=\"img\">\n<title>",
            width, height, width, height);
    bw_markup_text(out, title, strlen(title));
    fprintf(out, "</title>\n<style>%s</style>\n", style);
    fprintf(out, "<rect class=\"p\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
    put_text(out, "t", MARGIN, MARGIN + 14, title);
}

static void put_key(FILE *out, double y)
{
    fprintf(out, "<rect class=\"b\" x=\"%d\" y=\"%.1f\" width=\"12\" height=\"12\"/>\n", LEFT,
            y - 10);
    put_text(out, "d", LEFT + 18, y, "ideal");
    fprintf(out, "<rect class=\"x\" x=\"%d\" y=\"%.1f\" width=\"12\" height=\"12\"/>\n", LEFT + 60,
            y - 10);
    put_text(out, "d", LEFT + 78, y, "excessive, above it");
}

static void plot_combs(bw_sweep *sweep, FILE *out, const char *title)
{
    double first = 78, second = first + PANEL + GAP + 20, height = second + PANEL + 56;
    double width = LEFT + TEETH + 2 * MARGIN;
    double least = TITLE_CHARACTER * (double)strlen(title) + 2 * MARGIN;
    begin(out, width > least ? width : least, height, title);
    comb(sweep, out, true, first);
    comb(sweep, out, false, second);
    put_key(out, height - 16);
}

static void plot_maps(bw_sweep *sweep, FILE *out, const char *title)
{
    double rows = CELL_HEIGHT * (double)sweep->ranges[1].count;
    double first = 84, second = first + rows + GAP + 20, height = second + rows + 34;
    double width = cell_width(sweep, false) * (double)sweep->ranges[0].count + LEFT + 90;
    double least = TITLE_CHARACTER * (double)strlen(title) + 2 * MARGIN;
    begin(out, width > least ? width : least, height, title);
    map(sweep, out, true, first);
    map(sweep, out, false, second);
}

void bw_plot_svg(bw_sweep *sweep, FILE *out, const char *title)
{
    if (sweep->range_count == 1)
        plot_combs(sweep, out, title);
    else
        plot_maps(sweep, out, title);
    fputs("</svg>\n", out);
}
