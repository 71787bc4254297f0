/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the text of a kernel lacks and its cubin has: how parameters lie, and constants.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel_private.h"

static bool refuse(bw_kernel *k, bw_diags *diags, const char *what, const char *note)
{
    bw_note(diags,
            bw_diagnose(diags, BW_MSG_LAUNCH_CUBIN, NULL, (bw_span){0, 0}, "--cubin %s: %s",
                        k->options.cubin, what),
            "%s", note);
    return false;
}

static bool read_bytes(bw_kernel *k, bw_source *source, bw_diags *diags)
{
    const bw_host *host = &k->options.host;
    const char *error = "files cannot be read here";
    size_t len = 0;
    if (host->read_file)
        k->cubin_bytes = host->read_file(host->context, k->options.cubin, &len, &error);
    if (!k->cubin_bytes)
        return refuse(k, diags, error, "give the cubin that the text was made of");
    *source = (bw_source){k->options.cubin, k->cubin_bytes, len, NULL};
    return bw_is_cubin(source->text, len) ||
           refuse(k, diags, "this is no cubin",
                  "cuobjdump -xelf all FILE takes the cubins out of a program or an object");
}

/* The signature keeps the types that the name tells; the file has the places. */
static void complete(bw_kernel *k)
{
    const bw_cubin_kernel *from = k->of_cubin;
    bw_param *params = bw_arena_alloc(&k->arena, (from->param_count + 1) * sizeof *params);
    for (uint32_t i = 0; i < from->param_count; i++) {
        if (k->signature.known && i < k->signature.count)
            params[i] = k->signature.params[i];
        else
            params[i].type = bw_arena_format(&k->arena, "%u bytes", from->params[i].size);
        params[i].size = from->params[i].size;
        params[i].has_offset = true;
        params[i].offset = from->params[i].offset;
    }
    k->signature.params = params;
    k->signature.count = from->param_count;
    k->signature.known = true;
}

/* "tile" of "_ZZ2trPfPKfiE4tile", a variable of a function, and of "_ZN2ns4tileE"; else the name.
 */
static const char *plain_name(bw_arena *arena, const char *name)
{
    size_t len = strlen(name);
    if (strncmp(name, "_Z", 2) != 0)
        return name;
    len -= len > 2 && name[len - 1] == 'E' && name[2] == 'N';
    for (size_t at = 3; at < len; at++) {
        char *letters;
        unsigned long letter_count = strtoul(name + at, &letters, 10);
        bool begins = (name[at - 1] < '0' || name[at - 1] > '9') && letters > name + at;
        if (begins && (size_t)(letters - name) + letter_count == len)
            return bw_arena_copy(arena, letters, letter_count);
    }
    return name;
}

static void take_arrays(bw_kernel *k)
{
    const bw_cubin_kernel *from = k->of_cubin;
    k->arrays = bw_arena_alloc(&k->arena, (from->array_count + 1) * sizeof *k->arrays);
    for (uint32_t i = 0; i < from->array_count; i++)
        k->arrays[i] = (bw_shared_array){plain_name(&k->arena, from->arrays[i].name),
                                         from->arrays[i].base, from->arrays[i].bytes};
}

bool bw_kernel_cubin_read(bw_kernel *k, bw_diags *diags)
{
    bw_source source;
    if (!k->options.cubin)
        return true;
    if (!read_bytes(k, &source, diags))
        return false;
    k->cubin = bw_cubin_read(&source, diags);
    if (!k->cubin)
        return false;
    if (k->text->arch && strcmp(k->cubin->arch, k->text->arch) != 0)
        return refuse(k, diags,
                      bw_arena_format(&k->arena, "it is of %s, and the text of %s", k->cubin->arch,
                                      k->text->arch),
                      "give the cubin that the text was made of");
    for (size_t i = 0; i < k->cubin->count && !k->of_cubin; i++) {
        const bw_cubin_kernel *c = &k->cubin->kernels[i];
        bw_signature s = bw_signature_of(&k->arena, c->name);
        if (strcmp(c->name, k->text->name) == 0 || strcmp(s.readable, k->text->name) == 0)
            k->of_cubin = c;
    }
    if (!k->of_cubin)
        return refuse(k, diags,
                      bw_arena_format(&k->arena, "it has no kernel %s", k->signature.readable),
                      "give the cubin that the text was made of");
    complete(k);
    take_arrays(k);
    return true;
}

void bw_kernel_cubin_finish(bw_kernel *k)
{
    bw_cubin_destroy(k->cubin);
    free(k->cubin_bytes);
}

/* ---- files by themselves ---- */

bool bw_kernel_is_file(const char *bytes, size_t len)
{
    return bw_is_cubin(bytes, len);
}

bw_kernel_file *bw_kernel_file_read(const bw_source *source, bw_diags *diags)
{
    return bw_cubin_read(source, diags);
}

void bw_kernel_file_destroy(bw_kernel_file *file)
{
    bw_cubin_destroy(file);
}

const char *bw_kernel_file_arch(const bw_kernel_file *file)
{
    return file->arch;
}

const char *bw_kernel_file_name(const bw_kernel_file *file, size_t index)
{
    return index < file->count ? file->kernels[index].name : NULL;
}

size_t bw_kernel_file_size(const char *bytes, size_t len)
{
    return bw_cubin_size(bytes, len);
}

bool bw_kernel_file_has(const bw_kernel_file *file, const char *part)
{
    for (size_t i = 0; i < file->count; i++)
        if (!part || strstr(file->kernels[i].name, part))
            return true;
    return false;
}
