/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * picture: a request's wavefronts as a picture, banks across and wavefronts down.
 *
 * Owns the schedule of one request, cut into sections (a phase; in a compare-and-swap loop a phase
 * of a round's load or swap), and the one order in which every medium draws it: bw_picture_draw
 * tells a pen what comes next, and the pens of text and SVG (and the data of the page) only place
 * it. It computes no cost of its own: all it shows comes from bw_schedule and bw_cost_of.
 *
 * A cell is one bank in one wavefront, or the two or four banks that one wide access takes
 * together. It serves one lane, named by its number, or several that want the same word, named by a
 * letter that the legend explains.
 *
 * Everything lives in the arena given to bw_picture_make. Not thread-safe.
 */
#ifndef BANKWISE_PICTURE_H
#define BANKWISE_PICTURE_H

#include <stdio.h>

#include "arena.h"
#include "bankwise.h"

/* Wavefronts that are served to one group of lanes, one after the other. */
typedef struct bw_section {
    uint32_t round, pass, phase; /* as in bw_wavefront; from 0 */
    size_t first, count;         /* of its wavefronts */
    uint32_t lanes;              /* all that are served in it */
} bw_section;

/* Lanes that one bank serves together, and the letter that stands for them. */
typedef struct bw_sharing {
    uint32_t lanes;
    const char *letter; /* "A" … "Z", "AA" … */
    uint32_t word;      /* the first that they share */
    unsigned words;     /* how many different words (or starts of wide ones) these lanes share */
} bw_sharing;

typedef struct bw_picture {
    const bw_arch *arch;
    bw_request request;
    const bw_op_info *op;
    uint32_t lanes; /* bw_request_lanes */
    bw_cost cost;
    unsigned span; /* banks of a cell: 1, 2 or 4 */
    bw_wavefront *waves;
    size_t wave_count;
    bw_section *sections;
    size_t section_count;
    bw_sharing *sharings;
    size_t sharing_count;
} bw_picture;

/* Fills *picture; of wgmma it has no wavefronts, as nobody knows which words go when. On anything
 * but BW_OK (of bw_schedule and bw_cost_of) it must not be used. */
bw_status bw_picture_make(bw_picture *picture, bw_arena *arena, const bw_arch *arch,
                          const bw_request *request);

/* One cell of a wavefront. Idle cells are not told. */
typedef struct bw_cell {
    unsigned bank;     /* the first of picture->span */
    uint32_t lanes;    /* whom it serves; several share a word */
    const char *label; /* the lane's number, or the letter of the sharing */
    uint32_t word;     /* what the bank gives or takes */
} bw_cell;

/* What a medium must be able to draw. Texts live as long as the arena of the picture. */
typedef struct bw_pen {
    void *context;
    /* A new section; `title` is bw_section_title. Not called where the request has one section
     * only, and that is no merged one. */
    void (*section)(void *context, const char *title);
    void (*wave)(void *context, const bw_wavefront *wave, const bw_cell *cells, unsigned count);
    /* Here wavefronts are left out: "28 more wavefronts". */
    void (*omitted)(void *context, const char *what);
    /* A line of the legend: the sign and what it stands for. */
    void (*legend)(void *context, const char *sign, const char *meaning);
} bw_pen;

/* Draws all, telling at most `most` wavefronts (0: all), as evenly over the sections as it goes. */
void bw_picture_draw(const bw_picture *picture, bw_arena *arena, const bw_pen *pen, size_t most);

/* What the lanes of a sharing share: "lanes 0-3 (word 0)". In `arena`. */
const char *bw_sharing_text(const bw_picture *picture, bw_arena *arena, size_t index);
/* What a section is called: "phase 1 of 4: lanes 0-7, 8 wavefronts". In `arena`. */
const char *bw_section_title(const bw_picture *picture, bw_arena *arena, size_t section);
/* The words of a wavefront: "0-31", or of wide accesses "0, 36, 72 and 108 (4 each)". "" where it
 * serves no lane. In `arena`. */
const char *bw_wave_words(const bw_picture *picture, const bw_wavefront *wave, bw_arena *arena);

/* ---- media ---- */

/* The picture as text of at most `width` characters a line (80 are enough). A long picture leaves
 * out wavefronts unless `whole`; so does an SVG. */
void bw_picture_text(const bw_picture *picture, FILE *out, unsigned width, bool colour, bool whole);

/* What is across and down in that text: it differs with the picture and the width. Static. */
const char *bw_picture_text_key(const bw_picture *picture, unsigned width, bool whole);

/* What is written around an SVG picture. `sentences` are wrapped below it; NULL-terminated. */
typedef struct bw_caption {
    const char *title, *source; /* source: the line of code, or NULL */
    const char *const *sentences;
} bw_caption;

/* The picture as an SVG document of its own, for light and dark, without script. */
void bw_picture_svg(const bw_picture *picture, FILE *out, const bw_caption *caption, bool whole);

/* `text` with the signs that XML and HTML give a meaning to escaped. */
void bw_markup_text(FILE *out, const char *text, size_t len);

#endif
