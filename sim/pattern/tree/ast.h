/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ast: a pattern file as a typed tree.
 *
 * Plain data in the pattern's arena; the parser builds it, the generator reads it (and keeps its
 * storage decisions in symbols). Every node carries the stretch of source it came from.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_AST_H
#define BANKWISE_AST_H

#include "lex.h"
#include "program.h"
#include "type.h"

typedef struct bw_expr bw_expr;
typedef struct bw_stmt bw_stmt;
typedef struct bw_symbol bw_symbol;
typedef struct bw_function bw_function;
typedef struct bw_type_template bw_type_template;
typedef struct bw_type_instance bw_type_instance;
typedef struct bw_scope bw_scope;

typedef enum bw_binary {
    BW_ADD,
    BW_SUB,
    BW_MUL,
    BW_DIV,
    BW_REM,
    BW_AND,
    BW_OR,
    BW_XOR,
    BW_SHL,
    BW_SHR,
    BW_LT,
    BW_LE,
    BW_GT,
    BW_GE,
    BW_EQ,
    BW_NE,
    BW_BINARIES,
} bw_binary;

typedef enum bw_expr_kind {
    BW_EX_CONST,       /* integer or real, by type */
    BW_EX_STRING,      /* only printf, assert and asm take one */
    BW_EX_SYMBOL,      /* a variable or array */
    BW_EX_BUILTIN_VAR, /* threadIdx.x …: `special` */
    BW_EX_BINARY,      /* a op b: arithmetic and comparison */
    BW_EX_AND,         /* a && b */
    BW_EX_OR,          /* a || b */
    BW_EX_NOT,         /* !a */
    BW_EX_NEG,         /* -a */
    BW_EX_INVERT,      /* ~a */
    BW_EX_ASSIGN,      /* a = b, or a op= b where has_op */
    BW_EX_STEP,        /* a++ and the like */
    BW_EX_COND,        /* a ? yes : no */
    BW_EX_COMMA,       /* a, b */
    BW_EX_CAST,        /* (type)a */
    BW_EX_INDEX,       /* a[b]: a is an array lvalue or a pointer */
    BW_EX_MEMBER,      /* a.member */
    BW_EX_DEREF,       /* *a */
    BW_EX_ADDRESS,     /* &a */
    BW_EX_DECAY,       /* array a as a pointer to its first element */
    BW_EX_CALL,        /* a user's function */
    BW_EX_INTRINSIC,   /* a built-in function */
    BW_EX_LIST,        /* { … }: an item (or NULL for zero) a scalar leaf, see leaves */
} bw_expr_kind;

typedef enum bw_special {
    BW_THREAD_X,
    BW_THREAD_Y,
    BW_THREAD_Z,
    BW_BLOCK_X,
    BW_BLOCK_Y,
    BW_BLOCK_Z,
    BW_BLOCKDIM_X,
    BW_BLOCKDIM_Y,
    BW_BLOCKDIM_Z,
    BW_GRIDDIM_X,
    BW_GRIDDIM_Y,
    BW_GRIDDIM_Z,
    BW_LANE, /* lane of the warp */
    BW_RANK, /* linear thread index in the block */
    BW_SPECIALS,
} bw_special;

/* Which lane a shuffle takes its value from: the kinds of BW_IN_SHFL. */
typedef enum bw_shuffle {
    BW_SHUFFLE_INDEX,
    BW_SHUFFLE_UP,
    BW_SHUFFLE_DOWN,
    BW_SHUFFLE_XOR,
} bw_shuffle;

/* Of BW_IN_VOTE. */
typedef enum bw_vote {
    BW_VOTE_BALLOT,
    BW_VOTE_ANY,
    BW_VOTE_ALL,
    BW_VOTE_ACTIVE, /* the lanes that take part */
} bw_vote;

/* Of BW_IN_REDUCE. */
typedef enum bw_reduction {
    BW_REDUCE_ADD,
    BW_REDUCE_AND,
    BW_REDUCE_OR,
    BW_REDUCE_XOR,
    BW_REDUCE_MIN,
    BW_REDUCE_MAX,
} bw_reduction;

/* Of BW_IN_ROUND_INT. */
typedef enum bw_rounding {
    BW_ROUND_ZERO,
    BW_ROUND_NEAREST,
    BW_ROUND_DOWN,
    BW_ROUND_UP,
} bw_rounding;

/* Of BW_IN_FENCE: it orders the accesses of a thread; and more. */
#define BW_FENCE_WAITS 1   /* for other threads, in a way that is not followed */
#define BW_FENCE_FORGETS 2 /* somebody writes to shared memory, and it is not followed what */

/* What a built-in function does. Those with a comment take more than their arguments. */
typedef enum bw_intrinsic {
    BW_IN_SYNCTHREADS,
    BW_IN_FENCE,   /* __syncwarp and its like */
    BW_IN_NOP,     /* arguments are evaluated, nothing else happens */
    BW_IN_UNKNOWN, /* arguments are evaluated, the result is unknown */
    BW_IN_MIN,
    BW_IN_MAX,
    BW_IN_ABS,
    BW_IN_POPC,
    BW_IN_CLZ,
    BW_IN_FFS,
    BW_IN_BREV,
    BW_IN_NTH, /* args: bits, n: the position of the n-th set bit; its own lane where there is none
                */
    BW_IN_MULHI,
    BW_IN_MATH, /* number: bw_math_function */
    BW_IN_BITCAST,
    BW_IN_ROUND_INT,   /* float to int; number: bw_rounding */
    BW_IN_SHFL,        /* number: bw_shuffle; args: mask, value, lane, width */
    BW_IN_VOTE,        /* number: bw_vote; args: mask, predicate */
    BW_IN_MATCH,       /* args: mask, value: the lanes that hold the same */
    BW_IN_REDUCE,      /* number: bw_reduction; args: mask, value */
    BW_IN_MAKE,        /* a vector from its elements; one argument: all the same */
    BW_IN_EACH,        /* a vector from another, member by member converted */
    BW_IN_SWIZZLE,     /* number: bw_swizzle_pack */
    BW_IN_ATOMIC,      /* number: bw_atomic; args: address, value[, value] */
    BW_IN_MATRIX,      /* number: bw_op; args: address, then what is stored or loaded into */
    BW_IN_CP_ASYNC,    /* number: bw_op; args: shared address, global address, … */
    BW_IN_TO_SHARED,   /* generic pointer to a 32-bit shared address */
    BW_IN_DRAW,        /* number: bw_law; args: its parameters */
    BW_IN_FROM_SHARED, /* a 32-bit shared address or generic pointer to a pointer (asm) */
    BW_INTRINSICS
} bw_intrinsic;

/* `kind` says which part of the union holds, if any; an operator's first operand is `a`. */
struct bw_expr {
    bw_expr_kind kind;
    bool lvalue;
    const bw_type *type;
    bw_span span;
    bw_expr *a;
    union {
        int64_t integer;         /* CONST */
        double real;             /* CONST of a floating type */
        bw_symbol *symbol;       /* SYMBOL */
        bw_special special;      /* BUILTIN_VAR */
        const bw_member *member; /* MEMBER */
        uint32_t unit;           /* CAST: what its value is a multiple of; 0: nobody says */
        struct {                 /* BINARY, AND, OR, ASSIGN, COMMA, INDEX */
            bw_expr *b;
            const bw_type *work; /* BINARY, and ASSIGN with has_op: the type of the arithmetic */
            bw_binary op;
            bool has_op; /* ASSIGN */
        } binary;
        struct {
            bw_binary op; /* ADD or SUB */
            bool post;
        } step;
        struct {
            bw_expr *yes, *no;
        } cond;
        struct {
            bw_expr **args;
            uint32_t count;
            bw_function *function;
        } call;
        struct {
            bw_expr **args;
            uint32_t count;
            bw_intrinsic what;
            int number;
        } intrinsic;
        struct {
            bw_expr **items;
            uint32_t count;
        } list;
    };
};

/* The operands of an operator, from the left; returns how many: 0 for what is none. */
unsigned bw_operands(const bw_expr *e, const bw_expr *operands[3]);
/* The arguments of a call or a built-in function, or a list's items, which may be NULL. */
uint32_t bw_arguments(const bw_expr *e, bw_expr *const **arguments);

/* All that an expression is made of: its operands, or its arguments or items. */
typedef struct bw_children {
    const bw_expr *operands[3];
    bw_expr *const *arguments; /* NULL: they are operands */
    uint32_t count;
} bw_children;

bw_children bw_children_of(const bw_expr *e);

/* One of them, k < count; NULL: an item that is left out. */
static inline const bw_expr *bw_child(const bw_children *c, uint32_t k)
{
    return c->arguments ? c->arguments[k] : c->operands[k];
}

typedef enum bw_storage {
    BW_ST_NONE,
    BW_ST_REGISTER, /* a scalar nobody takes the address of */
    BW_ST_LOCAL,    /* in the lane's own memory */
    BW_ST_SHARED,
    BW_ST_GLOBAL, /* an array or pointer target of unknown (or assumed, or given) content */
} bw_storage;

typedef enum bw_symbol_kind {
    BW_SY_VARIABLE,
    BW_SY_CONSTANT, /* value */
    BW_SY_TYPE,
    BW_SY_FUNCTION,
    BW_SY_DIM3,     /* of host code */
    BW_SY_UNKNOWN,  /* a number of host code whose value is not known here */
    BW_SY_MEMBER,   /* in a struct's scope: stands for this->name */
    BW_SY_TEMPLATE, /* of a type */
} bw_symbol_kind;

/* `kind` says which part of the union holds; types and members have none. */
struct bw_symbol {
    bw_symbol *next;       /* in its scope */
    bw_symbol *next_alike; /* in its scope: whose name has a like hash */
    const char *name;
    const bw_type *type;
    bw_span span;
    uint32_t hash; /* of its name */
    bw_symbol_kind kind;
    bool is_const;   /* VARIABLE */
    bool is_mutable; /* of host code: a variable, which code there may change */
    bool is_local;   /* … and code of other files cannot */
    bool escaped;    /* … and code that is not seen can: it has no value again */
    union {
        struct { /* VARIABLE */
            bool is_extern, address_taken;
            bool is_reference; /* the storage holds an address */
            bool is_rvalue;    /* T &&: it binds to values too */
            bool is_volatile;  /* it, or what it points to */
            bool of_thread;    /* its first value is another in each thread */
            bool hinted;       /* a warning about it was given */
            bw_storage storage;
            uint32_t place;        /* register, local offset, shared offset or global object */
            const void *placed_in; /* SHARED: the code in which `place` holds */
            bw_expr **content;     /* GLOBAL with an initialiser: leaves */
            uint32_t content_count;
        };
        bw_expr *value;             /* CONSTANT and UNKNOWN */
        bw_function *function;      /* FUNCTION: the first of its name */
        bw_type_template *template; /* TEMPLATE */
        struct {                    /* DIM3 */
            uint32_t dims[3];
            const bw_token *unknown; /* what of its value is not known here; NULL: all is */
        };
    };
};

typedef enum bw_stmt_kind {
    BW_SM_EMPTY,
    BW_SM_EXPR,
    BW_SM_DECLARE, /* symbol, expr (NULL: none) */
    BW_SM_BLOCK,   /* body list */
    BW_SM_IF,      /* cond, body, other */
    BW_SM_LOOP,    /* init, cond, step, body: for and while */
    BW_SM_DO,      /* cond, body */
    BW_SM_SWITCH,  /* cond, body */
    BW_SM_CASE,    /* expr (NULL: default) */
    BW_SM_BREAK,
    BW_SM_CONTINUE,
    BW_SM_RETURN, /* expr or NULL */
} bw_stmt_kind;

struct bw_stmt {
    bw_stmt_kind kind;
    bw_span span;
    bw_stmt *next; /* in a block */
    union {
        struct { /* those that hold no statements */
            bw_expr *expr;
            bw_symbol *symbol;
        };
        struct { /* those that do */
            bw_expr *cond;
            bw_stmt *body;
            union {
                bw_stmt *other; /* IF */
                struct {        /* LOOP; DO has neither */
                    bw_stmt *init;
                    bw_expr *step;
                };
            };
        };
    };
};

typedef struct bw_template_parameter {
    const char *name;
    bool is_type;
    size_t default_at; /* token index of the default, 0 for none */
} bw_template_parameter;

typedef enum bw_template_kind { BW_TP_FUNCTION, BW_TP_KERNEL, BW_TP_TYPE } bw_template_kind;

/* What templates of all kinds have: what stands in their angle brackets, and where. */
typedef struct bw_template {
    bw_template_kind kind;
    const char *name; /* of what is made from it */
    bw_span span;
    bw_scope *scope; /* where it is defined: its names are looked up there */
    bw_template_parameter *parameters;
    uint32_t count;
    size_t header_at; /* token index after the parameters */
    size_t body_at;   /* of its definition; 0: declared only */
} bw_template;

typedef struct bw_template_value {
    const bw_type *type; /* is_type */
    bw_expr *value;      /* else a constant */
} bw_template_value;

/* template <…> struct NAME, and template <…> using NAME = TYPE */
struct bw_type_template {
    bw_template header;
    bool is_alias;
    bw_type_instance *instances;
};

/* NAME<…>, where that is a type. */
struct bw_type_instance {
    bw_type_instance *next;
    const char *full_name; /* with its arguments */
    bw_template_value *arguments;
    const bw_type *type; /* NULL: its text has not come so far */
};

/* A function; with a template and without arguments, a template of functions. */
struct bw_function {
    bw_function *next;          /* of the tree's functions */
    bw_function *next_overload; /* of the same name, with other parameters */
    const char *name;
    const char *full_name;                /* with template arguments */
    bool is_constexpr, returns_reference; /* then result is a pointer to what is returned */
    bool is_kernel, parsed, in_generation;
    bool is_method;       /* params[0] is a reference to the object, "this" */
    bool is_const_method; /* … which it does not change */
    bool is_generic;      /* a lambda with auto parameters: a template of their types */
    bw_symbol *made;      /* of a constructor: the object, which it returns */
    bw_span span;
    const bw_type *result;
    bw_symbol **params;
    bw_expr **defaults;
    uint32_t param_count;
    bw_stmt *body;
    bw_template *template;
    bw_template_value *arguments;           /* of an instance */
    bw_function *instances, *next_instance; /* of one template */
};

static inline bool bw_is_template(const bw_function *f)
{
    return f->template && !f->arguments;
}

/* What a struct declares beside its members. */
typedef struct bw_record {
    const bw_type *type; /* complete, while copies made inside its braces are not */
    bw_scope *scope;     /* its members, functions, constants and types */
    bw_function *constructors, *conversions;
    const size_t *defaults;           /* by member: where its default value stands, 0 for none */
    const bw_type_instance *instance; /* of a struct template: its arguments */
    bw_type_template *of;             /* … and the template */
    bool complete;                    /* all members are known */
    bool has_defaults;
    bool is_closure; /* a lambda: it has no state of its own */
    bool has_state;  /* but a mutable one that captures by value: it is not copied */
} bw_record;

/* A launch: kernel<<<grid, block, shared>>>(args). */
typedef struct bw_ast_launch {
    bw_function *kernel; /* NULL: the script */
    bw_span span;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
    bw_expr **args; /* constants; NULL for an opaque pointer or unknown value */
    uint32_t arg_count;
    unsigned order; /* among the options of the command line; 0: the file's */
    bool implied;   /* nothing launches the kernel: --block does */
    size_t nth;     /* in the order in which they were read */
} bw_ast_launch;

typedef struct bw_assume {
    const char *name;
    bw_span span; /* of the name */
    bw_expr *law; /* over symbol `index`; NULL for a table */
    bw_symbol *index;
    double *table;
    size_t table_count;
    bool used;
} bw_assume;

/* A swizzle: `bits` bits from bit `to` on are xored with those from bit `from` on. */
typedef struct bw_swizzle_bits {
    uint8_t to, bits, from;
} bw_swizzle_bits;

static inline int bw_swizzle_pack(bw_swizzle_bits s)
{
    return s.to | s.bits << 8 | s.from << 16;
}

static inline bw_swizzle_bits bw_swizzle_unpack(int number)
{
    return (bw_swizzle_bits){(uint8_t)(number & 0xff), (uint8_t)(number >> 8 & 0xff),
                             (uint8_t)(number >> 16 & 0xff)};
}

/* What was reported already: nothing that follows from it is. */
static inline bool bw_is_error(const bw_expr *e)
{
    return e->type->kind == BW_TY_ERROR;
}

/* A number known while parsing. */
static inline bool bw_is_constant(const bw_expr *e)
{
    return e->kind == BW_EX_CONST && e->type->kind != BW_TY_ERROR;
}

#endif
