/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command lines of projects, and what nvcc -cubin gets of them. */
#include <check.h>
#include <string.h>

#include "nvcc_flags.h"
#include "../common/tap.h"

static bw_arena arena;

static void tear_down(void)
{
    bw_arena_finish(&arena);
}

/* "a|b|c" */
static const char *joined(const bw_words *words)
{
    const char *text = "";
    for (size_t i = 0; i < words->count; i++)
        text = bw_arena_format(&arena, "%s%s%s", text, i ? "|" : "", words->words[i]);
    return text;
}

START_TEST(words_split_as_the_shell_does)
{
    static const struct {
        const char *line, *words;
    } cases[] = {
        {"", ""},
        {"  -O3\t-I  'a folder' ", "-O3|-I|a folder"},
        {"-DX=\\\"a\\\" -D'Y=\"b\"' \"-DZ=\\\"c\\\\\\\"\"", "-DX=\"a\"|-DY=\"b\"|-DZ=\"c\\\""},
        {"a\\ b '' c\\", "a b||c\\"},
        {"\"a\\b\" 'open", "a\\b|open"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bw_words words = {.words = NULL};
        bw_words_split(&words, &arena, cases[i].line);
        ck_assert_str_eq(joined(&words), cases[i].words);
        bw_words_finish(&words);
    }
}
END_TEST

static bool is_input(void *context, const char *word)
{
    (void)context;
    return strcmp(word, "a.cu") == 0;
}

static const struct {
    const char *command, *flags, *archs;
} commands[] = {
    /* CMake, for one architecture and for two */
    {"/usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler -DN=32 -I/p/include -isystem "
     "/p/sys -O3 -DNDEBUG -std=c++17 \"--generate-code=arch=compute_80,code=[compute_80,sm_80]\" "
     "-MD -MT a.o -MF a.o.d -x cu -c a.cu -o CMakeFiles/a.o",
     "-forward-unknown-to-host-compiler|-DN=32|-I/p/include|-isystem|/p/"
     "sys|-O3|-DNDEBUG|-std=c++17|"
     "-x|cu",
     "sm_80"},
    {"ccache nvcc -gencode arch=compute_80,code=sm_80 -gencode=arch=compute_90a,code=sm_90a -dc "
     "a.cu -oa.o --output-file=b.o",
     "-rdc=true|-oa.o", "sm_80|sm_90a"},
    {"nvcc --options-file r.rsp -arch sm_75 -lineinfo -ccbin /evil/g++ --compiler-bindir=/evil/g++ "
     "--compile a.cu other.cu",
     "--options-file|r.rsp|other.cu", "sm_75"},
    {"nvcc -Xcompiler -fPIC -Xcompiler -MD -Xcompiler=-Wall,-MF,x --use_fast_math -maxrregcount 32 "
     "-arch=native -code=compute_70 a.cu",
     "-Xcompiler|-fPIC|--use_fast_math|-maxrregcount|32", "sm_70"},
    {"nvcc -std=gnu++20 -std=c++14 a.cu -o", "-std=c++20|-std=c++14", ""},
    /* clang */
    {"/usr/bin/clang++-18 --driver-mode=g++ -I include -Iother -DX -D Y=2 -UZ -include h.h -Wall "
     "-std=gnu++17 --cuda-gpu-arch=sm_70 --offload-arch=sm_86 -fPIC -O2 -x cuda -c a.cu -o a.o",
     "-I|include|-Iother|-DX|-D|Y=2|-UZ|-include|h.h|-std=c++17", "sm_70|sm_86"},
    {"nvcc", "", ""},
    {"ccache", "", ""},
    {"nvcc -o", "", ""},
};

START_TEST(commands_of_projects)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        bw_words words = {.words = NULL};
        bw_nvcc_flags flags = {.flags = {.words = NULL}};
        bw_words_split(&words, &arena, commands[i].command);
        bw_nvcc_flags_add_command(&flags, &arena, &words, is_input, NULL);
        ck_assert_str_eq(joined(&flags.flags), commands[i].flags);
        ck_assert_str_eq(joined(&flags.archs), commands[i].archs);
        bw_words_finish(&words);
        bw_nvcc_flags_finish(&flags);
    }
}
END_TEST

START_TEST(one_architecture_is_chosen)
{
    static const struct {
        const char *flags, *wanted, *chosen;
    } cases[] = {
        {"-O3", NULL, "sm_90"},
        {"-O3", "sm_80", "sm_80"},
        {"-arch=sm_75", NULL, "sm_75"},
        {"-arch=sm_75", "sm_80", "sm_80"},
        {"-arch=sm_90a", NULL, "sm_90a"},
        {"-arch=sm_90a", "sm_90", "sm_90a"},
        {"-arch=sm_120 -arch=sm_100", NULL, "sm_120"},
        {"-gencode arch=compute_70,code=[sm_70,compute_70] -gencode arch=compute_90,code=sm_90",
         NULL, "sm_90"},
        {"-arch=native", NULL, "sm_90"},
        {"-arch=sm_", NULL, "sm_90"},
        {"-arch=compute_86", NULL, "sm_86"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bw_words words = {.words = NULL};
        bw_nvcc_flags flags = {.flags = {.words = NULL}};
        bw_words_split(&words, &arena, cases[i].flags);
        bw_nvcc_flags_add(&flags, &arena, &words);
        ck_assert_str_eq(bw_nvcc_flags_arch(&flags, cases[i].wanted, "sm_90"), cases[i].chosen);
        bw_words_finish(&words);
        bw_nvcc_flags_finish(&flags);
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("nvcc_flags");
    tcase_add_checked_fixture(tests, NULL, tear_down);
    tcase_add_test(tests, words_split_as_the_shell_does);
    tcase_add_test(tests, commands_of_projects);
    tcase_add_test(tests, one_architecture_is_chosen);
    return tap_run(tests);
}
