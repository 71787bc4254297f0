/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree: tokens in, a typed tree out.
 *
 * What other rooms may know of this one: the tree (ast.h, type.h) and how it is read. It knows no
 * instructions and runs nothing. A tree lives in the arena that was given, but for its lists, which
 * bw_tree_finish frees. C++ beyond the language is left to the hooks: see hooks.h.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_TREE_H
#define BANKWISE_TREE_H

#include "ast.h"

/* A file as it was read. */
typedef struct bw_tree {
    bw_stmt *script;        /* statements at top level, or NULL */
    bw_function *functions; /* the last first */
    bw_ast_launch *launches;
    size_t launch_count, launch_capacity;
    bw_assume *assumes;
    size_t assume_count, assume_capacity;
    bw_parameter *parameters;
    size_t parameter_count, parameter_capacity;
    bw_span *statements; /* those of several lines */
    size_t statement_count, statement_capacity;
    bool is_random; /* some value is drawn */
} bw_tree;

/* What the rooms above the tree answer: see hooks.h. */
typedef struct bw_cxx_hooks bw_cxx_hooks;
typedef struct bw_host_hooks bw_host_hooks;

typedef struct bw_tree_input {
    bw_arena *arena;
    const bw_source *source;
    const bw_tokens *tokens;
    const bw_given *given;
    uint32_t block[3], grid[3]; /* of the file's launches; 0 in [0]: as they say */
    bool has_shared;            /* so is their dynamic shared memory */
    uint32_t shared;
    const char *kernel;            /* a name or a part of it: only those; NULL: all */
    const unsigned *launch_orders; /* of the texts after the file's, each of which is a launch */
    const bw_argument *arguments;  /* --arg */
    size_t argument_count;
    bool *used;          /* by argument: some launch has it */
    const bw_host *host; /* files that assumptions name */
    bool keeps_vectors;  /* ext_vector_type makes a vector, as HIP's compiler has it */
    const bw_cxx_hooks *cxx;
    const bw_host_hooks *host_code;
} bw_tree_input;

/* Reads the file and its assumptions into `tree`, which is empty before. Errors go to diags; what
 * was understood is there all the same. */
void bw_tree_read(bw_tree *tree, const bw_tree_input *input, bw_diags *diags);

/* A launch of the kernel as --launch takes it, with stand-ins for what is not known: template
 * arguments, and numbers ("_"). `block` may be 0 in [0]. In the arena. */
const char *bw_launch_advice(const bw_tree_input *input, const bw_function *kernel);
void bw_tree_finish(bw_tree *tree);

#endif
