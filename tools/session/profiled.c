/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* memmem */
#include "profiled.h"

#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "plain.h"

/* With these bytes, the last of them zero, a report of Nsight Compute begins (its documentation,
 * "Report File Format"). */
#define MAGIC "NVR"
/* How each kernel of the source page begins. */
#define KERNEL_ROW "\"Kernel Name\","

bool bw_profiled_is_file(const char *bytes, size_t len)
{
    return len > sizeof MAGIC && memcmp(bytes, MAGIC, sizeof MAGIC) == 0;
}

/* ---- by way of ncu ---- */

static bool no_program(const bw_input *input)
{
    bw_arena arena = {NULL};
    const char *name = input->source.name;
    bw_complain(
        BW_MSG_TOOL_MISSING,
        bw_arena_format(&arena,
                        "install NVIDIA's package cuda-nsight-compute, name the program with "
                        "--ncu-tool, or print the report where it is:\n"
                        "  ncu --import %s --csv --print-kernel-base mangled --print-units base "
                        "--page raw >report.csv\n"
                        "  ncu --import %s --csv --print-kernel-base mangled --page source "
                        "--print-source sass >>report.csv",
                        name, name),
        "ncu is not here to print the report '%s'", name);
    bw_arena_finish(&arena);
    return false;
}

static bool failed(const char *ncu, const bw_input *input, const bw_process_result *result)
{
    if (*result->message)
        bw_say(stderr, "%s\n", result->message);
    if (result->code == 0)
        bw_complain(BW_MSG_TOOL_FAILED, "save a report of fewer kernels",
                    "%s prints more than 64 MiB of '%s'", ncu, input->source.name);
    else
        bw_complain(BW_MSG_TOOL_FAILED, "a newer report wants a newer ncu",
                    "%s does not print '%s' (exit code %d)", ncu, input->source.name, result->code);
    return false;
}

static bool print_page(const char *ncu, const bw_input *input, const char *const *page,
                       bw_process_result *result)
{
    const char *argv[16] = {ncu, "--import", input->path, "--csv"};
    size_t count = 4;
    while (*page)
        argv[count++] = *page++;
    *result = bw_process_run(argv, BW_INPUT_MAX);
    return (result->code == 0 && result->output) || failed(ncu, input, result);
}

static void take_text(bw_input *input, const bw_process_result *pages, size_t count)
{
    size_t len = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        len += pages[i].length;
    char *text = bw_alloc(len + 1);
    for (size_t i = 0; i < count; at += pages[i++].length)
        memcpy(text + at, pages[i].output, pages[i].length);
    bw_input now;
    bw_input_set(&now, input->source.name, input->path, text, len);
    bw_input_finish(input);
    *input = now;
    free(text);
}

bool bw_profiled_print(bw_input *input, const bw_args *args, bw_profiled_pages pages)
{
    static const char *const counters[] = {"--print-units", "base", "--page", "raw", NULL};
    static const char *const raw[] = {
        "--print-kernel-base", "mangled", "--print-units", "base", "--page", "raw", NULL};
    static const char *const source[] = {"--print-kernel-base", "mangled", "--page", "source",
                                         "--print-source",      "sass",    NULL};
    const bw_value *given = &args->values[BW_OPTION_NCU_TOOL];
    bw_process_result printed[2] = {{.output = NULL}, {.output = NULL}};
    bw_arena arena = {NULL};
    if (!bw_profiled_is_file(input->source.text, input->source.len))
        return true;
    if (!input->path) {
        bw_complain(BW_MSG_INPUT_KIND, "give it as a file",
                    "a report of Nsight Compute cannot be read from standard input");
        return false;
    }
    const char *ncu = given->given ? given->text : bw_process_find(&arena, "ncu");
    bool code = pages == BW_PROFILED_CODE;
    bool good = ncu ? print_page(ncu, input, code ? raw : counters, &printed[0]) &&
                          (!code || print_page(ncu, input, source, &printed[1]))
                    : no_program(input);
    if (good)
        take_text(input, printed, code ? 2 : 1);
    if (good && code && !bw_kernel_is_text(input->source.text, input->source.len)) {
        bw_complain(BW_MSG_TOOL_FAILED, "profile as bankwise compare --ncu-command says",
                    "%s prints no machine code of '%s'", ncu, input->source.name);
        good = false;
    }
    free(printed[0].output);
    free(printed[1].output);
    bw_arena_finish(&arena);
    return good;
}

/* ---- launches ---- */

enum { DYNAMIC, STATIC, METRICS };
static const char *const metric_names[] = {[DYNAMIC] = "launch__shared_mem_per_block_dynamic",
                                           [STATIC] = "launch__shared_mem_per_block_static"};
_Static_assert(sizeof metric_names / sizeof *metric_names == METRICS, "a name for each");

/* The text before the first kernel of a source page. */
static size_t before_source(const bw_source *source)
{
    const char *text = source->text, *end = text + source->len;
    const char *at = memmem(text, source->len, KERNEL_ROW, strlen(KERNEL_ROW));
    while (at && at > text && at[-1] != '\n')
        at = memmem(at + 1, (size_t)(end - at - 1), KERNEL_ROW, strlen(KERNEL_ROW));
    return at ? (size_t)(at - text) : source->len;
}

void bw_profiled_launches(bw_profile *profile, const bw_source *source)
{
    size_t len = before_source(source);
    *profile = (bw_profile){.count = 0};
    if (len && !bw_profile_read(profile, source->name, source->text, len, metric_names, METRICS))
        profile->count = 0;
}

/* Static and dynamic shared memory of a block, in bytes; 0 where the page does not have both, or
 * has them rounded to a unit. */
static uint32_t shared_of(const bw_profiled *launch)
{
    const bw_metric *m = launch->metrics;
    double bytes = m[DYNAMIC].known && m[STATIC].known ? m[DYNAMIC].value + m[STATIC].value : 0;
    return bytes >= 0 && bytes <= UINT32_MAX ? (uint32_t)bytes : 0;
}

bw_launch_choice bw_profiled_choice(const bw_profile *profile, const char *const *kernels,
                                    size_t at)
{
    bw_launch_choice choice = {.nth = at + 1};
    const bw_profiled *launch = NULL;
    size_t nth = 0;
    for (size_t i = 0; i < at; i++)
        nth += strcmp(kernels[i], kernels[at]) == 0;
    for (size_t i = 0; i < profile->count && !launch; i++)
        if (strcmp(profile->launches[i].kernel, kernels[at]) == 0 && nth-- == 0)
            launch = &profile->launches[i];
    if (!launch)
        return choice;
    if (launch->has_block)
        memcpy(choice.block, launch->block, sizeof choice.block);
    if (launch->has_grid)
        memcpy(choice.grid, launch->grid, sizeof choice.grid);
    choice.shared = shared_of(launch);
    choice.arch = bw_profiled_arch(launch);
    return choice;
}

const bw_arch *bw_profiled_arch(const bw_profiled *profiled)
{
    char name[32], *point, *end;
    unsigned long major = strtoul(profiled->cc, &point, 10);
    if (point == profiled->cc || *point != '.' || major > 99)
        return NULL;
    unsigned long minor = strtoul(point + 1, &end, 10);
    if (end == point + 1 || minor > 9)
        return NULL;
    snprintf(name, sizeof name, "sm_%lu%lu", major, minor);
    return bw_arch_find(name);
}
