/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "findings.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "explanation.h"
#include "pattern.h"
#include "report.h"

static const char *keep(bw_findings *findings, const char *text)
{
    return text ? bw_arena_copy(&findings->arena, text, strlen(text)) : NULL;
}

static const char *name_of(const bw_finding *finding)
{
    return bw_message_of(finding->id)->id;
}

/* Characters in `bytes` bytes of UTF-8. */
static unsigned characters(const char *text, size_t bytes)
{
    unsigned count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

void bw_finding_add(bw_findings *findings, bw_message_id id, const bw_source *source, bw_span span,
                    const char *kernel, const char *expected, const char *found,
                    const char *message)
{
    bw_place place = bw_source_place(source, span.offset);
    size_t length;
    const char *line = bw_source_line(source, place.line, &length);
    size_t before = place.column - 1 < length ? place.column - 1 : length;
    size_t marked = span.len < length - before ? span.len : length - before;
    BW_GROW(findings->items, findings->count, findings->capacity);
    findings->items[findings->count++] = (bw_finding){
        .id = id,
        .file = keep(findings, source->name),
        .kernel = keep(findings, kernel),
        .place = place,
        .character = characters(line, before) + 1,
        .end_character = characters(line, before + marked) + 1,
        .expected = keep(findings, expected),
        .found = keep(findings, found),
        .message = keep(findings, message),
    };
}

void bw_finding_add_warnings(bw_findings *findings, const bw_args *args, const bw_diags *diags)
{
    for (size_t i = 0; i < diags->count; i++) {
        const bw_diagnostic *d = &diags->items[i];
        if (d->severity != BW_WARNING || !d->source || !bw_warning_is_on(args, d->id))
            continue;
        bw_finding_add(findings, d->id, d->source, d->span, NULL, NULL, NULL, d->message);
        findings->items[findings->count - 1].warning = true;
        findings->warnings++;
    }
}

void bw_findings_finish(bw_findings *findings)
{
    free(findings->items);
    bw_arena_finish(&findings->arena);
}

/* ---- text ---- */

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void write_summary(const bw_findings *all, const bw_args *args, FILE *out)
{
    const bw_value *gate = &args->values[BW_OPTION_FAIL_ABOVE];
    if (all->expectations || !gate->given) {
        fprintf(out, "%zu expectation%s in %zu file%s: ", all->expectations,
                plural(all->expectations), all->files - all->bare, plural(all->files - all->bare));
        if (!all->expectations)
            fputs("nothing was checked\n", out);
        else if (all->failed)
            fprintf(out, "%zu failed\n", all->failed);
        else
            fputs("all met\n", out);
    }
    if (all->bare)
        fprintf(out, "%zu file%s without expectations\n", all->bare, plural(all->bare));
    if (gate->given && all->above)
        fprintf(out, "%zu access%s: %zu above %u-way\n", all->accesses,
                all->accesses == 1 ? "" : "es", all->above, (unsigned)gate->number);
    else if (gate->given)
        fprintf(out, "%zu access%s: none above %u-way\n", all->accesses,
                all->accesses == 1 ? "" : "es", (unsigned)gate->number);
}

/* ---- JSON and SARIF ---- */

static json_t *finding_json(const bw_finding *finding)
{
    return json_pack("{s:s,s:o,s:i,s:i,s:o,s:o,s:o,s:o}", "rule", name_of(finding), "file",
                     bw_json_text(finding->file), "line", (int)finding->place.line, "column",
                     (int)finding->place.column, "kernel", bw_json_text(finding->kernel),
                     "expected", bw_json_text(finding->expected), "found",
                     bw_json_text(finding->found), "message", bw_json_text(finding->message));
}

static json_t *warning_json(const bw_finding *finding)
{
    return json_pack("{s:s,s:o,s:i,s:i,s:o}", "name", name_of(finding), "file",
                     bw_json_text(finding->file), "line", (int)finding->place.line, "column",
                     (int)finding->place.column, "message", bw_json_text(finding->message));
}

static void dump(json_t *document, FILE *out)
{
    json_dumpf(document, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(document);
}

static void write_json(const bw_findings *all, FILE *out)
{
    json_t *list = json_array(), *warnings = json_array();
    for (size_t i = 0; i < all->count; i++) {
        const bw_finding *finding = &all->items[i];
        if (finding->warning)
            json_array_append_new(warnings, warning_json(finding));
        else
            json_array_append_new(list, finding_json(finding));
    }
    dump(json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:o}", "schema", "bankwise.check/1", "files",
                   (json_int_t)all->files, "files_without_expectations", (json_int_t)all->bare,
                   "expectations", (json_int_t)all->expectations, "failed", (json_int_t)all->failed,
                   "accesses", (json_int_t)all->accesses, "above_gate", (json_int_t)all->above,
                   "findings", list, "warnings", warnings),
         out);
}

/* A path as the URI reference that SARIF wants. */
static const char *uri_of(bw_arena *arena, const char *path)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    char *uri = bw_arena_alloc(arena, 3 * strlen(path) + 1), *end = uri;
    for (; *path; path++) {
        if (strchr(plain, *path))
            *end++ = *path;
        else
            end += sprintf(end, "%%%02X", (unsigned)(unsigned char)*path);
    }
    return uri;
}

/* What a result can be about: errors end a check without results. */
static json_t *sarif_rules(void)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < BW_MSG_COUNT; i++) {
        const bw_message *message = bw_message_of((bw_message_id)i);
        const char *help = bw_explanation((bw_message_id)i);
        if (message->kind != BW_KIND_ERROR)
            json_array_append_new(list, json_pack("{s:s,s:{s:s},s:{s:s,s:s}}", "id", message->id,
                                                  "shortDescription", "text", message->line, "help",
                                                  "text", help, "markdown", help));
    }
    return list;
}

static json_t *sarif_result(bw_arena *arena, const bw_finding *finding)
{
    return json_pack("{s:s,s:s,s:{s:o},s:[{s:{s:{s:s},s:{s:i,s:i,s:i}}}]}", "ruleId",
                     name_of(finding), "level", finding->warning ? "warning" : "error", "message",
                     "text", bw_json_text(finding->message), "locations", "physicalLocation",
                     "artifactLocation", "uri", uri_of(arena, finding->file), "region", "startLine",
                     (int)finding->place.line, "startColumn", (int)finding->character, "endColumn",
                     (int)finding->end_character);
}

static void write_sarif(const bw_findings *all, FILE *out)
{
    bw_arena arena = {NULL};
    json_t *results = json_array();
    for (size_t i = 0; i < all->count; i++)
        json_array_append_new(results, sarif_result(&arena, &all->items[i]));
    json_t *driver = json_pack("{s:s,s:s,s:o}", "name", "bankwise", "version", BANKWISE_VERSION,
                               "rules", sarif_rules());
    dump(json_pack("{s:s,s:s,s:[{s:{s:o},s:s,s:o}]}", "$schema",
                   "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                   "tool", "driver", driver, "columnKind", "unicodeCodePoints", "results", results),
         out);
    bw_arena_finish(&arena);
}

/* ---- CSV and GitHub ---- */

static void write_csv(const bw_findings *all, FILE *out)
{
    fputs("file,line,column,rule,kernel,expected,found,message\n", out);
    for (size_t i = 0; i < all->count; i++) {
        const bw_finding *finding = &all->items[i];
        if (finding->warning)
            continue;
        const char *const texts[] = {name_of(finding), finding->kernel, finding->expected,
                                     finding->found, finding->message};
        bw_csv_text(out, finding->file);
        fprintf(out, ",%u,%u", finding->place.line, finding->place.column);
        for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
            putc(',', out);
            bw_csv_text(out, texts[j] ? texts[j] : "");
        }
        putc('\n', out);
    }
}

/* GitHub's workflow commands: data escape %, CR and LF; properties also : and , */
static void write_escaped(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (strchr(special, *text))
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
        else
            putc(*text, out);
    }
}

static void write_github(const bw_findings *all, FILE *out)
{
    for (size_t i = 0; i < all->count; i++) {
        const bw_finding *finding = &all->items[i];
        fputs(finding->warning ? "::warning file=" : "::error file=", out);
        write_escaped(out, finding->file, "%\r\n:,");
        fprintf(out,
                ",line=%u,endLine=%u,col=%u,endColumn=%u,title=bankwise %s::", finding->place.line,
                finding->place.line, finding->character, finding->end_character, name_of(finding));
        write_escaped(out, finding->message, "%\r\n");
        putc('\n', out);
    }
}

void bw_findings_write(const bw_findings *findings, const bw_args *args, FILE *out)
{
    switch ((bw_format)args->values[BW_OPTION_FORMAT].number) {
    case BW_FORMAT_JSON: write_json(findings, out); break;
    case BW_FORMAT_CSV: write_csv(findings, out); break;
    case BW_FORMAT_GITHUB: write_github(findings, out); break;
    case BW_FORMAT_SARIF: write_sarif(findings, out); break;
    case BW_FORMAT_TEXT:
        if (!args->values[BW_OPTION_QUIET].given)
            write_summary(findings, args, out);
        break;
    }
}
