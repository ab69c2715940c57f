# SPDX-License-Identifier: BSD-2-Clause
# What longjmp throws: the address of a struct with the jmp_buf and the value.
	.globl	__c_longjmp
	.tagtype	__c_longjmp i32
__c_longjmp:
