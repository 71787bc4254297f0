/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "explanation.h"

#include <stdbool.h>
#include <string.h>

#define INDENT "    "

static const char *const texts[] = {
#include "explanations.h"
};
_Static_assert(sizeof texts / sizeof *texts == BW_MSG_COUNT, "a text for each message");

const char *bw_explanation(bw_message_id id)
{
    return texts[id];
}

/* ---- the parts of a text ---- */

typedef enum line_kind { LINE_PROSE, LINE_EXAMPLE, LINE_BEGIN, LINE_END } line_kind;

/* A text is gone through line by line; fences part the examples from the prose. */
typedef struct lines {
    const char *next; /* NULL: past the last */
    bool in_example;
    const char *text; /* the current line, without its end */
    size_t len;
    line_kind kind;
} lines;

static bool next_line(lines *at)
{
    if (!at->next || !*at->next)
        return false;
    at->text = at->next;
    at->len = strcspn(at->text, "\n");
    at->next += at->len + (at->text[at->len] == '\n');
    bool fence = at->len >= 3 && memcmp(at->text, "```", 3) == 0;
    at->kind = fence            ? at->in_example ? LINE_END : LINE_BEGIN
               : at->in_example ? LINE_EXAMPLE
                                : LINE_PROSE;
    at->in_example = at->in_example != fence;
    return true;
}

/* ---- on a terminal ---- */

static void print_text(const char *text, FILE *out)
{
    for (lines at = {.next = text}; next_line(&at);)
        if (at.kind == LINE_PROSE || at.kind == LINE_EXAMPLE)
            fprintf(out, "%s%.*s\n", at.kind == LINE_EXAMPLE && at.len ? INDENT : "", (int)at.len,
                    at.text);
}

static void print_use(const bw_message *message, FILE *out)
{
    if (message->kind == BW_KIND_WARNING)
        fprintf(out, "\n-Wno-%s leaves the warning out.\n", message->id);
}

void bw_explanation_print(bw_message_id id, FILE *out)
{
    const bw_message *message = bw_message_of(id);
    fprintf(out, "%s (%s)\n\n%s\n\n", message->id, bw_message_kind_name(message->kind),
            message->line);
    print_text(texts[id] ? texts[id] : "", out);
    print_use(message, out);
}

/* Calls visit for each message of the group. */
static void each_of(bw_message_group group, void (*visit)(bw_message_id, FILE *), FILE *out)
{
    for (unsigned i = 0; i < BW_MSG_COUNT; i++)
        if (bw_message_of((bw_message_id)i)->group == group)
            visit((bw_message_id)i, out);
}

static bool has_any(bw_message_group group)
{
    unsigned i = 0;
    while (i < BW_MSG_COUNT && bw_message_of((bw_message_id)i)->group != group)
        i++;
    return i < BW_MSG_COUNT;
}

static void list_one(bw_message_id id, FILE *out)
{
    const bw_message *message = bw_message_of(id);
    fprintf(out, "  %-21s  %s\n", message->id, message->line);
}

void bw_explanation_list(FILE *out)
{
    fputs("A diagnostic ends in the name of its message, in brackets; 'bankwise help NAME'\n"
          "explains it. 'bankwise --help' lists the commands.\n",
          out);
    for (unsigned group = 0; group < BW_GROUP_COUNT; group++) {
        if (!has_any((bw_message_group)group))
            continue;
        fprintf(out, "\n%s:\n", bw_message_group_title((bw_message_group)group));
        each_of((bw_message_group)group, list_one, out);
    }
}

/* ---- as a manual page ---- */

/* A backslash begins an escape anywhere, a point or quote at the beginning of a line a request. */
static void put_roff(const char *text, size_t len, FILE *out)
{
    if (len && strchr(".'", *text))
        fputs("\\&", out);
    for (size_t i = 0; i < len; i++)
        fputs(text[i] == '\\' ? "\\e" : (char[]){text[i], '\0'}, out);
    fputc('\n', out);
}

/* A sentence of a manual begins on a line of its own. */
static void put_prose(const char *text, size_t len, FILE *out)
{
    size_t from = 0;
    for (size_t i = 1; i + 1 < len; i++)
        if (text[i] == ' ' && text[i - 1] == '.') {
            put_roff(text + from, i - from, out);
            from = i + 1;
        }
    put_roff(text + from, len - from, out);
}

static void manual_text(const char *text, FILE *out)
{
    bool pending = false; /* a paragraph's end, which an example makes needless */
    for (lines at = {.next = text}; next_line(&at);) {
        if (at.kind == LINE_PROSE && !at.len) {
            pending = true;
            continue;
        }
        if (pending && at.kind == LINE_PROSE)
            fputs(".Pp\n", out);
        pending = false;
        if (at.kind == LINE_BEGIN)
            fputs(".Bd -literal -offset indent\n", out);
        else if (at.kind == LINE_END)
            fputs(".Ed\n", out);
        else
            (at.kind == LINE_PROSE ? put_prose : put_roff)(at.text, at.len, out);
    }
}

static void manual_one(bw_message_id id, FILE *out)
{
    const bw_message *message = bw_message_of(id);
    fprintf(out, ".It %s Pq %s\n", message->id, bw_message_kind_name(message->kind));
    put_roff(message->line, strlen(message->line), out);
    if (!texts[id])
        return;
    fputs(".Pp\n", out);
    manual_text(texts[id], out);
}

void bw_explanation_manual(FILE *out)
{
    fputs(
        ".\\\" SPDX-License-Identifier: GPL-3.0-or-later\n"
        ".\\\" Made from common/messages.def and tools/messages; do not edit.\n"
        ".Dd November 30, 2026\n.Dt BANKWISE-MESSAGES 7\n.Os\n.Sh NAME\n"
        ".Nm bankwise-messages\n.Nd what the messages of bankwise mean\n.Sh DESCRIPTION\n"
        "A diagnostic of\n.Xr bankwise 1\n"
        "ends in the name of its message, in brackets; a warning's stands as\n.Fl W Ns Ar name .\n"
        "The name is also the rule in the JSON, CSV and SARIF of\n.Xr bankwise-check 1 .\n"
        "It never gets another meaning.\n.Xr bankwise-help 1\n"
        "shows the same texts as this page.\n.Pp\n"
        "An error ends a run with exit code 2, where nothing else is said; a finding, of\n"
        "a check, with 1; a warning changes no exit code.\n",
        out);
    for (unsigned group = 0; group < BW_GROUP_COUNT; group++) {
        if (!has_any((bw_message_group)group))
            continue;
        fprintf(out, ".Ss %s\n.Bl -tag -width Ds\n",
                bw_message_group_title((bw_message_group)group));
        each_of((bw_message_group)group, manual_one, out);
        fputs(".El\n", out);
    }
    fputs(".Sh SEE ALSO\n.Xr bankwise 1 ,\n.Xr bankwise-help 1 ,\n.Xr bankwise-pattern 5\n", out);
}
