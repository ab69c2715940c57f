// SPDX-License-Identifier: BSD-2-Clause
// examples/couchdb-rest against PouchDB's server, which speaks as CouchDB does.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { serveExample } from './example.mjs';
import { freePort, Service, tree } from './lib.mjs';

const folder = join(tree, 'tests/couchdb');
const skip = existsSync(join(folder, 'node_modules/express-pouchdb'))
	? false
	: 'no npm packages in tests/couchdb: tools/setup check';

async function couchdb(t) {
	const port = await freePort();
	const database = new Service(process.execPath, ['server.mjs', String(port)], { cwd: folder });
	t.after(() => database.stop({ status: null }));
	await database.prints(/listening on/);
	return serveExample(t, 'couchdb-rest', { from: 'localhost:5984', to: `localhost:${port}` });
}

/** One call to the service: status and what the JSON says. @param {any} [value] */
async function ask(app, method, path, value = undefined) {
	const reply = await app.request(path, {
		method,
		headers: value ? { 'content-type': 'application/json' } : {},
		body: value && JSON.stringify(value),
	});
	return { status: reply.status, data: reply.text && JSON.parse(reply.text), reply };
}

test('list, view, create, update and delete', { skip }, async (t) => {
	const app = await couchdb(t);
	assert.deepEqual((await ask(app, 'GET', '/people')).data, { people: [] });

	const made = await ask(app, 'POST', '/people', { name: 'Ada' });
	assert.equal(made.status, 201, made.reply.text);
	const { id, rev } = made.data;
	const path = `/people/${encodeURIComponent(id)}`;
	assert.ok(made.reply.headers.some(([name, to]) => /^location$/i.test(name) && to === path));

	assert.deepEqual((await ask(app, 'GET', path)).data, { name: 'Ada', id, rev });

	const changed = await ask(app, 'PUT', path, { name: 'Ada Lovelace', born: 1815, rev });
	assert.equal(changed.status, 200, changed.reply.text);
	const newer = changed.data.rev;
	assert.notEqual(newer, rev);
	assert.deepEqual((await ask(app, 'GET', '/people')).data, {
		people: [{ name: 'Ada Lovelace', born: 1815, id, rev: newer }],
	});

	const late = await ask(app, 'PUT', path, { name: 'Augusta', rev });
	assert.equal(late.status, 409);

	assert.equal((await ask(app, 'DELETE', `${path}?rev=${newer}`)).status, 204);
	assert.equal((await ask(app, 'GET', path)).status, 404);
	assert.deepEqual((await ask(app, 'GET', '/people')).data, { people: [] });
});

test("the database's own documents are not people", { skip }, async (t) => {
	const app = await couchdb(t);
	for (const [method, path] of [
		['GET', '/people/_all_docs'],
		['GET', '/people/_security'],
		['PUT', '/people/_security'],
		['DELETE', '/people/_local%2Fx?rev=1-x'],
	])
		assert.equal((await ask(app, method, path)).status, 404, `${method} ${path}`);
});

test('what is no person is refused', { skip }, async (t) => {
	const app = await couchdb(t);
	for (const value of [{}, [], { name: 'x', _id: 'y' }])
		assert.equal((await ask(app, 'POST', '/people', value)).status, 400, JSON.stringify(value));
	assert.equal((await ask(app, 'PUT', '/people/x', { name: 'no rev' })).status, 400);
	assert.equal((await ask(app, 'DELETE', '/people/x')).status, 400);
});
