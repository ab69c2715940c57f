// SPDX-License-Identifier: BSD-2-Clause
// What `selkie APP.js --check` says of a policy: what a route may reach, what
// is worth a second look, and what is wrong.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Place } from './command.mjs';
import { writeFiles } from './lib.mjs';

const worker = `export default () => 'w';`;

/** An app whose only policy has these lines, the first of them in line 2. */
const place = (t, ...lines) =>
	new Place(t, {
		'app.js': `app.get('/a', './w.js', (policy) => {\n${lines.join('\n')}\n});\n`,
		'w.js': worker,
	});

const get = (pattern) => `policy.outboundHttp.allowGet('${pattern}');`;

test('a pattern stands once, with all its methods', async (t) => {
	const { stdout, stderr, status } = await place(
		t,
		get('https://api.test/v1/**'),
		`policy.outboundHttp.allowPost('https://api.test/v1/**');`,
		get('http://localhost:5984/*'),
	).selkie(['app.js', '--check']);
	assert.match(
		stdout,
		/may use: GET\/POST https:\/\/api\.test\/v1\/\*\*, GET http:\/\/localhost:5984\/\*$/m,
	);
	assert.equal(stderr, '');
	assert.equal(status, 0);
});

test('what is recorded only is told apart', async (t) => {
	const { stdout } = await place(
		t,
		get('https://api.test/'),
		`policy.files.allowRead('data/**');`,
	).selkie(['app.js', '--check']);
	assert.match(
		stdout,
		/GET https:\/\/api\.test\/; not enforced yet, so refused: files read data\/\*\*$/m,
	);
});

test('warnings name the line of the call, and are no failure', async (t) => {
	const { stderr, status } = await place(
		t,
		get('https://*.example.com/'),
		get('http://example.com/'),
		get('https://example.com/a/../b'),
		get('https://example.com/fine'),
	).selkie(['app.js', '--check']);
	const lines = stderr.trimEnd().split('\n');
	assert.equal(lines.length, 3, stderr);
	assert.match(lines[0], /^app\.js:2: warning: https:\/\/\*\.example\.com\/: a \* in the host/);
	assert.match(lines[1], /^app\.js:3: warning: http:\/\/example\.com\/: not encrypted/);
	assert.match(lines[2], /^app\.js:4: warning: .*nothing can match/);
	assert.equal(status, 0);
});

test('serving and compiling do not warn', async (t) => {
	const { stderr, status } = await place(t, get('http://example.com/')).selkie([
		'compile',
		'app.js',
	]);
	assert.equal(stderr, '');
	assert.equal(status, 0);
});

for (const [pattern, why] of [
	['https://user@example.com/', 'user name'],
	['https://example.com/?q=1', 'query'],
	['https:///path', 'host'],
	['https://exa mple.com/', 'spaces'],
])
	test(`the pattern ${pattern} is refused with the line of its call`, async (t) => {
		const app = place(t, '', get(pattern));
		for (const args of [
			['app.js', '--check'],
			['compile', 'app.js'],
		]) {
			const { stdout, stderr, status } = await app.selkie(args);
			assert.ok(stderr.startsWith(`app.js:3: pattern ${pattern}: `), stderr);
			assert.ok(stderr.includes(why), stderr);
			assert.equal(stdout, '');
			assert.equal(status, 1);
		}
	});

test('a call on another line does not make another route', async (t) => {
	const app = place(t, get('https://example.com/'));
	const identity = async () => {
		const { stdout } = await app.selkie(['compile', 'app.js']);
		return JSON.parse(stdout).routes[0].identity;
	};
	const before = await identity();
	writeFiles(app.folder, {
		'app.js': `app.get('/a', './w.js', (policy) => {\n\n\n${get('https://example.com/')}\n});\n`,
	});
	assert.equal(await identity(), before);
});
