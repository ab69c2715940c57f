// SPDX-License-Identifier: BSD-2-Clause
// The three cases in the words of the web platform, for the servers that speak them.

export const handlers = {
	hello: () =>
		new Response('Hello from the sea\n', {
			headers: { 'Content-Type': 'text/plain;charset=UTF-8' },
		}),
	json: (request) =>
		Response.json({
			method: request.method,
			url: request.url,
			header: request.headers.get('X-Bench'),
		}),
	echo: async (request) =>
		new Response(await request.arrayBuffer(), {
			headers: { 'Content-Type': 'application/octet-stream' },
		}),
};
