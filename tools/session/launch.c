/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch.h"

#include <errno.h>
#include <string.h>

#include "kernel.h"
#include "profiled.h"

/* What a reading of names needs. */
typedef struct filler {
    bw_session *session;
    bool *used; /* by definition */
    bool failed;
} filler;

static void refuse(bw_session *session, bw_message_id id, const char *note, const char *what)
{
    bw_note(&session->diags, bw_diagnose(&session->diags, id, NULL, (bw_span){0, 0}, "%s", what),
            "%s", note);
}

/* ---- names in braces ---- */

static const char *value_of(filler *to, const char *option, const char *text, const char *name)
{
    bw_session *session = to->session;
    for (size_t i = 0; i < session->define_count; i++)
        if (strcmp(session->defines[i].name, name) == 0) {
            to->used[i] = true;
            return session->defines[i].value;
        }
    refuse(session, BW_MSG_UNKNOWN_PARAMETER,
           bw_arena_format(&session->arena, "give it a value: -D %s=VALUE", name),
           bw_arena_format(&session->arena, "%s %s: nothing is called '%s'", option, text, name));
    to->failed = true;
    return "";
}

/* The text with the values of the names in it. */
static const char *fill(filler *to, const char *option, const char *text)
{
    bw_arena *arena = &to->session->arena;
    const char *open = strchr(text, '{'), *close = open ? strchr(open, '}') : NULL;
    const char *filled = "", *from = text;
    if (!open)
        return text;
    for (; close; open = strchr(from, '{'), close = open ? strchr(open, '}') : NULL) {
        const char *name = bw_arena_copy(arena, open + 1, (size_t)(close - open - 1));
        filled = bw_arena_format(arena, "%s%.*s%s", filled, (int)(open - from), from,
                                 value_of(to, option, text, name));
        from = close + 1;
    }
    return bw_arena_format(arena, "%s%s", filled, from);
}

static const bw_argument *fill_list(filler *to, const char *option, const bw_argument *list,
                                    size_t count)
{
    bw_argument *filled = bw_arena_alloc(&to->session->arena, (count + 1) * sizeof *filled);
    for (size_t i = 0; i < count; i++)
        filled[i] = (bw_argument){list[i].target, fill(to, option, list[i].value), list[i].order};
    return filled;
}

static void fill_shape(filler *to, bw_option_id id, const char *option, uint32_t shape[3])
{
    const bw_value *value = &to->session->args->values[id];
    memcpy(shape, value->shape, sizeof value->shape);
    if (!value->given || shape[0])
        return;
    const char *text = fill(to, option, value->text);
    to->failed = to->failed || !bw_shape_read(id, text, shape);
}

/* ---- what does not go together ---- */

static void refuse_unused(filler *to)
{
    bw_session *session = to->session;
    for (size_t i = 0; i < session->define_count; i++) {
        const char *name = session->defines[i].name;
        if (to->used[i])
            continue;
        refuse(session, BW_MSG_UNKNOWN_PARAMETER,
               bw_arena_format(&session->arena,
                               "machine code has no parameters of its own: write {%s} where its "
                               "value goes, in --arg, --data, --block or --grid",
                               name),
               bw_arena_format(&session->arena, "-D %s: no option uses it", name));
        to->failed = true;
    }
}

bool bw_session_refuse_kernel(bw_session *session)
{
    static const struct {
        bw_option_id id;
        const char *name;
    } options[] = {{BW_OPTION_DATA, "--data"},
                   {BW_OPTION_CUBIN, "--cubin"},
                   {BW_OPTION_DISASSEMBLER, "--disasm"}};
    const bw_value *values = session->args->values;
    bool good = true;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (values[options[i].id].given) {
            refuse(session, BW_MSG_INPUT_KIND,
                   options[i].id == BW_OPTION_DATA
                       ? "say what memory holds in a comment of the source: // assume: NAME = "
                         "random(256)"
                       : "it is for what cuobjdump -sass, nvdisasm or Nsight Compute print of a "
                         "compiled kernel",
                   bw_arena_format(&session->arena, "%s: %s is no machine code", options[i].name,
                                   session->input.source.name));
            good = false;
        }
    for (bw_option_id id = BW_OPTION_BLOCK; id <= BW_OPTION_GRID; id++)
        if (values[id].given && !values[id].shape[0]) {
            refuse(session, BW_MSG_INPUT_KIND, "write it as 32x8",
                   bw_arena_format(&session->arena, "%s: names in braces are for machine code",
                                   values[id].text));
            good = false;
        }
    return good;
}

/* ---- machine code ---- */

static char *read_data_file(void *context, const char *path, size_t *len, const char **error)
{
    bw_session *session = context;
    char *bytes = bw_file_read(path, BW_DEFAULT_MAX_MEMORY, len);
    if (!bytes)
        *error = bw_arena_format(&session->arena, "%s: %s", path, strerror(errno));
    return bytes;
}

static void choose(const bw_launch_choice *choice, bw_kernel_options *options)
{
    options->nth = choice->nth;
    options->shared = options->shared ? options->shared : choice->shared;
    options->arch = options->arch ? options->arch : choice->arch;
    if (!options->block[0])
        memcpy(options->block, choice->block, sizeof options->block);
    if (!options->grid[0])
        memcpy(options->grid, choice->grid, sizeof options->grid);
}

/* Of a text that a profiler printed, what its pages say of the launch of the kernel that is meant.
 * False where there is nothing, or no such kernel, which the reading of the kernel says. */
static bool choose_profiled(bw_session *session, bw_launch_choice *choice)
{
    bw_profile profile;
    bw_diags unheard = {.count = 0};
    const char **kernels;
    bw_profiled_launches(&profile, &session->input.source);
    size_t count = profile.count
                       ? bw_kernel_list(&session->input.source, &session->arena, &kernels, &unheard)
                       : 0;
    long at = count ? bw_kernel_find(&session->input.source,
                                     session->args->values[BW_OPTION_KERNEL].text, &unheard)
                    : -1;
    if (at >= 0)
        *choice = bw_profiled_choice(&profile, kernels, (size_t)at);
    bw_diags_finish(&unheard);
    bw_profile_finish(&profile);
    return at >= 0;
}

/* --launch says it all of a launch; what names or shapes one beside it has nothing to mean. */
static bool refuse_beside_launches(bw_session *session)
{
    static const struct {
        bw_option_id id;
        const char *name;
    } options[] = {{BW_OPTION_KERNEL, "--kernel"},
                   {BW_OPTION_BLOCK, "--block"},
                   {BW_OPTION_GRID, "--grid"},
                   {BW_OPTION_SHARED, "--shared"}};
    bool good = true;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (session->args->values[options[i].id].given) {
            refuse(session, BW_MSG_OPTION_CONFLICT, "a launch has its kernel and its shape",
                   bw_arena_format(&session->arena,
                                   "%s: of machine code it cannot stand beside "
                                   "--launch",
                                   options[i].name));
            good = false;
        }
    return good;
}

static void read_launches(filler *to, bw_kernel_options *options)
{
    bw_session *session = to->session;
    const bw_args *args = session->args;
    bw_kernel_launch *list =
        bw_arena_alloc(&session->arena, (args->launch_count + 1) * sizeof *list);
    for (size_t i = 0; i < args->launch_count; i++) {
        list[i] = (bw_kernel_launch){.order = args->launches[i].order};
        if (!bw_kernel_launch_read(&list[i], &session->arena, &args->launches[i].source,
                                   session->defines, session->define_count, to->used,
                                   &session->diags))
            to->failed = true;
    }
    options->launches = list;
    options->launch_count = args->launch_count;
    if (args->launch_count && !refuse_beside_launches(session))
        to->failed = true;
}

bool bw_session_read_kernel(bw_session *session)
{
    bw_launch_choice profiled;
    const bw_args *args = session->args;
    const bw_value *values = args->values;
    filler to = {.session = session,
                 .used = bw_arena_alloc(&session->arena, session->define_count + 1)};
    bw_kernel_options options = {
        .arch = values[BW_OPTION_ARCH].given ? values[BW_OPTION_ARCH].arch : NULL,
        .kernel = values[BW_OPTION_KERNEL].text,
        .shared = (uint32_t)values[BW_OPTION_SHARED].number,
        .arguments = fill_list(&to, "--arg", bw_session_arguments(session), args->argument_count),
        .argument_count = args->argument_count,
        .data = fill_list(&to, "--data", args->data, args->data_count),
        .data_count = args->data_count,
        .cubin = values[BW_OPTION_CUBIN].given ? values[BW_OPTION_CUBIN].text : session->cubin,
        .source_text = session->compiled.text,
        .source_len = session->compiled.len,
        .max_steps = values[BW_OPTION_MAX_STEPS].number,
        .max_memory = (size_t)values[BW_OPTION_MAX_MEMORY].number,
        .seed = (uint32_t)values[BW_OPTION_SEED].number,
        .host = {.context = session, .read_file = read_data_file},
    };
    fill_shape(&to, BW_OPTION_BLOCK, "--block", options.block);
    fill_shape(&to, BW_OPTION_GRID, "--grid", options.grid);
    if (session->choice)
        choose(session->choice, &options);
    else if (choose_profiled(session, &profiled))
        choose(&profiled, &options);
    else
        choose(&session->beside, &options);
    if (!session->choice)
        read_launches(&to, &options);
    refuse_unused(&to);
    if (values[BW_OPTION_JOIN].given) {
        refuse(session, BW_MSG_INPUT_KIND,
               "leave it out: what is counted is what the compiler made",
               bw_arena_format(&session->arena, "--join: %s is machine code",
                               session->input.source.name));
        to.failed = true;
    }
    if (!to.failed)
        session->program = bw_kernel_read(&session->input.source, &options, &session->diags);
    return session->program && session->diags.errors == 0;
}
