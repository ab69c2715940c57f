// SPDX-License-Identifier: BSD-2-Clause
export default (request) => request.arrayBuffer();
