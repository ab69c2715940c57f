// SPDX-License-Identifier: BSD-2-Clause
// server.mjs writes this file for each run.
export const upstream = 'http://127.0.0.1:18351';
