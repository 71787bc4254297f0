/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "option_values.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

/* Digits only: no sign, no space, no overflow. *end is the first byte that is no digit. */
static bool read_number(const char *text, uint64_t *number, const char **end)
{
    if (!isdigit((unsigned char)*text))
        return false;
    char *stop;
    errno = 0;
    unsigned long long value = strtoull(text, &stop, 10);
    *number = value;
    *end = stop;
    return errno == 0;
}

bool bw_bad_value(bw_message_id id, const bw_option *option, const char *text, const char *what,
                  const char *note)
{
    bw_complain(id, note, "--%s: '%s' %s", option->name, text, what);
    return false;
}

static bool in_range(const bw_option *option, const char *text, uint64_t number)
{
    if (number >= option->min && number <= option->max)
        return true;
    bw_complain(BW_MSG_OPTION_RANGE, NULL, "--%s: '%s' is out of range: %llu to %llu", option->name,
                text, (unsigned long long)option->min, (unsigned long long)option->max);
    return false;
}

static bool read_plain(const bw_option *option, const char *text, bw_value *value)
{
    const char *end;
    if (!read_number(text, &value->number, &end) || *end)
        return bw_bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a whole number", NULL);
    return in_range(option, text, value->number);
}

static bool read_line(const bw_option *option, const char *text, bw_value *value)
{
    if (strncmp(text, "0x", 2) != 0)
        return read_plain(option, text, value);
    char *end;
    value->number = strtoull(text, &end, 16);
    if (text[2 + strspn(text + 2, "0123456789abcdefABCDEF")] || end == text + 2)
        return bw_bad_value(BW_MSG_OPTION_VALUE, option, text, "is no address",
                            "write it as the table of predict does: 0x0ee0");
    return true;
}

/* Digits, a point and digits, a sign: no locale, no exponent. */
static bool read_percent(const bw_option *option, const char *text, bw_value *value)
{
    size_t whole = strspn(text, "0123456789"), length = whole;
    if (text[length] == '.')
        length += 1 + strspn(text + length + 1, "0123456789");
    if (!whole || length > 20 || (text[length] && strcmp(text + length, "%") != 0))
        return bw_bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a percentage",
                            "write it as 99.5");
    value->real = strtod(text, NULL);
    if (value->real < (double)option->min || value->real > (double)option->max)
        return bw_bad_value(BW_MSG_OPTION_RANGE, option, text, "is out of range: 0 to 100", NULL);
    return true;
}

static bool read_ways(const bw_option *option, const char *text, bw_value *value)
{
    const char *end;
    if (!read_number(text, &value->number, &end) || (*end && strcmp(end, "-way") != 0))
        return bw_bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a degree",
                            "write a degree as 2-way");
    return in_range(option, text, value->number);
}

static bool read_size(const bw_option *option, const char *text, bw_value *value)
{
    static const char units[] = "KMG";
    const char *end;
    const char *note = "write bytes, or a number with K, M or G: 512M";
    if (!read_number(text, &value->number, &end))
        return bw_bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a size", note);
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (*end && (!unit || end[1]))
        return bw_bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a size", note);
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (value->number > option->max >> shift)
        return bw_bad_value(BW_MSG_OPTION_RANGE, option, text, "is too large", note);
    value->number <<= shift;
    return in_range(option, text, value->number);
}

static bool read_choice(const bw_option *option, const char *text, bw_value *value)
{
    size_t length = strlen(text);
    uint64_t index = 0;
    for (const char *p = option->choices; *p; index++) {
        size_t width = strcspn(p, "|");
        if (width == length && memcmp(p, text, length) == 0) {
            value->number = index;
            return true;
        }
        p += width + (p[width] == '|');
    }
    bw_complain(BW_MSG_OPTION_VALUE, NULL, "--%s: '%s' is none of %s", option->name, text,
                option->choices);
    return false;
}

/* N, NxN or NxNxN, each from 1 to its limit. */
static bool read_shape(const bw_option *option, const char *text, const uint32_t limit[3],
                       const char *note, uint32_t shape[3])
{
    const char *p = text;
    shape[0] = shape[1] = shape[2] = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t number;
        const char *end;
        if (!read_number(p, &number, &end) && !isdigit((unsigned char)*p))
            return bw_bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a shape", note);
        if (number < 1 || number > limit[i])
            return bw_bad_value(BW_MSG_OPTION_RANGE, option, text, "is out of range", note);
        shape[i] = (uint32_t)number;
        if (!*end)
            return true;
        if (*end != 'x')
            return bw_bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a shape", note);
        p = end + 1;
    }
    return bw_bad_value(BW_MSG_OPTION_VALUE, option, text, "has more than three dimensions", note);
}

/* Limits: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; a block
 * had 512 threads on cc 1.x, which the pattern language knows. */
static bool read_block(const bw_option *option, const char *text, uint32_t shape[3])
{
    static const uint32_t limit[3] = {1024, 1024, 64};
    const char *note = "write threads as 256, 32x8 or 8x8x4: at most 1024 in all, and 64 in z";
    if (!read_shape(option, text, limit, note, shape))
        return false;
    if (shape[0] * shape[1] * shape[2] > 1024)
        return bw_bad_value(BW_MSG_OPTION_RANGE, option, text, "has more than 1024 threads", note);
    return true;
}

static bool read_grid(const bw_option *option, const char *text, uint32_t shape[3])
{
    static const uint32_t limit[3] = {INT32_MAX, 65535, 65535};
    return read_shape(option, text, limit,
                      "write blocks as 1024, 32x32 or 8x8x8: x to 2147483647, y and z to 65535",
                      shape);
}

bool bw_shape_read(bw_option_id id, const char *text, uint32_t shape[3])
{
    const bw_option *option = bw_option_at(0);
    while (option->id != id)
        option++;
    return option->type == BW_TYPE_BLOCK ? read_block(option, text, shape)
                                         : read_grid(option, text, shape);
}

/* All names, for those who mistyped one. */
static bool unknown_arch(const bw_option *option, const char *text)
{
    bw_complain(BW_MSG_UNKNOWN_ARCHITECTURE, NULL, "--%s: no architecture '%s'", option->name,
                text);
    fputs("note: known are:", stderr);
    unsigned column = 16;
    for (size_t i = 0; i < bw_arch_count(); i++) {
        const char *name = bw_arch_at(i)->name;
        column += (unsigned)strlen(name) + 1;
        if (column > 78) {
            fputs("\n     ", stderr);
            column = 5 + (unsigned)strlen(name) + 1;
        }
        fprintf(stderr, " %s", name);
    }
    fputc('\n', stderr);
    return false;
}

static bool read_arch(const bw_option *option, const char *text, bw_value *value)
{
    value->arch = bw_arch_find(text);
    return value->arch ? true : unknown_arch(option, text);
}

static size_t identifier_length(const char *text)
{
    size_t length = 0;
    if (isdigit((unsigned char)*text))
        return 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

bool bw_is_range(const char *value)
{
    bool several = strchr(value, ':') || strchr(value, ',');
    return several && !value[strspn(value, "0123456789abcdefxABCDEFX-+:,")] &&
           (isdigit((unsigned char)*value) || *value == '-');
}

static bool read_define(bw_args *args, const bw_option *option, const char *text)
{
    size_t length = identifier_length(text);
    bool alone = length && !text[length];
    if (!length || (!alone && text[length] != '='))
        return bw_bad_value(BW_MSG_OPTION_VALUE, option, text, "is not NAME=VALUE",
                            "write -D STRIDE=3");
    const char *name = bw_arena_copy(&args->arena, text, length);
    const char *value = alone ? "1" : text + length + 1;
    if (strpbrk(value, ":,") && args->command->id != BW_COMMAND_SWEEP)
        return bw_bad_value(BW_MSG_RANGE_OUTSIDE_SWEEP, option, text,
                            strchr(value, ':') ? "gives a range" : "gives a list",
                            "'bankwise sweep' takes ranges and lists");
    for (size_t i = 0; i < args->define_count; i++)
        if (strcmp(args->defines[i].name, name) == 0) {
            args->defines[i].value = value; /* the last word counts */
            return true;
        }
    args->defines = bw_realloc(args->defines, (args->define_count + 1) * sizeof *args->defines);
    args->defines[args->define_count++] = (bw_define){name, value};
    return true;
}

/* An argument or data of a launch: what it is for, and its value; both are read with the kernel,
 * where types are known. The last word about a place counts. */
static bool read_binding(bw_args *args, const bw_option *option, const char *text)
{
    bool data = option->id == BW_OPTION_DATA;
    size_t length = strcspn(text, "=");
    if (!length || !text[length] || !text[length + 1])
        return bw_bad_value(BW_MSG_OPTION_VALUE, option, text,
                            data ? "is not PLACE=LAW" : "is not PLACE=VALUE",
                            data ? "write --data 2=zero" : "write --arg 3=4096");
    const char *target = bw_arena_copy(&args->arena, text, length);
    const char *value = text + length + 1;
    if (!data && args->command->id != BW_COMMAND_SWEEP && strchr(value, ':') && bw_is_range(value))
        return bw_bad_value(BW_MSG_RANGE_OUTSIDE_SWEEP, option, text, "gives a range",
                            "'bankwise sweep' takes ranges");
    bw_args_bind(args, data, target, value);
    return true;
}

static bool read_launch(bw_args *args, const bw_option *option, const char *text)
{
    if (!strstr(text, "<<<"))
        return bw_bad_value(BW_MSG_OPTION_VALUE, option, text, "is no launch",
                            "write --launch 'kernel<<<grid, block>>>(arguments)'");
    bw_args_add_launch(args, "--launch", text);
    return true;
}

static bool is_warning(bw_message_id id)
{
    return id != BW_MSG_COUNT && bw_message_of(id)->kind == BW_KIND_WARNING;
}

static bool unknown_warning(bw_args *args, const bw_option *option, const char *text)
{
    const char *note = "they are:";
    for (unsigned i = 0; i < BW_MSG_COUNT; i++)
        if (is_warning(i))
            note = bw_arena_format(&args->arena, "%s no-%s", note, bw_message_of(i)->id);
    return bw_bad_value(BW_MSG_UNKNOWN_WARNING, option, text, "is no warning", note);
}

/* The last word about a warning counts. */
static bool read_warning(bw_args *args, const bw_option *option, const char *text)
{
    bool off = strncmp(text, "no-", 3) == 0;
    bw_message_id id = bw_message_find(off ? text + 3 : text);
    if (!is_warning(id))
        return unknown_warning(args, option, text);
    args->silent[id] = off;
    return true;
}

bool bw_option_read(bw_args *args, const bw_option *option, const char *text)
{
    bw_value *value = &args->values[option->id];
    bool repeated = option->type == BW_TYPE_DEFINE || option->type == BW_TYPE_WARNING ||
                    option->type == BW_TYPE_BINDING || option->type == BW_TYPE_LAUNCH ||
                    option->type == BW_TYPE_LIST;
    if (value->given && !repeated) {
        bw_complain(BW_MSG_OPTION_TWICE, "give it once", "--%s is given twice", option->name);
        return false;
    }
    value->given = true;
    value->text = text;
    switch (option->type) {
    case BW_TYPE_FLAG: return true;
    case BW_TYPE_LIST:
    case BW_TYPE_FILE:
        if (*text && option->type == BW_TYPE_LIST)
            return bw_list_read(args, text);
        return *text ? true
                     : bw_bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a file name", NULL);
    case BW_TYPE_NUMBER: return read_plain(option, text, value);
    case BW_TYPE_LINE: return read_line(option, text, value);
    case BW_TYPE_PERCENT: return read_percent(option, text, value);
    case BW_TYPE_WAYS: return read_ways(option, text, value);
    case BW_TYPE_SIZE: return read_size(option, text, value);
    case BW_TYPE_CHOICE: return read_choice(option, text, value);
    case BW_TYPE_BLOCK:
    case BW_TYPE_GRID: /* names in braces get their values with the machine code */
        return strchr(text, '{') || bw_shape_read(option->id, text, value->shape);
    case BW_TYPE_TEXT:
        return *text ? true : bw_bad_value(BW_MSG_OPTION_VALUE, option, text, "is no name", NULL);
    case BW_TYPE_WARNING: return read_warning(args, option, text);
    case BW_TYPE_DEFINE: return read_define(args, option, text);
    case BW_TYPE_BINDING: return read_binding(args, option, text);
    case BW_TYPE_LAUNCH: return read_launch(args, option, text);
    case BW_TYPE_ARCH: return read_arch(option, text, value);
    }
    return false;
}
