/* SPDX-License-Identifier: BSD-2-Clause */
/* There is no dynamic linking, but headers want a name. */
#define LDSO_ARCH "wasm32"
#define TPOFF_K	  0
