/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs import (docs/abi.md); pending is in line, wasm-rt.h. */
#ifndef SK_HOST_IMPORTS_H
#define SK_HOST_IMPORTS_H

#include <stdint.h>

struct w2c_kernel;

uint64_t w2c_kernel_syscall(struct w2c_kernel *kernel, uint32_t n, uint64_t a,
			    uint64_t b, uint64_t c, uint64_t d, uint64_t e,
			    uint64_t f);
uint32_t w2c_kernel_nextsig(struct w2c_kernel *kernel, uint32_t frame);
uint32_t w2c_kernel_exec(struct w2c_kernel *kernel, uint32_t path,
			 uint32_t argv, uint32_t envp);
uint32_t w2c_kernel_fork(struct w2c_kernel *kernel);
uint32_t w2c_kernel_vfork(struct w2c_kernel *kernel);

#endif
