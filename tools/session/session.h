/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session: one pattern file or request stream, read, parsed and ready to run.
 *
 * Owns the text, the program, its diagnostics and the random generator. Finds stock patterns by
 * name. It knows no report and no output format; diagnostics wait in `diags` until they are shown.
 * A session belongs to one thread; several sessions are independent.
 */
#ifndef BANKWISE_SESSION_H
#define BANKWISE_SESSION_H

#include "laws.h"
#include "options.h"
#include "process.h"

/* A text with where it came from. */
typedef struct bw_input {
    bw_source source; /* name: as the user gave it, a stock pattern's with its ending */
    char *path;       /* of the file that was opened; NULL for standard input and given texts */
    bool folder;      /* `path` is a folder, to be searched for compiled kernels */
} bw_input;

/* Which kernel of machine code, and its shape, where a caller knows better than the options. */
typedef struct bw_launch_choice {
    size_t nth;                 /* of the kernels in the text, from 1; 0: as --kernel says */
    uint32_t block[3], grid[3]; /* 0 in [0]: not known; --block and --grid win */
    uint32_t shared;            /* bytes of a block; 0: not known; --shared wins */
    const bw_arch *arch;        /* NULL: not known; --arch wins */
} bw_launch_choice;

typedef struct bw_session {
    const bw_args *args;
    bw_input input;
    bw_diags diags;
    bw_laws *laws;
    bw_program *program;
    const bw_define *defines; /* those of args unless a caller (a sweep) sets others */
    size_t define_count;
    const bw_argument *arguments;   /* --arg, as many as of args; NULL: those of args */
    const bw_launch_choice *choice; /* NULL: none */
    bw_source compiled;      /* the source that the input was compiled from; text NULL: none */
    const char *cubin;       /* of a binary: the path of what its text was made of; NULL: none */
    bw_launch_choice beside; /* what a file beside the cubin says of its launches; or all zero */
    bw_scratch scratch;      /* where it lies, if it was taken out of another file */
    bool said_command;       /* how to take the source as machine code was said */
    bw_arena arena;
} bw_session;

/* Files larger than this are no pattern files: 64 MiB. */
#define BW_INPUT_MAX ((size_t)64 << 20)

/*
 * Reads `path` ("-": standard input; a bare name that is no file: a stock pattern) into `input`.
 * False after an error, which was printed. bw_input_finish frees it.
 */
bool bw_input_read(bw_input *input, const char *path);
/* The same, but that a folder is taken as well: one where compiled kernels may lie. */
bool bw_input_open(bw_input *input, const char *path);
/* Whether it is a request stream or recording, not a pattern file; see bankwise-recording(5). */
bool bw_input_is_stream(const bw_input *input);
/* Whether it is machine code: a binary, or what cuobjdump, nvdisasm or Nsight Compute print. */
bool bw_input_is_machine(const bw_input *input);
void bw_input_finish(bw_input *input);
/* A file's bytes, at most `limit`, malloc'd, and a zero byte after them; NULL with errno set. */
char *bw_file_read(const char *path, size_t limit, size_t *len);

/* Takes a copy of a text, named `name`, whose table files are beside `path` (or NULL). */
void bw_input_set(bw_input *input, const char *name, const char *path, const char *text,
                  size_t len);

/*
 * Parses session->input under args and session->defines. False where the pattern has errors; they
 * are in session->diags. Begin with a zeroed session; set args and input (and defines) first, or
 * call bw_session_open, which does.
 */
bool bw_session_parse(bw_session *session);

/* The options under which the session parses: for those who parse a text of their own. Gives the
 * session its random generator. */
bw_pattern_options bw_session_options(bw_session *session);

/* The arguments in force. */
const bw_argument *bw_session_arguments(const bw_session *session);

/* Where the input is a binary, or a source that is to be compiled, it becomes the text of its
 * machine code. False after an error, which was said or is in session->diags. Before
 * bw_session_parse. */
bool bw_session_take_binary(bw_session *session);

/* Reads and parses `path`; shows all diagnostics. BW_EXIT_DONE or BW_EXIT_USAGE. */
bw_exit bw_session_open(bw_session *session, const bw_args *args, const char *path);
/* Prints the diagnostics that were collected to standard error, and forgets them. */
void bw_session_show(bw_session *session);
/* The line that --line chooses: where it gives an address, the line of the instruction there, or
 * one past all lines. 0: none is chosen. After the parsing. */
unsigned bw_session_line(const bw_session *session);
void bw_session_close(bw_session *session);

/* The folder of the running program, or NULL where the system does not tell. */
const char *bw_program_folder(bw_arena *arena);

/* Folders that hold stock patterns, in order; NULL past the end. For completions and messages. */
const char *bw_stock_folder(bw_arena *arena, size_t index);

#endif
