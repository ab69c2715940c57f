// SPDX-License-Identifier: BSD-2-Clause
// The cases in the words of the web platform, for the servers that speak them.

/** @param {number} upstreamPort */
export const handlersFor = (upstreamPort) => ({
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
	fetch: async () => {
		const reply = await fetch(`http://127.0.0.1:${upstreamPort}/hello`);
		return new Response(await reply.text(), {
			headers: { 'Content-Type': 'text/plain;charset=UTF-8' },
		});
	},
	stream: async () => {
		const reply = await fetch(`http://127.0.0.1:${upstreamPort}/stream`);
		return new Response(reply.body, {
			headers: { 'Content-Type': 'application/octet-stream' },
		});
	},
});
