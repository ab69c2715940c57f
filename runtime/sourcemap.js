// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source maps, evaluated when the first error has to be explained.
 */
export { TraceMap, originalPositionFor, sourceContentFor } from '@jridgewell/trace-mapping';
