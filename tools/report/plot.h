/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot: a sweep as an SVG file: combs over one parameter, heat maps over two.
 *
 * It reads the sweep's points and computes nothing of its own. For light and dark, without script
 * or network; a number in every cell and at every tooth, so that colour carries nothing alone.
 */
#ifndef BANKWISE_PLOT_H
#define BANKWISE_PLOT_H

#include "sweep.h"

void bw_plot_svg(bw_sweep *sweep, FILE *out, const char *title);

#endif
