/* SPDX-License-Identifier: BSD-2-Clause */
	.section .rodata
	.globl sk_embedded_wasm_rt
sk_embedded_wasm_rt:
	.incbin "host/linux/guest/wasm-rt.h"
	.byte 0
	.section .note.GNU-stack, "", %progbits
