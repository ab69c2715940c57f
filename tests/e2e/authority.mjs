// SPDX-License-Identifier: BSD-2-Clause
// A private certificate authority for tests, and servers that it vouches for.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import { folderOf, run } from './lib.mjs';

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

async function openssl(folder, ...args) {
	const { status, stderr } = await run('openssl', args, { cwd: folder });
	assert.equal(status, 0, stderr);
}

/**
 * An authority, and a certificate of its own for `host`.
 * @returns {Promise<{caFile: string, key: Buffer, cert: Buffer}>}
 */
export async function authorityFor(t, host) {
	const folder = folderOf(t);
	const at = (name) => join(folder, name);
	await openssl(
		folder,
		...['req', '-x509', ...EC, '-days', '2', '-subj', '/CN=Authority of a test'],
		...['-keyout', 'ca.key', '-out', 'ca.pem'],
	);
	await openssl(
		folder,
		...['req', ...EC, '-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`],
		...['-keyout', 'host.key', '-out', 'host.csr'],
	);
	await openssl(
		folder,
		...['x509', '-req', '-in', 'host.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key'],
		...['-CAcreateserial', '-days', '2', '-copy_extensions', 'copy', '-out', 'host.pem'],
	);
	return {
		caFile: at('ca.pem'),
		key: readFileSync(at('host.key')),
		cert: readFileSync(at('host.pem')),
	};
}

/**
 * An https server on 127.0.0.1 that is `host` to those who trust `caFile`.
 * @param {import('node:test').TestContext} t
 * @param {string} host
 * @param {import('node:http').RequestListener} listener
 */
export async function secureServer(t, host, listener) {
	const { caFile, key, cert } = await authorityFor(t, host);
	const server = https.createServer({ key, cert }, listener).listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
	return { port, caFile, args: ['--resolve', `${host}:${port}:127.0.0.1`, '--ca-file', caFile] };
}
