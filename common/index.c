/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "index.h"

#define FIRST_CAPACITY 64

/* FNV-1a */
uint32_t bw_hash_text(const char *text, size_t len)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

uint32_t bw_hash_number(uint32_t hash, uint64_t number)
{
    uint64_t mixed = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mixed >> 32);
}

uint32_t bw_index_next(const bw_index *index, uint32_t hash, size_t *at)
{
    for (; index->capacity; ++*at) {
        const bw_index_slot *slot = &index->slots[(hash + *at) & (index->capacity - 1)];
        if (!slot->row)
            return BW_NO_ROW;
        if (slot->hash == hash) {
            ++*at;
            return slot->row - 1;
        }
    }
    return BW_NO_ROW;
}

static void put(bw_index *index, uint32_t hash, uint32_t row)
{
    size_t mask = index->capacity - 1, i = hash & mask;
    while (index->slots[i].row)
        i = (i + 1) & mask;
    index->slots[i] = (bw_index_slot){hash, row + 1};
}

/* Twice the slots; rows of one hash stay in their order. */
static void grow(bw_arena *arena, bw_index *index)
{
    bw_index old = *index;
    index->capacity = old.capacity ? 2 * old.capacity : FIRST_CAPACITY;
    index->slots = bw_arena_alloc(arena, index->capacity * sizeof *index->slots);
    size_t first = 0; /* after a free slot, so that no run of slots is cut in two */
    while (first < old.capacity && old.slots[first].row)
        first++;
    for (size_t i = 0; i < old.capacity; i++) {
        const bw_index_slot *slot = &old.slots[(first + i) & (old.capacity - 1)];
        if (slot->row)
            put(index, slot->hash, slot->row - 1);
    }
}

void bw_index_add(bw_arena *arena, bw_index *index, uint32_t hash, uint32_t row)
{
    if (2 * index->count >= index->capacity)
        grow(arena, index);
    put(index, hash, row);
    index->count++;
}
