// SPDX-License-Identifier: BSD-2-Clause
// The cases: what is asked, and the one right answer. wrk/measure.lua sends the same.

import assert from 'node:assert/strict';
import { port } from './paths.mjs';
import { request } from './server.mjs';

const body = '0123456789abcdef'.repeat(4096);

/** What the upstream sends for /stream. */
export const streamed = '0123456789abcdef'.repeat(1 << 20);

export const cases = {
	hello: {
		title: 'Hello: a string',
		ask: { path: '/hello?x=1' },
		right: 'Hello from the sea\n',
	},
	json: {
		title: 'JSON: reads method, URL and one header',
		ask: { path: '/json?x=1', headers: { 'X-Bench': 'seal' } },
		right: JSON.stringify({
			method: 'GET',
			url: `http://127.0.0.1:${port}/json?x=1`,
			header: 'seal',
		}),
	},
	echo: {
		title: 'Echo: a POST of 64 KiB comes back',
		ask: {
			path: '/echo?x=1',
			method: 'POST',
			headers: { 'Content-Type': 'application/octet-stream' },
			body,
		},
		right: body,
	},
	fetch: {
		title: 'Fetch: one call to a local nginx, its text is the reply',
		ask: { path: '/fetch?x=1' },
		right: 'Hello from the deep\n',
		upstream: true,
	},
	stream: {
		title: 'Stream: 16 MiB from a local nginx are passed through',
		ask: { path: '/stream?x=1' },
		right: streamed,
		upstream: true,
		connections: [1, 4, 16],
		bytes: streamed.length,
	},
};

/**
 * Speed counts only for the right answer.
 * @param {string} caseName
 */
export async function check(caseName) {
	const { ask, right } = cases[caseName];
	const reply = await request(ask);
	assert.equal(reply.status, 200);
	if (caseName === 'json') assert.deepEqual(JSON.parse(reply.body), JSON.parse(right));
	else assert.ok(reply.body === right, `wrong body: ${reply.body.slice(0, 200)}`);
}
