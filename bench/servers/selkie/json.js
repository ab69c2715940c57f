// SPDX-License-Identifier: BSD-2-Clause
export default (request) => ({
	method: request.method,
	url: request.url,
	header: request.headers.get('X-Bench'),
});
