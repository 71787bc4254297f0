/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page: requests and their pictures as data (JSON) and as one HTML file.
 *
 * The data is what bw_picture and bw_explain say; the page's script draws it and computes nothing
 * about the hardware. The page is the template, style and script of tools/web, put together when
 * the program is built, with the data in it: it loads nothing from anywhere.
 */
#ifndef BANKWISE_PAGE_H
#define BANKWISE_PAGE_H

#include "report.h"
#include "view.h"

typedef struct bw_page {
    const bw_arch *arch;
    bw_node *files, *views; /* arrays of the document "bankwise.schedule/1" */
    const char *title;      /* NULL: none */
    size_t selected;
    uint64_t dropped;
    bw_arena arena;
} bw_page;

void bw_page_init(bw_page *page, const bw_arch *arch);
void bw_page_finish(bw_page *page);

/* Adds a pattern file; the views added next belong to it. */
void bw_page_file(bw_page *page, const bw_session *session);
/* Adds a request. `row` (or NULL) gives the totals of its access. */
void bw_page_view(bw_page *page, const bw_view *view, const bw_report *report,
                  const bw_report_row *row);
/* The view that the page shows first, and the page's title. */
void bw_page_select(bw_page *page, size_t view);
void bw_page_title(bw_page *page, const char *title);
/* How many different requests there are that the page does not hold. */
void bw_page_dropped(bw_page *page, uint64_t requests);

void bw_page_json(const bw_page *page, FILE *out);
void bw_page_html(const bw_page *page, FILE *out);

#endif
