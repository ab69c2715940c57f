// SPDX-License-Identifier: BSD-2-Clause
// Static folders: which file a URL means, and what is never served.

import assert from 'node:assert/strict';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { gateway } from './gateway.mjs';
import { header } from './lib.mjs';

const FILES = {
	'public/index.html': 'root index',
	'public/home.htm': 'named index',
	'public/page.html': 'a page',
	'public/style.css': 'css',
	'public/dir/index.html': 'dir index',
	'public/dir/inner.html': 'inner page',
	'public/none/file.txt': 'text',
	'public/both/index.html': 'both dir',
	'public/both.html': 'both page',
	'public/.secret': 'LEAK',
	'public/.well-known/acme': 'token',
	'public/a b/c%d.txt': 'odd name',
	'public/packed.css': 'unpacked',
	'outside/secret.txt': 'LEAK',
	'publicx/file.txt': 'another folder',
};

const start = (t, statics, options = {}) =>
	gateway(t, {
		usePeer: false,
		files: FILES,
		app: (folder) => ({
			statics: statics.map((item) => ({ folder: join(folder, 'public'), ...item })),
		}),
		...options,
	});

/** "200 text", "301 location" or the status. */
async function get(server, path, options) {
	const reply = await server.request(path, options);
	if (reply.status === 200) return `200 ${reply.text}`;
	if (reply.status === 301) return `301 ${header(reply, 'location')}`;
	return String(reply.status);
}

/** @type {[string | null, boolean, string, string][]} */
const CASES = [
	// index, cleanUrls, path under /static, result
	['index.html', false, '', '301 /static/'],
	['index.html', false, '/', '200 root index'],
	['index.html', false, '/index.html', '200 root index'],
	['index.html', false, '/dir', '301 /static/dir/'],
	['index.html', false, '/dir?a=1&b', '301 /static/dir/?a=1&b'],
	['index.html', false, '/dir/', '200 dir index'],
	['index.html', false, '/none', '404'],
	['index.html', false, '/none/', '404'],
	['index.html', false, '/none/file.txt', '200 text'],
	['index.html', false, '/none/file.txt/', '404'],
	['index.html', false, '/page', '404'],
	['index.html', false, '/page/', '404'],
	['index.html', false, '/page.html', '200 a page'],
	['index.html', false, '/both', '301 /static/both/'],
	[null, false, '', '404'],
	[null, false, '/', '404'],
	[null, false, '/index.html', '200 root index'],
	[null, false, '/dir', '404'],
	[null, false, '/dir/', '404'],
	[null, false, '/page.html', '200 a page'],
	['home.htm', false, '/', '200 named index'],
	['home.htm', false, '', '301 /static/'],
	['home.htm', false, '/dir', '404'],
	['home.htm', false, '/dir/', '404'],
	['home.htm', true, '/', '200 named index'],
	['home.htm', true, '/index', '200 root index'],
	['home.htm', true, '/dir/', '404'],
	['index.html', true, '', '301 /static/'],
	['index.html', true, '/', '200 root index'],
	['index.html', true, '/index.html', '404'],
	['index.html', true, '/page', '200 a page'],
	['index.html', true, '/page?x=1', '200 a page'],
	['index.html', true, '/page/', '301 /static/page'],
	['index.html', true, '/page/?x=1', '301 /static/page?x=1'],
	['index.html', true, '/page.html', '404'],
	['index.html', true, '/dir', '301 /static/dir/'],
	['index.html', true, '/dir/', '200 dir index'],
	['index.html', true, '/dir/inner', '200 inner page'],
	['index.html', true, '/dir/inner/', '301 /static/dir/inner'],
	['index.html', true, '/both', '200 both page'],
	['index.html', true, '/both/', '200 both dir'],
	['index.html', true, '/style.css', '200 css'],
	['index.html', true, '/style.css/', '404'],
	['index.html', true, '/none', '404'],
	[null, true, '', '404'],
	[null, true, '/', '404'],
	[null, true, '/index', '200 root index'],
	[null, true, '/page', '200 a page'],
	[null, true, '/page/', '301 /static/page'],
	[null, true, '/page.html', '404'],
	[null, true, '/dir', '404'],
	[null, true, '/dir/', '404'],
	[null, true, '/both/', '301 /static/both'],
];

for (const index of ['index.html', 'home.htm', null]) {
	for (const cleanUrls of [false, true]) {
		test(`index ${index}, cleanUrls ${cleanUrls}`, async (t) => {
			for (const prefix of ['/static', '/static/']) {
				await t.test(`prefix ${prefix}`, async (t) => {
					const server = await start(t, [{ prefix, index, cleanUrls }]);
					for (const [, , path, expected] of CASES.filter(
						([i, c]) => i === index && c === cleanUrls,
					))
						assert.equal(await get(server, `/static${path}`), expected, path);
				});
			}
		});
	}
}

test('prefix / serves from the root', async (t) => {
	const server = await start(t, [{ prefix: '/', cleanUrls: true }]);
	assert.equal(await get(server, '/'), '200 root index');
	assert.equal(await get(server, '/page'), '200 a page');
	assert.equal(await get(server, '/page/'), '301 /page');
	assert.equal(await get(server, '/dir'), '301 /dir/');
	assert.equal(await get(server, '//dir'), '301 /dir/');
});

test('a prefix ends at a segment', async (t) => {
	const server = await start(t, [{ prefix: '/static' }]);
	assert.equal(await get(server, '/staticx/file.txt'), '404');
	assert.equal(await get(server, '/staticindex.html'), '404');
});

test('the first folder that has it serves', async (t) => {
	const server = await start(t, [{ prefix: '/' }, { prefix: '/static' }]);
	assert.equal(await get(server, '/static/page.html'), '200 a page');
	assert.equal(await get(server, '/page.html'), '200 a page');
});

test('nothing above the folder, no hidden name, no symbolic link', async (t) => {
	const server = await start(t, [{ prefix: '/static' }]);
	const folder = join(server.folder, 'public');
	symlinkSync('../outside/secret.txt', join(folder, 'link.txt'));
	symlinkSync('/etc', join(folder, 'etc'));
	symlinkSync('page.html', join(folder, 'inside.html'));
	mkdirSync(join(folder, 'loop'));
	symlinkSync('.', join(folder, 'loop/index.html'));
	for (const path of [
		'/link.txt',
		'/etc/passwd',
		'/inside.html',
		'/loop/',
		'/loop',
		'/../outside/secret.txt',
		'/%2e%2e/outside/secret.txt',
		'/..%2foutside/secret.txt',
		'/dir/../../outside/secret.txt',
		'/.secret',
		'/%2esecret',
		'/dir/../.secret',
		'/..',
		'/.',
	]) {
		const socket = await server.connect();
		socket.send(`GET /static${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
		const reply = await socket.reply();
		socket.close();
		assert.doesNotMatch(reply.text, /LEAK|root:/, path);
		assert.match(String(reply.status), /^(?:404|400|301|200)$/, path);
		if (reply.status === 200) assert.equal(path, '/.');
	}
	assert.equal(await get(server, '/static/.well-known/acme'), '200 token');
});

test('a folder that is replaced is served from then on', async (t) => {
	const server = await start(t, [{ prefix: '/static' }]);
	renameSync(join(server.folder, 'public'), join(server.folder, 'old'));
	assert.equal(await get(server, '/static/page.html'), '404');
	mkdirSync(join(server.folder, 'public'));
	writeFileSync(join(server.folder, 'public/page.html'), 'new');
	assert.equal(await get(server, '/static/page.html'), '200 new');
});

test('names with spaces and percent signs', async (t) => {
	const server = await start(t, [{ prefix: '/static' }]);
	assert.equal(await get(server, '/static/a%20b/c%25d.txt'), '200 odd name');
});

test('a folder whose name nginx would take for a variable', async (t) => {
	const server = await gateway(t, {
		usePeer: false,
		files: { 'p$uri {;/a.txt': 'strange' },
		app: (folder) => ({ statics: [{ prefix: '/s', folder: join(folder, 'p$uri {;') }] }),
	});
	assert.equal(await get(server, '/s/a.txt'), '200 strange');
});

test('a redirect never leaves this host', async (t) => {
	const server = await start(t, [{ prefix: '/' }], {
		server: (app) => `merge_slashes off; ${app}`,
	});
	const socket = await server.connect();
	socket.send('GET //dir HTTP/1.1\r\nHost: a\r\n\r\n');
	const reply = await socket.reply();
	socket.close();
	assert.doesNotMatch(header(reply, 'location') ?? '/', /^\/\//);
});

test('GET and HEAD only', async (t) => {
	const server = await start(t, [{ prefix: '/static' }]);
	const reply = await server.request('/static/page.html', { method: 'POST' });
	assert.equal(reply.status, 405);
	assert.equal(header(reply, 'allow'), 'GET, HEAD');
	assert.equal((await server.request('/static/dir', { method: 'POST' })).status, 405);
	assert.equal((await server.request('/static/absent', { method: 'POST' })).status, 404);
	const head = await server.request('/static/page.html', { method: 'HEAD' });
	assert.equal(head.status, 200);
	assert.equal(header(head, 'content-length'), '6');
});

test('ETag, If-None-Match, Range, type and gzip_static are nginx’s', async (t) => {
	const server = await start(t, [{ prefix: '/static' }]);
	writeFileSync(join(server.folder, 'public/packed.css.gz'), gzipSync('packed'));
	const first = await server.request('/static/style.css');
	assert.match(header(first, 'content-type') ?? '', /^text\/css/);
	const etag = header(first, 'etag') ?? '';
	assert.match(etag, /^"/);
	const again = await server.request('/static/style.css', {
		headers: { 'if-none-match': etag },
	});
	assert.equal(again.status, 304);
	const part = await server.request('/static/style.css', { headers: { range: 'bytes=1-' } });
	assert.equal(part.status, 206);
	assert.equal(part.text, 'ss');
	const packed = await server.request('/static/packed.css', {
		headers: { 'accept-encoding': 'gzip' },
	});
	assert.equal(header(packed, 'content-encoding'), 'gzip');
	assert.equal(await get(server, '/static/packed.css'), '200 unpacked');
});

test('no client names the internal location', async (t) => {
	const server = await start(t, [{ prefix: '/static' }]);
	assert.equal(await get(server, '/@selkie-static-0-0/page.html'), '404');
	assert.equal(await get(server, '/@selkie-static-0-0'), '404');
});

test('in a location, and in two servers', async (t) => {
	const server = await start(t, [{ prefix: '/api/files' }], {
		server: (app) => `location /api/ { ${app} } location ~ \\.txt$ { return 418; }
		} server { server_name other; listen unix:other.sock; ${app}`,
	});
	assert.equal(await get(server, '/api/files/page.html'), '200 a page');
	assert.equal(await get(server, '/page.html'), '404');
	assert.equal(await get(server, '/api/files/none/file.txt'), '418');
});
