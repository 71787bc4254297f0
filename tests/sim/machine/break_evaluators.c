/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Breaks every evaluator once, and shows that a test finds it.
 *
 *     break_evaluators TEST FOLDER
 *
 * FOLDER is the opcode recording, unpacked; TEST the test of opcodes against oracles, built with
 * broken_lanes.c. Each evaluator is broken (broken_lanes.h) in the kernels that use it, until one
 * of them no longer gives what the card wrote; those that no kernel shows to be broken, in TEST,
 * which must fail. TAP: a line each evaluator, "not ok" where nothing shows it.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "broken_lanes.h"
#include "opcode_kernels.h"

static bool found[BW_EV_COUNT]; /* its being broken was seen */

/* Words that are not the card's. */
static size_t wrong_words(const kernel_output *o)
{
    size_t wrong = 0;
    if (o->result.status != BW_MACHINE_OK)
        return SIZE_MAX;
    for (size_t k = 0; k < o->words; k++)
        wrong += o->out[k] != o->card[k];
    return wrong;
}

static size_t run_broken(const text_files *f, const kernel_row *row, size_t index, int ev)
{
    broken_lanes_set(ev);
    kernel_output o = run_kernel(f, row, index);
    size_t wrong = wrong_words(&o);
    finish_output(&o);
    broken_lanes_set(-1);
    return wrong;
}

/* Each evaluator that a kernel of the text uses and that was not found yet. */
static void break_text(const char *folder, const char *source, const char *arch)
{
    char text[64], elf[64];
    text_files f;
    snprintf(text, sizeof text, "%s.%s.sass", source, arch);
    snprintf(elf, sizeof elf, "%s.%s.cubin", source, arch);
    if (!open_files(&f, folder, text, elf))
        exit(3);
    size_t len;
    char *list = read_file(folder, "kernels.csv", &len);
    const char *at = list;
    kernel_row row;
    for (long k; (k = next_kernel(&f, &at, &row)) >= 0;) {
        unsigned long uses[BW_EV_COUNT];
        broken_lanes_used(uses);
        size_t normal = run_broken(&f, &row, (size_t)k, -1);
        broken_lanes_used(uses);
        for (int ev = 0; ev < BW_EV_COUNT; ev++)
            if (uses[ev] && !found[ev])
                found[ev] = run_broken(&f, &row, (size_t)k, ev) != normal;
    }
    free(list);
    close_files(&f);
}

/* Whether the test of oracles, which passes as it is, fails with this evaluator broken. */
static bool test_fails(const char *test, const char *name)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv(BROKEN_VARIABLE, name, 1);
        if (!freopen("/dev/null", "w", stdout))
            _exit(99);
        execl(test, test, (char *)NULL);
        _exit(99);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

int main(int argc, char **argv)
{
    static const char *const sources[] = {"integer", "float", "warp", "flow"};
    static const char *const archs[] = {"sm_90", "sm_100", "sm_75", "sm_80", "sm_120"};
    if (argc != 3) {
        fputs("usage: break_evaluators TEST FOLDER\n", stderr);
        return 3;
    }
    fclose(stderr); /* broken kernels fail in many ways */
    for (size_t a = 0; a < 5; a++)
        for (size_t s = 0; s < 4; s++)
            break_text(argv[2], sources[s], archs[a]);
    int survivors = 0;
    for (int ev = 0; ev < BW_EV_COUNT; ev++) {
        found[ev] = found[ev] || test_fails(argv[1], broken_lanes_name(ev));
        printf("%s %d - %s\n", found[ev] ? "ok" : "not ok", ev + 1, broken_lanes_name(ev));
        survivors += !found[ev];
    }
    printf("1..%d\n", (int)BW_EV_COUNT);
    return survivors != 0;
}
