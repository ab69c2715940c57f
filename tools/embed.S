/* SPDX-License-Identifier: BSD-2-Clause */
/* Embeds the file SK_FILE: sk_runtime_js .. sk_runtime_js_end, NUL after it. */
	.section .rodata
	.globl sk_runtime_js
	.globl sk_runtime_js_end
sk_runtime_js:
	.incbin SK_FILE
sk_runtime_js_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
