/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A measurement as JSON and as CSV.
 */
#include "measurement.h"

#include <inttypes.h>
#include <jansson.h>

#include "report.h"

#define REAL_DIGITS 12

/* ---- JSON ---- */

static json_t *count_of(bool known, uint64_t value)
{
    return known ? json_integer((json_int_t)value) : json_null();
}

static json_t *verdicts_of(const uint64_t counts[BW_VERDICTS])
{
    json_t *object = json_object();
    for (int i = 0; i < BW_VERDICTS; i++)
        json_object_set_new(object, bw_verdict_name((bw_verdict)i),
                            json_integer((json_int_t)counts[i]));
    return object;
}

static json_t *example_of(const bw_measurement *all, size_t index)
{
    if (index == BW_UNIQUE_NONE)
        return json_null();
    const bw_request *request = &all->requests.items[index].request;
    const bw_taken *taken = &all->taken[index];
    json_t *addresses = json_array();
    uint32_t lanes = bw_request_lanes(request);
    char mask[16];
    snprintf(mask, sizeof mask, "%08x", request->active);
    for (unsigned i = 0; i < BW_LANES; i++)
        json_array_append_new(addresses, lanes >> i & 1 ? json_integer((json_int_t)request->addr[i])
                                                        : json_null());
    return json_pack("{s:s,s:s,s:o,s:o,s:o}", "op", bw_op_get(request->op)->name, "active", mask,
                     "addresses", addresses, "cycles",
                     taken->has_cycles ? json_real(taken->cycles) : json_null(), "hw_wavefronts",
                     taken->has_wavefronts ? json_real(taken->wavefronts) : json_null());
}

static json_t *pair_of(uint64_t predicted, bool known, uint64_t measured)
{
    return json_pack("{s:I,s:o}", "predicted", (json_int_t)predicted, "measured",
                     count_of(known, measured));
}

static json_t *access_of(const bw_measurement *all, const bw_measured_access *access)
{
    return json_pack(
        "{s:i,s:i,s:o,s:o,s:s,s:s,s:o,s:I,s:I,s:o,s:o,s:o,s:o}", "line", (int)access->line,
        "column", (int)access->column, "source", bw_json_text(access->source), "array",
        bw_json_text(access->array), "op", bw_op_get(access->op)->name, "verdict",
        bw_verdict_name(access->verdict), "reason", bw_json_text(access->reason), "requests",
        (json_int_t)access->requests, "different", (json_int_t)access->own.count, "verdicts",
        verdicts_of(access->by_verdict), "wavefronts",
        pair_of(access->wavefronts, access->has_wavefronts, access->measured_wavefronts), "cycles",
        pair_of(access->cycles, access->has_cycles, access->measured_cycles), "example",
        example_of(all, access->example));
}

static json_t *launch_of(const bw_measurement *all, const bw_measured_launch *launch)
{
    json_t *accesses = json_array();
    for (size_t i = 0; i < launch->count; i++)
        json_array_append_new(accesses, access_of(all, &launch->accesses[i]));
    json_int_t seed = (json_int_t)all->args->values[BW_OPTION_SEED].number;
    return json_pack("{s:o,s:o,s:o,s:I,s:o,s:o,s:o,s:o}", "file", bw_json_text(launch->file),
                     "title", bw_json_text(launch->title), "kernel", bw_json_text(launch->kernel),
                     "launch", (json_int_t)launch->index + 1, "block", bw_json_shape(launch->block),
                     "grid", bw_json_shape(launch->grid), "seed",
                     launch->random ? json_integer(seed) : json_null(), "accesses", accesses);
}

void bw_measurement_json(const bw_measurement *all, FILE *out)
{
    json_t *launches = json_array();
    for (size_t i = 0; i < all->count; i++)
        json_array_append_new(launches, launch_of(all, &all->launches[i]));
    json_t *object =
        json_pack("{s:s,s:o,s:o,s:o,s:o,s:s,s:o,s:I,s:o,s:o,s:b}", "schema", "bankwise.measure/1",
                  "device", bw_json_text(all->device), "driver", bw_json_text(all->driver), "date",
                  bw_json_text(all->date), "recording", bw_json_text(all->recording), "arch",
                  all->arch->name, "note", bw_json_text(all->arch_note), "different_requests",
                  (json_int_t)all->requests.count, "verdicts", verdicts_of(all->by_verdict),
                  "launches", launches, "passed", (int)bw_measurement_passes(all));
    json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(REAL_DIGITS));
    fputc('\n', out);
    json_decref(object);
}

/* ---- CSV ---- */

static void write_count(FILE *out, bool known, uint64_t value)
{
    fputc(',', out);
    if (known)
        fprintf(out, "%" PRIu64, value);
}

static void write_row(FILE *out, const bw_measured_launch *launch, const bw_measured_access *access)
{
    bw_csv_text(out, launch->file);
    fprintf(out, ",%zu,", launch->index + 1);
    bw_csv_text(out, launch->kernel ? launch->kernel : "");
    fprintf(out, ",%u,%u,", access->line, access->column);
    bw_csv_text(out, access->source);
    fprintf(out, ",%s,%s", bw_op_get(access->op)->name, bw_verdict_name(access->verdict));
    write_count(out, true, access->requests);
    write_count(out, true, access->own.count);
    write_count(out, true, access->wavefronts);
    write_count(out, access->has_wavefronts, access->measured_wavefronts);
    write_count(out, true, access->cycles);
    write_count(out, access->has_cycles, access->measured_cycles);
    fputc(',', out);
    bw_csv_text(out, access->reason ? access->reason : "");
    fputc('\n', out);
}

void bw_measurement_csv(const bw_measurement *all, FILE *out)
{
    fputs("file,launch,kernel,line,column,source,op,verdict,requests,different,wavefronts,"
          "measured_wavefronts,cycles,measured_cycles,reason\n",
          out);
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->launches[i].count; k++)
            write_row(out, &all->launches[i], &all->launches[i].accesses[k]);
}
