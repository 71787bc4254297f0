/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document.h"

#include <string.h>

static bw_node *new_node(bw_arena *arena, bw_node_kind kind, const char *name)
{
    bw_node *node = bw_arena_alloc(arena, sizeof *node);
    *node = (bw_node){.kind = kind, .name = name, .arena = arena};
    return node;
}

static void append(bw_node *parent, bw_node *node)
{
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    parent->count++;
}

static bw_node *put(bw_node *parent, bw_node_kind kind, const char *name)
{
    bw_node *node = new_node(parent->arena, kind, name);
    append(parent, node);
    return node;
}

bw_node *bw_node_object(bw_arena *arena)
{
    return new_node(arena, BW_NODE_OBJECT, NULL);
}

bw_node *bw_node_array(bw_arena *arena)
{
    return new_node(arena, BW_NODE_ARRAY, NULL);
}

bw_node *bw_put_object(bw_node *parent, const char *name)
{
    return put(parent, BW_NODE_OBJECT, name);
}

bw_node *bw_put_array(bw_node *parent, const char *name)
{
    return put(parent, BW_NODE_ARRAY, name);
}

void bw_put_null(bw_node *parent, const char *name)
{
    put(parent, BW_NODE_NULL, name);
}

void bw_put_bool(bw_node *parent, const char *name, bool truth)
{
    put(parent, BW_NODE_BOOL, name)->truth = truth;
}

void bw_put_integer(bw_node *parent, const char *name, int64_t integer)
{
    put(parent, BW_NODE_INTEGER, name)->integer = integer;
}

void bw_put_real(bw_node *parent, const char *name, double real)
{
    put(parent, BW_NODE_REAL, name)->real = real;
}

void bw_put_text(bw_node *parent, const char *name, const char *text)
{
    if (text)
        put(parent, BW_NODE_TEXT, name)->text = bw_arena_copy(parent->arena, text, strlen(text));
    else
        bw_put_null(parent, name);
}

void bw_put_members(bw_node *parent, const bw_member *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        switch (members[i].kind) {
        case BW_NODE_BOOL: bw_put_bool(parent, members[i].name, members[i].integer); break;
        case BW_NODE_INTEGER: bw_put_integer(parent, members[i].name, members[i].integer); break;
        case BW_NODE_REAL: bw_put_real(parent, members[i].name, members[i].real); break;
        default: bw_put_text(parent, members[i].name, members[i].text); break;
        }
}

void bw_put_number(bw_node *parent, const char *name, double number)
{
    if (number > -0x1p63 && number < 0x1p63 && number == (double)(int64_t)number)
        bw_put_integer(parent, name, (int64_t)number);
    else
        bw_put_real(parent, name, number);
}

void bw_put_mean(bw_node *parent, const char *name, uint64_t sum, uint64_t parts)
{
    if (sum % parts == 0)
        bw_put_integer(parent, name, (int64_t)(sum / parts));
    else
        bw_put_real(parent, name, (double)sum / (double)parts);
}

void bw_put_count(bw_node *parent, const char *name, bool known, uint64_t count)
{
    if (known)
        bw_put_integer(parent, name, (int64_t)count);
    else
        bw_put_null(parent, name);
}

void bw_put_known(bw_node *parent, const char *name, bool known, double real)
{
    if (known)
        bw_put_real(parent, name, real);
    else
        bw_put_null(parent, name);
}

void bw_put_node(bw_node *parent, const char *name, bw_node *node)
{
    node->name = name;
    append(parent, node);
}

void bw_put_shape(bw_node *parent, const char *name, const uint32_t shape[3])
{
    bw_node *array = bw_put_array(parent, name);
    for (int i = 0; i < 3; i++)
        bw_put_integer(array, NULL, shape[i]);
}

void bw_put_addresses(bw_node *parent, const char *name, const bw_request *request)
{
    bw_node *array = bw_put_array(parent, name);
    uint32_t lanes = bw_request_lanes(request);
    for (unsigned i = 0; i < BW_LANES; i++)
        bw_put_count(array, NULL, lanes >> i & 1, request->addr[i]);
}

void bw_put_request(bw_node *parent, const bw_request *request)
{
    char mask[16];
    snprintf(mask, sizeof mask, "%08x", request->active);
    bw_put_text(parent, "op", bw_op_get(request->op)->name);
    bw_put_text(parent, "active", mask);
    bw_put_addresses(parent, "addresses", request);
}

const bw_node *bw_node_at(const bw_node *from, const char *path)
{
    while (from && from->kind != BW_NODE_NULL && *path) {
        size_t len = strcspn(path, "/");
        const bw_node *member = from->kind == BW_NODE_OBJECT ? from->first : NULL;
        while (member && (strncmp(member->name, path, len) != 0 || member->name[len]))
            member = member->next;
        from = member;
        path += len + (path[len] == '/');
    }
    return from;
}

double bw_node_number(const bw_node *node)
{
    if (node && node->kind == BW_NODE_INTEGER)
        return (double)node->integer;
    return node && node->kind == BW_NODE_REAL ? node->real : 0;
}
