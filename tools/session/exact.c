/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exact.h"

#include <ctype.h>
#include <string.h>

#include "shell.h"
#include "wording.h"

/* ---- what is refused ---- */

/* Of these groups a message is about what the language takes. */
static const bw_message_group groups[] = {BW_GROUP_TEXT, BW_GROUP_LANGUAGE, BW_GROUP_CXX};
/* And these are. */
static const bw_message_id refusals[] = {
    BW_MSG_NOTHING_TO_RUN, BW_MSG_LAUNCH_UNKNOWN, BW_MSG_UNDEFINED_FUNCTION, BW_MSG_RECURSION,
    BW_MSG_PROGRAM_SIZE,   BW_MSG_NESTING_DEPTH,  BW_MSG_OBJECT_SIZE,
};
/* And these of the groups are not: the file says so itself, or is no program for nvcc either. */
static const bw_message_id own_faults[] = {
    BW_MSG_ERROR_DIRECTIVE,
    BW_MSG_EXPECT_FORM,
    BW_MSG_UNTERMINATED_COMMENT,
    BW_MSG_UNTERMINATED_LITERAL,
    BW_MSG_IF_BALANCE,
    BW_MSG_STATIC_ASSERTION,
    BW_MSG_UNCLOSED,
    BW_MSG_DECLARED_TWICE,
};

static bool has(const bw_message_id *list, size_t count, bw_message_id id)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == id)
            return true;
    return false;
}

static bool is_refusal(bw_message_id id)
{
    bool of_group = false;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        of_group |= bw_message_of(id)->group == groups[i];
    return (of_group && !has(own_faults, sizeof own_faults / sizeof *own_faults, id)) ||
           has(refusals, sizeof refusals / sizeof *refusals, id);
}

bool bw_exact_is_refusal(const bw_session *session, size_t *at)
{
    const bw_diags *diags = &session->diags;
    bool found = false;
    for (size_t i = 0; i < diags->count; i++) {
        const bw_diagnostic *d = &diags->items[i];
        if (d->severity != BW_ERROR || !is_refusal(d->id))
            continue;
        size_t offset = d->source == &session->input.source ? d->span.offset : 0;
        *at = found && *at < offset ? *at : offset;
        found = true;
    }
    return found;
}

/* ---- the kernel ---- */

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_attribute(const char *name, size_t len)
{
    static const char *const attributes[] = {"__launch_bounds__", "__cluster_dims__",
                                             "__attribute__", "__align__"};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (strlen(attributes[i]) == len && memcmp(name, attributes[i], len) == 0)
            return true;
    return false;
}

/* After the parenthesis that closes the one at `at`. */
static const char *after_parentheses(const char *at)
{
    for (int depth = 0; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0)
            return at + 1;
    }
    return at;
}

/* The name that is declared after "__global__" at `at`: the word before the first parenthesis that
 * is not an attribute's. Its length; 0 where there is none. */
static size_t read_name(const char *at, const char **name)
{
    size_t len = 0;
    *name = at;
    while (*at && *at != ';' && *at != '{') {
        if (in_word(*at)) {
            *name = at;
            for (len = 0; in_word(at[len]); len++)
                ;
            at += len;
        } else if (*at != '(') {
            at++;
        } else if (is_attribute(*name, len)) {
            at = after_parentheses(at);
        } else {
            return len;
        }
    }
    return 0;
}

/* The last kernel that begins before `place`, or the first of all; NULL where there is none. */
static const char *kernel_before(bw_arena *arena, const bw_source *source, size_t place)
{
    static const char word[] = "__global__";
    const char *text = source->text, *name, *found = NULL;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word)) {
        if (found && (size_t)(at - text) > place)
            break;
        size_t len = read_name(at + strlen(word), &name);
        if (len)
            found = bw_arena_copy(arena, name, len);
    }
    return found;
}

/* ---- the command ---- */

/* What nvcc compiles without being told what it is. */
static bool is_cuda_source(const char *path)
{
    const char *ending = path ? strrchr(path, '.') : NULL;
    return ending && strcmp(ending, ".cu") == 0;
}

/* An option with its argument; "" where it has no such. */
static const char *option(bw_arena *arena, const char *name, const char *argument)
{
    return argument ? bw_arena_format(arena, " --%s %s", name, bw_shell_word(arena, argument)) : "";
}

/* The kernel's name without template arguments: machine code has it mangled. */
static const char *plain_name(bw_arena *arena, const char *name)
{
    return name ? bw_arena_copy(arena, name, strcspn(name, "<")) : NULL;
}

const char *bw_exact_command(bw_arena *arena, const bw_session *session, const bw_launch *launch,
                             size_t at)
{
    const bw_value *values = session->args->values;
    const char *path = session->input.path, *kernel, *block, *grid;
    if (!is_cuda_source(path) || values[BW_OPTION_NVCC].given ||
        values[BW_OPTION_COMPILE_COMMANDS].given)
        return NULL;
    kernel = launch ? plain_name(arena, launch->kernel)
                    : kernel_before(arena, &session->input.source, at);
    block = launch ? bw_words_shape(arena, launch->block) : values[BW_OPTION_BLOCK].text;
    grid = launch ? bw_words_shape(arena, launch->grid) : values[BW_OPTION_GRID].text;
    return bw_arena_format(
        arena, "bankwise predict %s --nvcc '-O3'%s%s%s%s", bw_shell_word(arena, path),
        option(arena, "kernel", kernel), option(arena, "block", block), option(arena, "grid", grid),
        option(arena, "arch", values[BW_OPTION_ARCH].given ? values[BW_OPTION_ARCH].text : NULL));
}
