/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "picture.h"

#include <string.h>

#include "wording.h"

/* Of a section that is not shown whole, so many wavefronts at its begin, and one at its end. */
#define SHOWN_AT_LEAST 3
/* Of a picture that is not shown whole, so many sections: the first and the last ones. */
#define SECTIONS_SHOWN 8

/* Characters that the lanes may take in the title of a section, which is one line. */
#define TITLE_LANES 23

/* ---- making ---- */

typedef struct maker {
    bw_picture *picture;
    bool separate_passes; /* of a loop: the load and the swap are sections of their own */
} maker;

static bool begins_section(const maker *to, const bw_wavefront *wave)
{
    const bw_picture *p = to->picture;
    if (!p->section_count)
        return true;
    const bw_section *last = &p->sections[p->section_count - 1];
    return last->round != wave->round || last->phase != wave->phase ||
           (to->separate_passes && last->pass != wave->pass);
}

static bool take_wave(void *context, const bw_wavefront *wave)
{
    maker *to = context;
    bw_picture *p = to->picture;
    if (begins_section(to, wave))
        p->sections[p->section_count++] = (bw_section){
            .round = wave->round, .pass = wave->pass, .phase = wave->phase, .first = p->wave_count};
    bw_section *section = &p->sections[p->section_count - 1];
    section->count++;
    section->lanes |= wave->lanes;
    p->waves[p->wave_count++] = *wave;
    return true;
}

static bool several(uint32_t lanes)
{
    return (lanes & (lanes - 1)) != 0;
}

static const char *letter_of(bw_arena *arena, size_t index)
{
    if (index < 26)
        return bw_arena_format(arena, "%c", (int)('A' + index));
    return bw_arena_format(arena, "%c%c", (int)('A' + index / 26 - 1), (int)('A' + index % 26));
}

/* Lanes that are served together are one sharing, whatever the wavefront. */
static void add_sharing(bw_picture *p, bw_arena *arena, uint32_t lanes, uint32_t word)
{
    for (size_t i = 0; i < p->sharing_count; i++)
        if (p->sharings[i].lanes == lanes) {
            p->sharings[i].words += word != p->sharings[i].word;
            return;
        }
    p->sharings[p->sharing_count] =
        (bw_sharing){lanes, letter_of(arena, p->sharing_count), word, 1};
    p->sharing_count++;
}

/* A loop's round may share anew, so this list can be as long as there are cells. */
static void find_sharings(bw_picture *p, bw_arena *arena)
{
    size_t most = 0;
    for (size_t i = 0; i < p->wave_count; i++)
        for (unsigned bank = 0; bank < BW_LANES; bank += p->span)
            most += several(p->waves[i].bank_lanes[bank]);
    p->sharings = bw_arena_alloc(arena, (most + 1) * sizeof *p->sharings);
    for (size_t i = 0; i < p->wave_count; i++)
        for (unsigned bank = 0; bank < BW_LANES; bank += p->span)
            if (several(p->waves[i].bank_lanes[bank]))
                add_sharing(p, arena, p->waves[i].bank_lanes[bank], p->waves[i].bank_word[bank]);
}

bw_status bw_picture_make(bw_picture *picture, bw_arena *arena, const bw_arch *arch,
                          const bw_request *request)
{
    *picture = (bw_picture){.arch = arch, .request = *request, .op = bw_op_get(request->op)};
    bw_status status = bw_cost_of(arch, request, &picture->cost);
    if (status != BW_OK)
        return status;
    picture->lanes = bw_request_lanes(request);
    unsigned bank_bytes = arch->rules == BW_RULES_KEPLER8 ? 8 : 4;
    picture->span = picture->op->bytes > bank_bytes ? picture->op->bytes / bank_bytes : 1;
    if (picture->op->turns == BW_TURNS_FIXED) /* there is nothing to draw */
        return BW_OK;
    size_t count = picture->cost.wavefronts;
    picture->waves = bw_arena_alloc(arena, count * sizeof *picture->waves);
    picture->sections = bw_arena_alloc(arena, count * sizeof *picture->sections);
    maker to = {picture, picture->op->turns == BW_TURNS_LOOP};
    status = bw_schedule(arch, request, take_wave, &to);
    if (status == BW_OK)
        find_sharings(picture, arena);
    return status;
}

/* ---- drawing ---- */

typedef struct drawing {
    const bw_picture *picture;
    bw_arena *arena;
    const bw_pen *pen;
    bool *used; /* by sharing: its letter was drawn */
} drawing;

static const char *label_of(drawing *d, uint32_t lanes)
{
    const bw_picture *p = d->picture;
    if (!several(lanes))
        return bw_arena_format(d->arena, "%d", __builtin_ctz(lanes));
    for (size_t i = 0; i < p->sharing_count; i++)
        if (p->sharings[i].lanes == lanes) {
            d->used[i] = true;
            return p->sharings[i].letter;
        }
    return "?"; /* cannot be: every sharing was listed */
}

static void draw_wave(drawing *d, size_t index)
{
    const bw_picture *p = d->picture;
    const bw_wavefront *wave = &p->waves[index];
    bw_cell cells[BW_LANES];
    unsigned count = 0;
    for (unsigned bank = 0; bank < BW_LANES; bank += p->span)
        if (wave->bank_lanes[bank])
            cells[count++] = (bw_cell){bank, wave->bank_lanes[bank],
                                       label_of(d, wave->bank_lanes[bank]), wave->bank_word[bank]};
    d->pen->wave(d->pen->context, wave, cells, count);
}

static void draw_section(drawing *d, size_t index, size_t room)
{
    const bw_section *s = &d->picture->sections[index];
    if (d->picture->section_count > 1 || d->picture->cost.merged)
        d->pen->section(d->pen->context, bw_section_title(d->picture, d->arena, index));
    size_t head = s->count;
    if (s->count > room && s->count > SHOWN_AT_LEAST + 2)
        head = room > SHOWN_AT_LEAST + 1 ? room - 1 : SHOWN_AT_LEAST;
    for (size_t i = 0; i < head; i++)
        draw_wave(d, s->first + i);
    if (head == s->count)
        return;
    d->pen->omitted(d->pen->context,
                    bw_words_count(d->arena, s->count - head - 1, "more wavefront"));
    draw_wave(d, s->first + s->count - 1);
}

/* Of a loop's many sections those in the middle are left out too. */
static bool skips(const drawing *d, size_t index, size_t most)
{
    size_t count = d->picture->section_count;
    return most && d->picture->wave_count > most && count > SECTIONS_SHOWN &&
           index >= SECTIONS_SHOWN / 2 && index < count - SECTIONS_SHOWN / 2;
}

/* Only loops have so many sections. */
static void tell_skipped(drawing *d)
{
    const bw_picture *p = d->picture;
    size_t from = SECTIONS_SHOWN / 2, to = p->section_count - SECTIONS_SHOWN / 2;
    size_t waves = p->sections[to].first - p->sections[from].first;
    d->pen->omitted(d->pen->context,
                    bw_arena_format(d->arena, "%s in rounds %u to %u",
                                    bw_words_count(d->arena, waves, "more wavefront"),
                                    p->sections[from].round + 1, p->sections[to - 1].round + 1));
}

const char *bw_sharing_text(const bw_picture *p, bw_arena *arena, size_t index)
{
    const bw_sharing *s = &p->sharings[index];
    const char *who = bw_words_lanes(arena, s->lanes);
    const char *what = p->arch->bank_bytes == 8 ? "bank row of word" : "word";
    if (s->words > 1)
        return bw_arena_format(arena, "%s (%u different words)", who, s->words);
    if (p->span > 1)
        return bw_arena_format(arena, "%s (words %u-%u)", who, s->word, s->word + p->span - 1);
    return bw_arena_format(arena, "%s (%s %u)", who, what, s->word);
}

void bw_picture_draw(const bw_picture *picture, bw_arena *arena, const bw_pen *pen, size_t most)
{
    drawing d = {picture, arena, pen, bw_arena_alloc(arena, picture->sharing_count + 1)};
    size_t shown =
        picture->section_count < SECTIONS_SHOWN ? picture->section_count : SECTIONS_SHOWN;
    size_t room = most && picture->wave_count > most ? most / shown : SIZE_MAX;
    for (size_t i = 0; i < picture->section_count; i++) {
        if (!skips(&d, i, most))
            draw_section(&d, i, room);
        else if (!skips(&d, i - 1, most))
            tell_skipped(&d);
    }
    for (size_t i = 0; i < picture->sharing_count; i++)
        if (d.used[i])
            pen->legend(pen->context, picture->sharings[i].letter,
                        bw_sharing_text(picture, arena, i));
}

/* ---- names ---- */

static const char *round_title(const bw_picture *p, bw_arena *arena, const bw_section *s)
{
    return bw_arena_format(arena, "round %u of %u: %s, %s, %s", s->round + 1, p->cost.rounds,
                           s->pass ? "swap" : "load",
                           bw_words_lanes_briefly(arena, s->lanes, TITLE_LANES),
                           bw_words_count(arena, s->count, "wavefront"));
}

/* What was made one phase by merging. */
static const char *merged_text(const bw_picture *p)
{
    if (!p->cost.merged)
        return "";
    return p->op->bytes == 16 ? ", two quarters merged" : ", two halves merged";
}

const char *bw_section_title(const bw_picture *p, bw_arena *arena, size_t section)
{
    const bw_section *s = &p->sections[section];
    if (p->op->turns == BW_TURNS_LOOP)
        return round_title(p, arena, s);
    return bw_arena_format(arena, "%s %zu of %zu%s: %s, %s", p->op->matrices ? "matrix" : "phase",
                           section + 1, p->section_count, merged_text(p),
                           bw_words_lanes_briefly(arena, s->lanes, TITLE_LANES),
                           bw_words_count(arena, s->count, "wavefront"));
}

/* The first word of each busy cell, ascending. */
static unsigned cell_words(const bw_picture *p, const bw_wavefront *wave, uint32_t words[BW_LANES])
{
    unsigned count = 0;
    for (unsigned bank = 0; bank < BW_LANES; bank += p->span)
        if (wave->bank_lanes[bank]) {
            unsigned at = count++;
            for (; at > 0 && words[at - 1] > wave->bank_word[bank]; at--)
                words[at] = words[at - 1];
            words[at] = wave->bank_word[bank];
        }
    return count;
}

const char *bw_wave_words(const bw_picture *p, const bw_wavefront *wave, bw_arena *arena)
{
    uint32_t words[BW_LANES];
    unsigned count = cell_words(p, wave, words);
    if (!count)
        return "";
    if (p->span == 1)
        return bw_words_set(arena, words, count);
    if (words[count - 1] - words[0] == (count - 1) * p->span)
        return bw_arena_format(arena, "%u-%u", words[0], words[count - 1] + p->span - 1);
    return bw_arena_format(arena, "%s (%u each)", bw_words_set(arena, words, count), p->span);
}
