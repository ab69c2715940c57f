// SPDX-License-Identifier: BSD-2-Clause

export default (request) =>
	new Response(request.body, {
		headers: { 'content-type': request.headers.get('content-type') ?? 'application/octet-stream' },
	});
