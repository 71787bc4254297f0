/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cli.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int cli_open_card(uint64_t index, bw_card **card)
{
    char why[512];
    switch (bw_card_open((int)index, card, why, sizeof why)) {
    case BW_CARD_OK: return BW_EXIT_DONE;
    case BW_CARD_NONE: fprintf(stderr, "bankwise-gpu: skipped: %s\n", why); return BW_EXIT_SKIPPED;
    default: return cli_fail(BW_EXIT_INTERNAL, "%s", why);
    }
}

static bool is_stdout(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

bool cli_can_write(const char *path)
{
    if (is_stdout(path))
        return true;
    bool is_new = access(path, F_OK) != 0;
    FILE *file = fopen(path, "a"); /* what is there stays */
    if (!file) {
        cli_fail(0, "cannot write %s: %s", path, strerror(errno));
        return false;
    }
    fclose(file);
    if (is_new)
        remove(path);
    return true;
}

FILE *cli_output(const char *path)
{
    if (is_stdout(path))
        return stdout;
    FILE *file = fopen(path, "w");
    if (!file)
        cli_fail(0, "cannot write %s: %s", path, strerror(errno));
    return file;
}

bool cli_close(FILE *file, const char *path)
{
    bool ok = fflush(file) == 0 && !ferror(file);
    if (file != stdout && fclose(file) != 0)
        ok = false;
    if (!ok)
        cli_fail(0, "cannot write %s: %s", path ? path : "standard output", strerror(errno));
    return ok;
}

void cli_date(char text[32])
{
    time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc))
        strcpy(text, "unknown");
}

void cli_manifest(FILE *file, bw_card *card, const char *method, const char *command,
                  const char *note)
{
    const bw_card_facts *facts = bw_card_about(card);
    char date[32];
    cli_date(date);
    fprintf(file, "# recording: bankwise-gpu %s\n", BANKWISE_VERSION);
    fprintf(file, "# device: %s (sm_%d), %d SMs\n", facts->name, facts->cc, facts->sms);
    fprintf(file, "# driver: %s\n", facts->driver);
    fprintf(file, "# CUDA: runtime %d.%d, driver for %d.%d\n", facts->cuda_runtime / 1000,
            facts->cuda_runtime % 1000 / 10, facts->cuda_driver / 1000,
            facts->cuda_driver % 1000 / 10);
    fprintf(file, "# clock: %.0f MHz measured, %d MHz at the most; as found, never set\n",
            bw_card_clock(card), facts->sm_mhz);
    for (const char *line = method; line && *line;) {
        const char *end = strchr(line, '\n');
        int length = end ? (int)(end - line) : (int)strlen(line);
        fprintf(file, "# method: %.*s\n", length, line);
        line += length + (end != NULL);
    }
    fprintf(file, "# date: %s\n# command: %s\n", date, command);
    if (note)
        fprintf(file, "# %s\n", note);
}

void cli_json_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}
