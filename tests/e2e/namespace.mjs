// SPDX-License-Identifier: BSD-2-Clause
// A network of its own for a test file: loopback that also has public
// addresses, a name server, and files under /etc that are the test's. The file
// runs itself a second time inside.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { folderOf, run } from './lib.mjs';

const INSIDE = 'SELKIE_TEST_NETWORK';

/** Public as far as anybody can tell from the number; ours all the same. */
export const PUBLIC = '8.8.8.8';
export const PUBLIC6 = '2001:4860:4860::8888';
const ADDRESSES = [PUBLIC, '169.254.169.254', '10.1.2.3', '192.168.7.7', '100.64.0.9'];

/**
 * Runs `tests` with a network of its own. @param {string} url of the calling
 * module @param {() => void} tests
 */
export function inNamespace(url, tests) {
	if (process.env[INSIDE]) {
		tests();
		return;
	}
	const skip = process.getuid?.() === 0 ? false : 'a network of its own is root’s to make';
	test('in a network of its own', { skip }, () => {
		/** @type {NodeJS.ProcessEnv} */
		const env = { ...process.env, [INSIDE]: '1' };
		delete env.NODE_TEST_CONTEXT;
		const { status, stdout, stderr } = spawnSync(
			'unshare',
			['-n', '-m', '--propagation', 'private', process.execPath, '--test', fileURLToPath(url)],
			{ env, encoding: 'utf8', maxBuffer: 1 << 26 },
		);
		assert.equal(status, 0, stdout + stderr);
	});
}

async function must(command, ...args) {
	const { status, stderr } = await run(command, args);
	assert.equal(status, 0, `${command} ${args.join(' ')}: ${stderr}`);
}

/** @param {import('node:test').TestContext} t @param {string} hosts  the text of /etc/hosts */
export async function setUp(t, hosts = '') {
	await must('ip', 'link', 'set', 'lo', 'up');
	for (const address of ADDRESSES)
		await must('ip', 'addr', 'replace', `${address}/32`, 'dev', 'lo');
	await must('ip', '-6', 'addr', 'replace', `${PUBLIC6}/128`, 'dev', 'lo', 'nodad');
	const folder = folderOf(t);
	const files = {
		hosts,
		'resolv.conf': 'nameserver 127.0.0.1\n',
		'nsswitch.conf': 'hosts: files dns\n',
	};
	for (const [name, text] of Object.entries(files)) {
		writeFileSync(join(folder, name), text);
		await must('mount', '--bind', join(folder, name), `/etc/${name}`);
		t.after(() => must('umount', `/etc/${name}`));
	}
}

/**
 * A server on port 80 of every address. @param {import('node:test').TestContext} t
 */
export async function everywhere(t) {
	/** Local addresses of all connections, in order. @type {string[]} */
	const connections = [];
	/** @type {{url: string, host: string, headers: any}[]} */
	const requests = [];
	const server = http.createServer((request, response) => {
		const { url = '', headers } = request;
		requests.push({ url, host: headers.host ?? '', headers });
		const to = new URL(url, 'http://x/').searchParams.get('to');
		if (to !== null) response.writeHead(302, { location: to }).end();
		else response.end(JSON.stringify({ url, headers }));
	});
	server.on('connection', (socket) =>
		connections.push(String(socket.localAddress).replace(/^::ffff:/, '')),
	);
	server.listen(80, '::');
	await once(server, 'listening');
	t.after(() => server.closeAllConnections());
	t.after(() => server.close());
	return { connections, requests };
}

const u16 = (number) => Buffer.from([number >> 8, number & 255]);

/**
 * A name server. @param {import('node:test').TestContext} t
 * @param {(name: string, type: 'A' | 'AAAA') => string[]} answer  IPv4 addresses for A
 */
export async function nameServer(t, answer) {
	/** @type {string[]} */
	const asked = [];
	const socket = dgram.createSocket('udp4');
	socket.on('message', (query, from) => {
		const labels = [];
		let at = 12;
		for (; query[at] !== 0; at += query[at] + 1)
			labels.push(query.toString('latin1', at + 1, at + 1 + query[at]));
		const type = query.readUInt16BE(at + 1) === 28 ? 'AAAA' : 'A';
		const name = labels.join('.');
		asked.push(`${type} ${name}`);
		const found = answer(name, type);
		const records = found.map((address) =>
			Buffer.concat([
				Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]),
				Buffer.from(address.split('.').map(Number)),
			]),
		);
		const head = [query.subarray(0, 2), u16(0x8180), u16(1), u16(records.length), u16(0), u16(0)];
		const question = query.subarray(12, at + 5);
		socket.send(Buffer.concat([...head, question, ...records]), from.port, from.address);
	});
	socket.bind(53, '127.0.0.1');
	await once(socket, 'listening');
	t.after(() => socket.close());
	return asked;
}
