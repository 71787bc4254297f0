/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "explain.h"
#include "output.h"
#include "page.h"
#include "picture.h"
#include "report.h"
#include "view.h"
#include "wording.h"

/* What one explanation is made with. */
typedef struct explainer {
    const bw_args *args;
    bw_output *output;
    bw_session *session;
    bw_views views;
    bw_arena arena;
} explainer;

static bool is_given(const explainer *to, bw_option_id option)
{
    return to->args->values[option].given;
}

static const bw_arch *arch_of(const explainer *to)
{
    return to->args->values[BW_OPTION_ARCH].arch;
}

static bool make_picture(explainer *to, const bw_view *view, bw_picture *picture)
{
    bw_status status = bw_picture_make(picture, &to->arena, arch_of(to), &view->request);
    if (status != BW_OK)
        bw_complain("choose another architecture with --arch; predict shows the costs",
                    "explain: no schedule of %s on %s: %s", bw_op_get(view->request.op)->name,
                    arch_of(to)->name, bw_status_text(status));
    return status == BW_OK;
}

/* ---- text ---- */

static const char *launch_text(explainer *to, const bw_view *view)
{
    const bw_launch *launches;
    size_t count = bw_pattern_launches(to->session->pattern, &launches);
    if (!view->launch->kernel)
        return "script";
    if (count == 1)
        return bw_arena_format(&to->arena, "kernel %s", view->launch->kernel);
    return bw_arena_format(&to->arena, "kernel %s (launch %zu of %zu)", view->launch->kernel,
                           view->launch_index + 1, count);
}

static void print_head(explainer *to, const bw_view *view)
{
    const bw_output *out = to->output;
    const char *strong = out->colour ? "\033[1m" : "", *plain = out->colour ? "\033[0m" : "";
    const char *source = to->session->input.source.name;
    fprintf(out->file, "%s%s:%u: %s, %" PRIu32 "-way, %s%s\n", strong, source, view->access->line,
            bw_op_get(view->request.op)->name, view->cost.degree,
            bw_words_count(&to->arena, view->cost.wavefronts, "wavefront"), plain);
    bw_text_wrapped(out->file, out->width, 2,
                    bw_arena_format(&to->arena, "%s, %s", launch_text(to, view),
                                    bw_view_place(view, &to->arena)));
    if (!bw_text_access(out->file, &to->session->input.source, view->access, out->width))
        fprintf(out->file, "\n%s\n", view->access->source);
    fputc('\n', out->file);
}

static void print_key(explainer *to, const bw_picture *picture)
{
    const char *span =
        picture->span > 1
            ? bw_arena_format(&to->arena, "<-n-> is lane n at %u banks at once, ", picture->span)
            : "a number is the lane that a bank serves, ";
    const char *shared = picture->sharing_count ? ", a letter several lanes at once" : "";
    bw_text_wrapped(to->output->file, to->output->width, 0,
                    bw_arena_format(&to->arena,
                                    "Across the 32 banks, down the wavefronts: %s'.' an idle bank%s.",
                                    span, shared));
}

static bool explain_text(explainer *to, const bw_view *view)
{
    FILE *out = to->output->file;
    bw_picture picture;
    if (!make_picture(to, view, &picture))
        return false;
    print_head(to, view);
    bw_picture_text(&picture, out, to->output->width, to->output->colour,
                    is_given(to, BW_OPTION_WHOLE));
    if (is_given(to, BW_OPTION_QUIET))
        return true;
    print_key(to, &picture);
    fputc('\n', out);
    for (const char *const *at = bw_explain(&picture, &to->arena); *at; at++)
        bw_text_wrapped(out, to->output->width, 2, *at);
    return true;
}

static bool explain_texts(explainer *to, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        if (i > from)
            fputc('\n', to->output->file);
        if (!explain_text(to, &to->views.items[i]))
            return false;
    }
    if (to->views.dropped && !is_given(to, BW_OPTION_QUIET))
        fprintf(to->output->file, "\n%" PRIu64 " requests beyond the first %d different ones of an "
                "access are not shown.\n", to->views.dropped, BW_VIEWS_MAX);
    return true;
}
