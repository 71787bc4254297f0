/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * host_code: what the files of this room share.
 *
 * A variable of host code has a value only where every write to it is seen and none can be
 * elsewhere; host_changes.c says where that ends. parse_host.c reads statements, host_calls.c
 * functions and the calls between them. Internal to sim/pattern/host.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_HOST_CODE_H
#define BANKWISE_HOST_CODE_H

#include "definitions.h"
#include "hooks.h"
#include "index.h"
#include "launches.h"
#include "nodes.h"

/* A function of host code, or a template of one. */
typedef struct bw_host_function {
    const bw_token *name;
    size_t at;                   /* token index of its name */
    size_t body, end;            /* of "{", and after "}" */
    const bw_template *template; /* NULL: none */
    bw_scope *scope;             /* it stands in */
    bool launches;               /* itself, or by what it calls */
    bool called;                 /* by another that launches */
    bool followed;               /* its launches were read, for some arguments at the least */
    bool active;                 /* it is being read */
} bw_host_function;

/* More arguments without a value than this are not asked for. */
#define MOST_UNKNOWN 32

/* Functions that hand a reference on are looked through so deep. */
#define MOST_LOOKS 6

/* What host code knows of the file. */
struct bw_declared {
    uint32_t *at; /* token indices of names that may be declared as functions */
    uint32_t count;
    bw_index names;
    bw_host_function *functions;
    bw_index by_name; /* of the functions */
    size_t function_count, function_capacity;
    unsigned looking; /* bodies of functions that are looked into, each in another */
    unsigned depth;   /* of calls that are followed */
    const bw_token *unknown[MOST_UNKNOWN]; /* arguments of launches that have no value */
    unsigned unknown_count;
    bool jumps; /* the function that is read has a goto: no variable has a value */
};

/* ---- host_changes.c ---- */
/* What the room knows of the file; found when first asked for. */
bw_declared *bw_host_knowledge(bw_parser *p);
/* Tokens [from, to) may change variables: those have no value any longer. */
void bw_host_forget(bw_parser *p, size_t from, size_t to);
/* Variables at file scope that another function, or another file, may change have none. */
void bw_host_forget_shared(bw_parser *p);

/* ---- host_calls.c ---- */
void bw_host_add_function(bw_parser *p);
void bw_host_add_template(bw_parser *p, const bw_template *template);
/* Reads all launches of host code, after the file. */
void bw_host_finish(bw_parser *p);
/* Whether tokens [from, to) have a launch, or a call of a function that launches. */
bool bw_host_launches(bw_parser *p, size_t from, size_t to);
/* Tokens [from, to) do not run: nor what they call. */
void bw_host_pass_over(bw_parser *p, size_t from, size_t to);
/* The statement in tokens [from, to) calls a function that launches, which is read with the call's
 * arguments. False: it is no such call, or cannot be followed. */
bool bw_host_follow(bw_parser *p, size_t from, size_t to);

/* ---- parse_host.c ---- */
void bw_host_block(bw_parser *p); /* at "{" */
/* Declares a variable of the type, whose value is tokens [from, to) read in `scope`; none where
 * from == to. */
void bw_host_declare(bw_parser *p, const bw_specifiers *spec, const bw_token *name, size_t from,
                     size_t to, bw_scope *scope);
/* A dim3 whose value is tokens [from, to), read in `scope`. */
void bw_host_declare_dim3(bw_parser *p, const bw_token *name, size_t from, size_t to,
                          bw_scope *scope);
/* Asks for the arguments of launches that have no value. */
void bw_host_report_arguments(bw_parser *p);
/* Where the list of names of a declaration begins; 0 if no known type begins it. */
size_t bw_host_after_type(const bw_parser *p);

#endif
