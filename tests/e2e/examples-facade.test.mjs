// SPDX-License-Identifier: BSD-2-Clause
// examples/facade against an API that speaks as GitHub's does, over TLS.

import assert from 'node:assert/strict';
import test from 'node:test';
import { secureServer } from './authority.mjs';
import { serveExample } from './example.mjs';
import { header } from './http.mjs';

const host = 'api.github.com';

const people = {
	ada: { login: 'ada', name: 'Ada Lovelace', bio: null, html_url: `https://github.com/ada` },
};
const repos = {
	ada: [
		{ name: 'notes', description: 'on the engine', stargazers_count: 1843, private: false },
		{ name: 'numbers', description: 'of Bernoulli', stargazers_count: 7, private: false },
	],
};

/** The API. Its two replies about one person wait for each other. */
async function github(t) {
	const seen = [];
	const waiting = [];
	const api = await secureServer(t, host, (request, reply) => {
		const { pathname } = new URL(request.url ?? '', `https://${host}`);
		const [, users, name, what] = pathname.split('/');
		seen.push({ method: request.method, url: request.url, headers: request.headers });
		const found = users === 'users' && (what === 'repos' ? repos[name] : people[name]);
		waiting.push(() => {
			reply.writeHead(found ? 200 : 404, { 'content-type': 'application/json; charset=utf-8' });
			reply.end(JSON.stringify(found || { message: 'Not Found' }));
		});
		if (waiting.length === 2) for (const send of waiting.splice(0)) send();
	});
	const app = await serveExample(t, 'facade', {
		from: `https://${host}`,
		to: `https://${host}:${api.port}`,
		args: api.args,
	});
	return { app, seen, port: api.port };
}

test('two calls run at the same time and make one answer', async (t) => {
	const { app, seen, port } = await github(t);
	const reply = await app.request('/people/ada');
	assert.equal(reply.status, 200, reply.text);
	assert.equal(header(reply, 'content-type'), 'application/json');
	assert.deepEqual(JSON.parse(reply.text), {
		login: 'ada',
		name: 'Ada Lovelace',
		bio: null,
		page: 'https://github.com/ada',
		latest: [
			{ name: 'notes', description: 'on the engine', stars: 1843 },
			{ name: 'numbers', description: 'of Bernoulli', stars: 7 },
		],
	});
	assert.deepEqual(seen.map(({ url }) => url).sort(), [
		'/users/ada',
		'/users/ada/repos?sort=pushed&per_page=5',
	]);
	for (const { method, headers } of seen) {
		assert.equal(method, 'GET');
		assert.equal(headers.host, `${host}:${port}`);
		assert.equal(headers.accept, 'application/vnd.github+json');
		assert.match(headers['user-agent'], /^selkie\//);
	}
});

test('a person who is not there is 404', async (t) => {
	const { app } = await github(t);
	const reply = await app.request('/people/nobody');
	assert.equal(reply.status, 404);
	assert.deepEqual(JSON.parse(reply.text), { error: 'nobody is called nobody' });
});

test('a name with a slash in it reaches nothing', async (t) => {
	const { app, seen } = await github(t);
	const reply = await app.request('/people/ada%2Frepos');
	assert.equal(reply.status, 500);
	await app.prints(/POLICY_VIOLATION \[ GET https:\/\/api\.github\.com\S+\/users\/ada%2Frepos/);
	assert.deepEqual(seen, []);
});
