/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * binary: from files that hold compiled kernels, and from CUDA sources by way of nvcc, to the text
 * of their machine code.
 *
 *     cubin                          nvdisasm -c -gi, or cuobjdump -sass
 *     object, program, library,
 *     fatbin                         cuobjdump -xelf all, then each cubin as above
 *     .cu with --nvcc FLAGS          nvcc -cubin -lineinfo FLAGS, then as above
 *     .cu with --compile-commands    the same with the flags of a project
 *     .ptx                           ptxas -lineinfo, then as above
 *
 * The disassemblers are NVIDIA's (packages cuda-nvdisasm and cuda-cuobjdump): those of
 * --disasm, else the ones on the PATH; never a program that the input names. What a
 * disassembly lacks (parameters, constant banks) is read from the ELF file by our own code
 * (cubin.h).
 */
#ifndef BANKWISE_BINARY_H
#define BANKWISE_BINARY_H

#include "session.h"

/* Whether the bytes are a cubin, a fatbin or an ELF file, which may hold either. */
bool bw_binary_is(const char *bytes, size_t len);

/*
 * Makes session->input, whose bytes are a binary, the text of its machine code, and gives the
 * session the cubin that the text is of. False after an error, which was said or is in
 * session->diags.
 */
bool bw_binary_read(bw_session *session);

/* The same of a CUDA source or PTX file, which is compiled for it. */
bool bw_binary_compile(bw_session *session);
/* Whether the options or the file's ending ask for that. */
bool bw_binary_is_to_compile(const bw_session *session);

#endif
