/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "findings.h"

#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "explanation.h"

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
        .placed = true,
    };
}

void bw_finding_add_error(bw_findings *findings, bw_message_id id, const char *file,
                          const bw_source *source, bw_span span, const char *message)
{
    bw_source whole = {.name = file, .text = ""};
    bw_finding_add(findings, id, source ? source : &whole, span, NULL, NULL, NULL, message);
    findings->items[findings->count - 1].error = true;
    findings->items[findings->count - 1].placed = source != NULL;
    findings->errors++;
}

void bw_suite_begin(bw_findings *findings, const char *file)
{
    BW_GROW(findings->suites, findings->suite_count, findings->suite_capacity);
    findings->suites[findings->suite_count++] =
        (bw_suite){keep(findings, file), findings->case_count, findings->count};
}

size_t bw_case_begin(bw_findings *findings, const char *name)
{
    BW_GROW(findings->cases, findings->case_count, findings->case_capacity);
    findings->cases[findings->case_count] = (bw_case){keep(findings, name), findings->count, 0};
    return findings->case_count++;
}

void bw_case_end(bw_findings *findings, size_t number)
{
    findings->cases[number].count = findings->count - findings->cases[number].first;
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
    free(findings->cases);
    free(findings->suites);
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

/* ---- JSON and CSV ---- */

static void put_finding(bw_node *parent, const bw_finding *finding)
{
    bw_node *to = bw_put_object(parent, NULL);
    BW_PUT(to, BW_M(finding->warning ? "name" : "rule", name_of(finding)),
           BW_M("file", finding->file), BW_M("line", finding->place.line),
           BW_M("column", finding->place.column));
    if (!finding->warning) {
        BW_PUT(to, BW_M("kernel", finding->kernel), BW_M("expected", finding->expected),
               BW_M("found", finding->found));
    }
    bw_put_text(to, "message", finding->message);
}

static bw_node *document_of(bw_arena *arena, const bw_findings *all)
{
    bw_node *document = bw_node_object(arena);
    BW_PUT(document, BW_M("schema", "bankwise.check/1"), BW_M("files", all->files),
           BW_M("files_without_expectations", all->bare), BW_M("expectations", all->expectations),
           BW_M("failed", all->failed), BW_M("accesses", all->accesses),
           BW_M("above_gate", all->above));
    bw_node *findings = bw_put_array(document, "findings");
    bw_node *warnings = bw_put_array(document, "warnings");
    for (size_t i = 0; i < all->count; i++)
        if (!all->items[i].error)
            put_finding(all->items[i].warning ? warnings : findings, &all->items[i]);
    return document;
}

static const bw_field columns[] = {BW_SAME("file"),  BW_SAME("line"),   BW_SAME("column"),
                                   BW_SAME("rule"),  BW_SAME("kernel"), BW_SAME("expected"),
                                   BW_SAME("found"), BW_SAME("message")};
#define COLUMNS (sizeof columns / sizeof *columns)

/* ---- SARIF ---- */

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

static void put_message(bw_node *parent, const char *name, const char *text)
{
    bw_put_text(bw_put_object(parent, name), "text", text);
}

/* What a result can be about: errors end a check without results. */
static void put_rules(bw_node *driver)
{
    bw_node *rules = bw_put_array(driver, "rules");
    for (unsigned i = 0; i < BW_MSG_COUNT; i++) {
        const bw_message *message = bw_message_of((bw_message_id)i);
        if (message->kind == BW_KIND_ERROR)
            continue;
        bw_node *rule = bw_put_object(rules, NULL);
        bw_put_text(rule, "id", message->id);
        put_message(rule, "shortDescription", message->line);
        bw_node *help = bw_put_object(rule, "help");
        BW_PUT(help, BW_M("text", bw_explanation((bw_message_id)i)),
               BW_M("markdown", bw_explanation((bw_message_id)i)));
    }
}

static void put_location(bw_node *result, const bw_finding *finding)
{
    bw_node *location = bw_put_object(bw_put_array(result, "locations"), NULL);
    bw_node *place = bw_put_object(location, "physicalLocation");
    bw_put_text(bw_put_object(place, "artifactLocation"), "uri",
                uri_of(result->arena, finding->file));
    if (!finding->placed)
        return;
    bw_node *region = bw_put_object(place, "region");
    BW_PUT(region, BW_M("startLine", finding->place.line), BW_M("startColumn", finding->character),
           BW_M("endColumn", finding->end_character));
}

static void put_result(bw_node *results, const bw_finding *finding)
{
    bw_node *result = bw_put_object(results, NULL);
    BW_PUT(result, BW_M("ruleId", name_of(finding)),
           BW_M("level", finding->warning ? "warning" : "error"));
    put_message(result, "message", finding->message);
    put_location(result, finding);
}

/* An error of the input is no result: the run itself could not do what it was to. */
static void put_notification(bw_node *notifications, const bw_finding *error)
{
    bw_node *notification = bw_put_object(notifications, NULL);
    bw_put_text(bw_put_object(notification, "descriptor"), "id", name_of(error));
    bw_put_text(notification, "level", "error");
    put_message(notification, "message", error->message);
    put_location(notification, error);
}

static void put_invocation(bw_node *run, const bw_findings *all)
{
    bw_node *invocation = bw_put_object(bw_put_array(run, "invocations"), NULL);
    bw_put_bool(invocation, "executionSuccessful", all->errors == 0);
    if (!all->errors)
        return;
    bw_node *notifications = bw_put_array(invocation, "toolExecutionNotifications");
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].error)
            put_notification(notifications, &all->items[i]);
}

static bw_node *sarif_of(bw_arena *arena, const bw_findings *all)
{
    bw_node *document = bw_node_object(arena);
    BW_PUT(document, BW_M("$schema", "https://json.schemastore.org/sarif-2.1.0.json"),
           BW_M("version", "2.1.0"));
    bw_node *run = bw_put_object(bw_put_array(document, "runs"), NULL);
    bw_node *driver = bw_put_object(bw_put_object(run, "tool"), "driver");
    BW_PUT(driver, BW_M("name", "bankwise"), BW_M("version", BANKWISE_VERSION));
    put_rules(driver);
    put_invocation(run, all);
    bw_put_text(run, "columnKind", "unicodeCodePoints");
    bw_node *results = bw_put_array(run, "results");
    for (size_t i = 0; i < all->count; i++)
        if (!all->items[i].error)
            put_result(results, &all->items[i]);
    return document;
}

/* ---- GitHub ---- */

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
        if (finding->placed)
            fprintf(out, ",line=%u,endLine=%u,col=%u,endColumn=%u", finding->place.line,
                    finding->place.line, finding->character, finding->end_character);
        fprintf(out, ",title=bankwise %s::", name_of(finding));
        write_escaped(out, finding->message, "%\r\n");
        putc('\n', out);
    }
}

void bw_findings_write(const bw_findings *all, const bw_args *args, FILE *out)
{
    bw_arena arena = {NULL};
    switch ((bw_format)args->values[BW_OPTION_FORMAT].number) {
    case BW_FORMAT_JSON: bw_node_json(document_of(&arena, all), out, BW_JSON_INDENTED); break;
    case BW_FORMAT_SARIF: bw_node_json(sarif_of(&arena, all), out, BW_JSON_INDENTED); break;
    case BW_FORMAT_CSV:
        bw_csv_header(columns, COLUMNS, out);
        bw_csv_rows(columns, COLUMNS, bw_node_at(document_of(&arena, all), "findings"), NULL, out);
        break;
    case BW_FORMAT_GITHUB: write_github(all, out); break;
    case BW_FORMAT_JUNIT: bw_findings_junit(all, out); break;
    case BW_FORMAT_TEXT:
        if (!args->values[BW_OPTION_QUIET].given)
            write_summary(all, args, out);
        break;
    }
    bw_arena_finish(&arena);
}
