/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nvcc_flags.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* ---- lists of words ---- */

void bw_words_add(bw_words *words, const char *word)
{
    BW_GROW(words->words, words->count, words->capacity);
    words->words[words->count++] = word;
}

void bw_words_finish(bw_words *words)
{
    free(words->words);
    *words = (bw_words){.words = NULL};
}

void bw_nvcc_flags_finish(bw_nvcc_flags *flags)
{
    bw_words_finish(&flags->flags);
    bw_words_finish(&flags->archs);
}

/* Copies the word at `text` to `to`, without its quotes; returns what follows it. */
static const char *copy_word(const char *text, char *to)
{
    char quote = '\0';
    for (; *text && (quote || !strchr(" \t\r\n", *text)); text++) {
        bool escapes = quote == '"' ? text[1] == '"' || text[1] == '\\' : !quote && text[1];
        if (*text == '\\' && escapes)
            *to++ = *++text;
        else if (quote ? *text == quote : *text == '"' || *text == '\'')
            quote = quote ? '\0' : *text;
        else
            *to++ = *text;
    }
    *to = '\0';
    return text;
}

void bw_words_split(bw_words *words, bw_arena *arena, const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (!*text)
            return;
        char *word = bw_arena_copy(arena, text, strlen(text));
        text = copy_word(text, word);
        bw_words_add(words, word);
    }
}

/* ---- flags and their arguments ---- */

/* A flag of a table, and how its argument is written. */
typedef enum form {
    FORM_ALONE, /* it takes none */
    FORM_NEXT,  /* "-o FILE", "--output-file=FILE" */
    FORM_GLUED, /* and "-IFOLDER" */
} form;

typedef struct known_flag {
    const char *name;
    form form;
} known_flag;

/* At words[*at]: whether it is a flag of the table; *argument is its argument or NULL, and *at goes
 * to the last word that belongs to it. */
static bool is_of(const known_flag *table, size_t count, const bw_words *words, size_t *at,
                  const char **argument)
{
    const char *word = words->words[*at];
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(table[i].name);
        if (strncmp(word, table[i].name, len) != 0)
            continue;
        const char *rest = word + len;
        *argument = NULL;
        if (!*rest && table[i].form != FORM_ALONE && *at + 1 < words->count)
            *argument = words->words[++*at];
        else if (*rest == '=' && table[i].form == FORM_NEXT)
            *argument = rest + 1;
        else if (*rest && table[i].form == FORM_GLUED)
            *argument = rest;
        else if (*rest)
            continue;
        return true;
    }
    return false;
}

/* ---- architectures ---- */

static const known_flag arch_flags[] = {
    {"-gencode", FORM_NEXT},           {"--generate-code", FORM_NEXT}, {"-arch", FORM_NEXT},
    {"--gpu-architecture", FORM_NEXT}, {"-code", FORM_NEXT},           {"--gpu-code", FORM_NEXT},
    {"--cuda-gpu-arch", FORM_NEXT},    {"--offload-arch", FORM_NEXT},
};

/* Adds each "sm_90a" of a text, or where there is none each "compute_90a" as such. */
static void add_archs(bw_words *archs, bw_arena *arena, const char *text)
{
    static const char *const prefixes[] = {"sm_", "compute_"};
    size_t before = archs->count;
    for (size_t i = 0; i < COUNT(prefixes) && archs->count == before; i++) {
        size_t len = strlen(prefixes[i]);
        for (const char *at = text; (at = strstr(at, prefixes[i]));) {
            const char *digits = at + len;
            size_t n = strspn(digits, "0123456789");
            at = digits + n;
            at += n && isalpha((unsigned char)*at);
            if (n)
                bw_words_add(archs, bw_arena_format(arena, "sm_%.*s", (int)(at - digits), digits));
        }
    }
}

/* Takes an architecture's flag at words[*at], and goes to its last word. */
static bool take_arch(bw_nvcc_flags *flags, bw_arena *arena, const bw_words *words, size_t *at)
{
    const char *argument;
    if (!is_of(arch_flags, COUNT(arch_flags), words, at, &argument))
        return false;
    if (argument)
        add_archs(&flags->archs, arena, argument);
    return true;
}

static size_t base_length(const char *arch)
{
    return strlen("sm_") + strspn(arch + strlen("sm_"), "0123456789");
}

static bool same_base(const char *a, const char *b)
{
    return base_length(a) == base_length(b) && strncmp(a, b, base_length(a)) == 0;
}

const char *bw_nvcc_flags_arch(const bw_nvcc_flags *flags, const char *wanted, const char *usual)
{
    const bw_words *archs = &flags->archs;
    const char *highest = NULL;
    for (size_t i = 0; i < archs->count; i++) {
        const char *arch = archs->words[i];
        if (same_base(arch, wanted ? wanted : usual))
            return arch;
        if (!highest ||
            strtoul(arch + strlen("sm_"), NULL, 10) > strtoul(highest + strlen("sm_"), NULL, 10))
            highest = arch;
    }
    return wanted ? wanted : highest ? highest : usual;
}

/* ---- flags ---- */

void bw_nvcc_flags_add(bw_nvcc_flags *flags, bw_arena *arena, const bw_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (!take_arch(flags, arena, words, &i))
            bw_words_add(&flags->flags, words->words[i]);
}

/* What a command line of nvcc has that does not go with -cubin into a file of ours. */
static const known_flag dropped[] = {
    /* the phase */
    {"-c", FORM_ALONE},
    {"--compile", FORM_ALONE},
    {"-dw", FORM_ALONE},
    {"--device-w", FORM_ALONE},
    {"-cubin", FORM_ALONE},
    {"--cubin", FORM_ALONE},
    {"-fatbin", FORM_ALONE},
    {"--fatbin", FORM_ALONE},
    {"-ptx", FORM_ALONE},
    {"--ptx", FORM_ALONE},
    {"-cuda", FORM_ALONE},
    {"--cuda", FORM_ALONE},
    {"-E", FORM_ALONE},
    {"--preprocess", FORM_ALONE},
    {"-dryrun", FORM_ALONE},
    {"--dryrun", FORM_ALONE},
    {"-keep", FORM_ALONE},
    {"--keep", FORM_ALONE},
    /* ours */
    {"-lineinfo", FORM_ALONE},
    {"--generate-line-info", FORM_ALONE},
    /* dependencies */
    {"-M", FORM_ALONE},
    {"--generate-dependencies", FORM_ALONE},
    {"-MM", FORM_ALONE},
    {"--generate-nonsystem-dependencies", FORM_ALONE},
    {"-MD", FORM_ALONE},
    {"--generate-dependencies-with-compile", FORM_ALONE},
    {"-MMD", FORM_ALONE},
    {"--generate-nonsystem-dependencies-with-compile", FORM_ALONE},
    {"-MP", FORM_ALONE},
    {"--generate-dependency-targets", FORM_ALONE},
    {"-MF", FORM_NEXT},
    {"--dependency-output", FORM_NEXT},
    {"-MT", FORM_NEXT},
    {"-MQ", FORM_NEXT},
    {"--dependency-target-name", FORM_NEXT},
    /* where outputs go */
    {"-o", FORM_NEXT},
    {"--output-file", FORM_NEXT},
    {"-odir", FORM_NEXT},
    {"--output-directory", FORM_NEXT},
    {"-keep-dir", FORM_NEXT},
    {"--keep-dir", FORM_NEXT},
    {"-time", FORM_NEXT},
    {"--time", FORM_NEXT},
    /* programs */
    {"-ccbin", FORM_NEXT},
    {"--compiler-bindir", FORM_NEXT},
};

/* Of -dc remains that code may be called from other files. */
static const known_flag separate[] = {{"-dc", FORM_ALONE}, {"--device-c", FORM_ALONE}};

/* What is the same with nvcc of another compiler's flags. */
static const known_flag common[] = {
    {"-I", FORM_GLUED},       {"-D", FORM_GLUED},       {"-U", FORM_GLUED},
    {"-isystem", FORM_GLUED}, {"-include", FORM_GLUED},
};

/* "c++17" of "gnu++17", which nvcc does not know; NULL where the word is no standard. */
static const char *standard_of(bw_arena *arena, const char *word)
{
    static const char option[] = "-std=";
    const char *name = strncmp(word, option, strlen(option)) == 0 ? word + strlen(option) : NULL;
    const char *plus = name ? strstr(name, "++") : NULL;
    return plus ? bw_arena_format(arena, "-std=c%s", plus) : NULL;
}

/* Flags whose argument is for another program: it is none of nvcc's own flags. */
static const known_flag passed_on[] = {
    {"-Xcompiler", FORM_NEXT},       {"--compiler-options", FORM_NEXT}, {"-Xptxas", FORM_NEXT},
    {"--ptxas-options", FORM_NEXT},  {"-Xcudafe", FORM_NEXT},           {"-Xlinker", FORM_NEXT},
    {"--linker-options", FORM_NEXT},
};

/* Takes such a flag, but not where it makes the host compiler write dependencies. */
static bool take_passed_on(bw_nvcc_flags *flags, const bw_words *words, size_t *at)
{
    const char *argument;
    size_t from = *at;
    if (!is_of(passed_on, COUNT(passed_on), words, at, &argument))
        return false;
    bool keeps = argument && strncmp(argument, "-M", 2) != 0 && !strstr(argument, ",-M");
    while (keeps && from <= *at)
        bw_words_add(&flags->flags, words->words[from++]);
    return true;
}

static void add_of_nvcc(bw_nvcc_flags *flags, bw_arena *arena, const bw_words *words, size_t *at)
{
    const char *argument;
    if (take_passed_on(flags, words, at) || is_of(dropped, COUNT(dropped), words, at, &argument))
        return;
    const char *standard = standard_of(arena, words->words[*at]);
    bool apart = is_of(separate, COUNT(separate), words, at, &argument);
    bw_words_add(&flags->flags, apart ? "-rdc=true" : standard ? standard : words->words[*at]);
}

static void add_of_other(bw_nvcc_flags *flags, bw_arena *arena, const bw_words *words, size_t *at)
{
    const char *argument, *standard = standard_of(arena, words->words[*at]);
    size_t from = *at;
    if (standard)
        bw_words_add(&flags->flags, standard);
    else if (is_of(common, COUNT(common), words, at, &argument))
        while (from <= *at)
            bw_words_add(&flags->flags, words->words[from++]);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The compiler's place among the words: after programs that only start it. */
static size_t compiler_at(const bw_words *words)
{
    static const char *const starters[] = {"ccache", "sccache", "distcc", "icecc"};
    size_t at = 0;
    for (bool starts = true; starts && at + 1 < words->count; at += starts) {
        starts = false;
        for (size_t i = 0; i < COUNT(starters); i++)
            starts |= strcmp(base_name(words->words[at]), starters[i]) == 0;
    }
    return at;
}

void bw_nvcc_flags_add_command(bw_nvcc_flags *flags, bw_arena *arena, const bw_words *words,
                               bool (*is_input)(void *context, const char *word), void *context)
{
    size_t compiler = compiler_at(words);
    if (compiler >= words->count)
        return;
    bool nvcc = strncmp(base_name(words->words[compiler]), "nvcc", 4) == 0;
    for (size_t i = compiler + 1; i < words->count; i++) {
        if (take_arch(flags, arena, words, &i) ||
            (words->words[i][0] != '-' && is_input(context, words->words[i])))
            continue;
        (nvcc ? add_of_nvcc : add_of_other)(flags, arena, words, &i);
    }
}
