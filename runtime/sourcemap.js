// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source maps, evaluated when the first error has to be explained.
 */
export { originalPositionFor, sourceContentFor, TraceMap } from '@jridgewell/trace-mapping';
