// SPDX-License-Identifier: BSD-2-Clause

export const api = 'https://api.github.com';
