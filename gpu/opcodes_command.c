/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bankwise-gpu opcodes: runs the opcode kernels and writes what they computed.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "opcodes.h"

/* The results of this seed are written whole; those of the other, on more operands, as a number
 * that changes with each of them. */
#define SEED_WHOLE 1u
#define SEED_WIDE 2u
#define TIMES_WIDE 16u

static size_t words_of(const bw_opcodes *row, unsigned times)
{
    return (size_t)row->grid * times * row->block * row->slots;
}

/* FNV-1a over the bytes, low first, of one slot of all operands. */
static uint64_t digest(const uint32_t *out, size_t words, unsigned slots, unsigned slot)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t at = slot; at < words; at += slots)
        for (unsigned byte = 0; byte < 4; byte++)
            hash = (hash ^ (out[at] >> (8 * byte) & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

static FILE *open_in(const char *folder, const char *name, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    FILE *file = fopen(path, "wb");
    if (!file)
        cli_fail(0, "cannot write %s: %s", path, strerror(errno));
    return file;
}

/* The words, low byte first. */
static bool write_words(const char *folder, const char *name, const uint32_t *out, size_t words)
{
    FILE *file = open_in(folder, name, ".out");
    if (!file)
        return false;
    for (size_t i = 0; i < words; i++)
        for (unsigned byte = 0; byte < 4; byte++)
            putc((int)(out[i] >> (8 * byte) & 0xff), file);
    return cli_close(file, name);
}

/* A slot's expression as a CSV field: it holds commas, and its quotes are doubled. */
static void write_slot(FILE *slots, const bw_opcodes *row, unsigned slot, uint64_t hash)
{
    fprintf(slots, "%s,%u,%016llx,\"", row->name, slot, (unsigned long long)hash);
    for (const char *c = row->names[slot]; c && *c; c++)
        fprintf(slots, *c == '"' ? "\"\"" : "%c", *c);
    fputs("\"\n", slots);
}

static bool record(bw_card *card, const bw_opcodes *row, const char *folder, FILE *kernels,
                   FILE *slots)
{
    const size_t wide = words_of(row, TIMES_WIDE);
    uint32_t *out = malloc(wide * sizeof *out);
    if (!out)
        return !cli_fail(1, "out of memory");
    fprintf(kernels, "%s,op_%s,%s,%u,%u,%u,%u\n", row->name, row->name,
            bw_operands_name(row->operands), row->grid, row->block, row->slots, row->least);
    bool ok = bw_opcodes_run(card, row, SEED_WHOLE, 1, out) &&
              write_words(folder, row->name, out, words_of(row, 1)) &&
              bw_opcodes_run(card, row, SEED_WIDE, TIMES_WIDE, out);
    for (unsigned slot = 0; ok && slot < row->slots; slot++)
        write_slot(slots, row, slot, digest(out, wide, row->slots, slot));
    free(out);
    return ok;
}

static bool record_all(bw_card *card, const char *folder, const cli_args *args)
{
    FILE *kernels = open_in(folder, "kernels", ".csv"), *slots = open_in(folder, "slots", ".csv");
    bool ok = kernels && slots;
    if (ok) {
        cli_manifest(kernels, card, "each kernel on the operands of seed 1, NAME.out",
                     args->command, args->values[CLI_NOTE].text);
        fputs("name,kernel,operands,grid,block,slots,least_cc\n", kernels);
        cli_manifest(slots, card,
                     "16 times the grid on the operands of seed 2: FNV-1a of each slot",
                     args->command, args->values[CLI_NOTE].text);
        fputs("name,slot,digest,expression\n", slots);
    }
    for (size_t i = 0; ok && bw_opcodes_at(i); i++)
        if ((int)bw_opcodes_at(i)->least <= bw_card_about(card)->cc)
            ok = record(card, bw_opcodes_at(i), folder, kernels, slots);
    ok = kernels && cli_close(kernels, "kernels.csv") && ok;
    return slots && cli_close(slots, "slots.csv") && ok;
}

int cli_opcodes(int argc, char **argv)
{
    cli_args args;
    bw_card *card;
    int code = cli_args_read(&args, CLI_OPCODES, argc, argv);
    const char *folder = args.files[0];
    if (code >= 0)
        return code;
    if (!folder)
        return cli_fail(BW_EXIT_USAGE, "opcodes wants a folder to write into");
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_fail(BW_EXIT_USAGE, "cannot make the folder %s: %s", folder, strerror(errno));
    code = cli_open_card(args.values[CLI_DEVICE].number, &card);
    if (code != BW_EXIT_DONE)
        return code;
    if (!record_all(card, folder, &args))
        code = *bw_opcodes_why(card) ? cli_fail(BW_EXIT_INTERNAL, "%s", bw_opcodes_why(card))
                                     : BW_EXIT_USAGE;
    bw_card_close(card);
    return code;
}
