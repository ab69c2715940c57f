// SPDX-License-Identifier: BSD-2-Clause

export const database = 'http://localhost:5984/people';
export const user = 'selkie';
export const password = 'herring';
