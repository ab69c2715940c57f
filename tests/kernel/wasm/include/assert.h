/* SPDX-License-Identifier: BSD-2-Clause */
/* The rig asks for it and needs nothing of it here. */
