/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "utf8.h"

/* Enough digits that a mean is the same number when read back, without noise in the last place. */
#define REAL_DIGITS 12
#define REPLACEMENT "\xEF\xBF\xBD"

typedef struct printer {
    FILE *out;
    unsigned indent; /* spaces a level; 0: all on one line */
    bool script;
} printer;

/* ---- texts ---- */

static void print_control(const printer *to, uint32_t c)
{
    static const char letters[] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    if (c < sizeof letters && letters[c])
        fprintf(to->out, "\\%c", letters[c]);
    else
        fprintf(to->out, "\\u%04X", (unsigned)c);
}

static void print_text(const printer *to, const char *text)
{
    putc('"', to->out);
    for (size_t left = strlen(text); left;) {
        uint32_t code;
        unsigned bytes = bw_utf8_decode(text, left, &code);
        if (!bytes)
            fputs(REPLACEMENT, to->out);
        else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
            print_control(to, code);
        else if (code == '"' || code == '\\')
            fprintf(to->out, "\\%c", *text);
        else if (code == '<' && to->script) /* no text may look like the end of a script */
            fputs("\\u003c", to->out);
        else
            fwrite(text, 1, bytes, to->out);
        text += bytes ? bytes : 1;
        left -= bytes ? bytes : 1;
    }
    putc('"', to->out);
}

const char *bw_text_mended(bw_arena *arena, const char *text)
{
    size_t left = strlen(text);
    char *mended = bw_arena_alloc(arena, 3 * left + 1), *end = mended;
    while (left) {
        uint32_t code;
        unsigned bytes = bw_utf8_decode(text, left, &code);
        end = bytes ? (char *)memcpy(end, text, bytes) + bytes : stpcpy(end, REPLACEMENT);
        text += bytes ? bytes : 1;
        left -= bytes ? bytes : 1;
    }
    return mended;
}

/* ---- numbers ---- */

/* As C writes it, but always with a point or an exponent, so that it is read back as a real, and
 * without the sign and zeros that C gives an exponent. */
static void print_real(const printer *to, double real)
{
    char digits[64];
    if (!isfinite(real)) { /* JSON has no such number */
        fputs("null", to->out);
        return;
    }
    snprintf(digits, sizeof digits, "%.*g", REAL_DIGITS, real);
    char *exponent = strchr(digits, 'e');
    if (!exponent) {
        fprintf(to->out, "%s%s", digits, strchr(digits, '.') ? "" : ".0");
        return;
    }
    const char *from = exponent + 1 + strspn(exponent + 1, "+");
    bool negative = *from == '-';
    from += negative;
    from += strspn(from, "0");
    fprintf(to->out, "%.*s%s%s", (int)(exponent + 1 - digits), digits, negative ? "-" : "", from);
}

/* ---- the tree ---- */

static void print_node(const printer *to, const bw_node *node, unsigned level);

static void begin_line(const printer *to, unsigned level)
{
    if (to->indent)
        fprintf(to->out, "\n%*s", (int)(level * to->indent), "");
}

/* What is for texts only. */
static bool is_hidden(const bw_node *node)
{
    return node->name && node->name[0] == '.';
}

static void print_members(const printer *to, const bw_node *node, unsigned level)
{
    bool object = node->kind == BW_NODE_OBJECT, any = false;
    putc(object ? '{' : '[', to->out);
    for (const bw_node *member = node->first; member; member = member->next) {
        if (is_hidden(member))
            continue;
        if (any)
            putc(',', to->out);
        any = true;
        begin_line(to, level + 1);
        if (object) {
            print_text(to, member->name);
            fputs(to->indent ? ": " : ":", to->out);
        }
        print_node(to, member, level + 1);
    }
    if (any)
        begin_line(to, level);
    putc(object ? '}' : ']', to->out);
}

static void print_node(const printer *to, const bw_node *node, unsigned level)
{
    switch (node->kind) {
    case BW_NODE_NULL: fputs("null", to->out); break;
    case BW_NODE_BOOL: fputs(node->truth ? "true" : "false", to->out); break;
    case BW_NODE_INTEGER: fprintf(to->out, "%" PRId64, node->integer); break;
    case BW_NODE_REAL: print_real(to, node->real); break;
    case BW_NODE_TEXT: print_text(to, node->text); break;
    case BW_NODE_ARRAY:
    case BW_NODE_OBJECT: print_members(to, node, level); break;
    }
}

void bw_node_json(const bw_node *root, FILE *out, bw_json_style style)
{
    static const unsigned indents[] = {
        [BW_JSON_INDENTED] = 2, [BW_JSON_NARROW] = 1, [BW_JSON_SCRIPT] = 0};
    _Static_assert(sizeof indents / sizeof *indents == BW_JSON_SCRIPT + 1, "one for each style");
    printer to = {.out = out, .indent = indents[style], .script = style == BW_JSON_SCRIPT};
    print_node(&to, root, 0);
    if (!to.script)
        putc('\n', out);
}
