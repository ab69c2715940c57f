// SPDX-License-Identifier: BSD-2-Clause
// Servers for handlers to call: over HTTP, HTTPS and HTTP/2, in the process
// of the test. What a path does is said beside it; what happened is recorded.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { folderOf, run, until } from './lib.mjs';

/** What the compressed replies unpack to. */
export const PLAIN = 'selkies swim, '.repeat(5000);

/** Piece number `i` of a body of so many pieces: each filled with its number. */
const piece = (i) => Buffer.alloc(65536, i & 255);

/** Writes as fast as the other side reads. Returns whether all was written. */
async function write(response, pieces) {
	for (let i = 0; i < pieces; i++) {
		if (response.destroyed) return false;
		if (!response.write(piece(i))) {
			await drained(response);
		}
	}
	response.end();
	return true;
}

/** Waits until there is room, or nobody to write to. */
function drained(response) {
	return new Promise((resolve) => {
		const done = () => {
			response.off('drain', done).off('close', done);
			resolve(undefined);
		};
		response.on('drain', done).on('close', done);
	});
}

async function bodyOf(request) {
	const pieces = [];
	for await (const bytes of request) pieces.push(bytes);
	return Buffer.concat(pieces);
}

/** @type {Record<string, (request: any, response: any, url: URL, upstream: Upstream) => unknown>} */
const paths = {
	/** Says what came. */
	async echo(request, response) {
		const body = await bodyOf(request);
		const { method, url, headers, httpVersion } = request;
		response.setHeader('content-type', 'application/json');
		response.end(
			JSON.stringify({ method, url, headers, httpVersion, body: body.toString('latin1') }),
		);
	},
	/** Sends the body back, piece by piece, with its type. */
	async mirror(request, response) {
		response.setHeader('content-type', request.headers['content-type'] ?? '');
		response.flushHeaders();
		for await (const bytes of request) if (!response.write(bytes)) await drained(response);
		response.end();
	},
	/** Length and digest of what came. */
	async digest(request, response) {
		const hash = createHash('sha1');
		let length = 0;
		for await (const bytes of request) {
			hash.update(bytes);
			length += bytes.length;
		}
		const announced = request.headers['content-length'] ?? null;
		response.end(JSON.stringify({ length, announced, sha1: hash.digest('hex') }));
	},
	/** ?status ?to ?cookie: a redirect, or another reply without content. */
	status(request, response, { searchParams }) {
		request.resume();
		const to = searchParams.get('to');
		if (to !== null) response.setHeader('location', to);
		response.writeHead(Number(searchParams.get('status'))).end();
	},
	/** ?left: so many redirects more, then the echo. */
	hops(request, response, { searchParams }, upstream) {
		const left = Number(searchParams.get('left'));
		if (left === 0) return paths.echo(request, response, new URL('http://x/'), upstream);
		response.writeHead(302, { location: `hops?left=${left - 1}` }).end();
	},
	cookies(request, response) {
		response.setHeader('Set-Cookie', ['a=1; Path=/', 'b=2, and more']);
		response.setHeader('X-Twice', ['one', 'two']);
		response.setHeader('X-Latin', Buffer.from('caf\xe9', 'latin1').toString('latin1'));
		response.writeHead(207, 'Many Things').end('cookies');
	},
	/** ?pieces: that many, as the reader takes them. */
	async pieces(request, response, { searchParams }, upstream) {
		const whole = await write(response, Number(searchParams.get('pieces')));
		upstream.note(whole ? 'given' : 'cut');
	},
	/** A head and a piece, and no more. */
	stall(request, response, url, upstream) {
		response.write('begun');
		response.on('close', () => upstream.note('stall closed'));
	},
	/** The same, but not at once. */
	late(request, response, url, upstream) {
		upstream.note('late begun');
		setTimeout(() => paths.stall(request, response, url, upstream), 500);
	},
	/** No head. */
	silent(request, response, url, upstream) {
		request.resume();
		upstream.note('silent begun');
		response.on('close', () => upstream.note('silent closed'));
	},
	/** Reads one piece of the body, and for a second no more. */
	deaf(request, response, url, upstream) {
		request.once('data', () => {
			request.pause();
			setTimeout(() => request.resume(), 1000);
		});
		request.on('close', () => upstream.note('deaf closed'));
	},
	/** Announces more than it sends. */
	async torn(request, response) {
		response.writeHead(200, { 'content-length': '1000000' });
		response.write(Buffer.alloc(100_000));
		await new Promise((resolve) => setTimeout(resolve, 50));
		response.destroy();
	},
	/** Says no before it has read the body. */
	early(request, response) {
		response.writeHead(413, { connection: 'close' }).end('too much');
	},
	gzip: (request, response) => packed(response, 'gzip', gzipSync(PLAIN)),
	br: (request, response) => packed(response, 'br', brotliCompressSync(PLAIN)),
	zstd: (request, response, url, upstream) => packed(response, 'zstd', upstream.zstd),
};

function packed(response, coding, bytes) {
	response.writeHead(200, { 'content-encoding': coding, 'content-length': bytes.length });
	response.end(bytes);
}

/** One server, its record, and where it listens. */
export class Upstream {
	/** @type {string[]} */
	notes = [];
	/** The heads of all requests. @type {{method: string, url: string, headers: any}[]} */
	heads = [];
	connections = 0;
	zstd = Buffer.alloc(0);
	#sockets = new Set();

	/** @param {any} server @param {string} scheme @param {string} host */
	constructor(server, scheme, host) {
		this.server = server;
		this.scheme = scheme;
		this.host = host;
		server.on('request', (request, response) => this.#serve(request, response));
		server.on(scheme === 'https' ? 'secureConnection' : 'connection', () => this.connections++);
		server.on('connection', (socket) => {
			this.#sockets.add(socket);
			socket.on('error', () => {});
			socket.on('close', () => this.#sockets.delete(socket));
		});
	}

	#serve(request, response) {
		const url = new URL(request.url, 'http://x/');
		this.heads.push({ method: request.method, url: request.url, headers: request.headers });
		request.on('error', () => {});
		response.on('error', () => {});
		const act = paths[url.pathname.slice(1)];
		if (act === undefined) response.writeHead(404).end('no such path');
		else Promise.resolve(act(request, response, url, this)).catch(() => response.destroy());
	}

	note(text) {
		this.notes.push(text);
	}

	/** Waits for a note that was not there at `from`. */
	noted(text, from = 0) {
		return until(() => this.notes.indexOf(text, from) >= 0, `"${text}" upstream`);
	}

	get port() {
		return this.server.address().port;
	}

	get url() {
		return `${this.scheme}://${this.host}:${this.port}`;
	}

	async close() {
		for (const socket of this.#sockets) socket.destroy();
		this.server.close();
	}
}

async function listen(t, server, scheme, host) {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const upstream = new Upstream(server, scheme, host);
	t.after(() => upstream.close());
	return upstream;
}

/** @param {import('node:test').TestContext} t */
export async function plainUpstream(t) {
	const upstream = await listen(t, http.createServer(), 'http', '127.0.0.1');
	const folder = folderOf(t, { plain: PLAIN });
	await run('zstd', ['-q', join(folder, 'plain')]);
	upstream.zstd = readFileSync(join(folder, 'plain.zst'));
	return upstream;
}

/**
 * A certificate for localhost, made by openssl: its own authority.
 * @param {import('node:test').TestContext} t
 * @returns {Promise<{file: string, key: Buffer, cert: Buffer}>}
 */
export async function certificate(t) {
	const folder = folderOf(t);
	const [key, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
	const made = await run('openssl', [
		...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
		...['-keyout', key, '-out', file, '-days', '2', '-subj', '/CN=localhost'],
		...['-addext', 'subjectAltName=DNS:localhost'],
	]);
	if (made.status !== 0) throw new Error(made.stderr);
	return { file, key: readFileSync(key), cert: readFileSync(file) };
}

/** @param {import('node:test').TestContext} t */
export function tlsUpstream(t, { key, cert }) {
	return listen(t, https.createServer({ key, cert }), 'https', 'localhost');
}

/** Speaks HTTP/2 alone. @param {import('node:test').TestContext} t */
export function http2Upstream(t, { key, cert }) {
	return listen(t, http2.createSecureServer({ key, cert }), 'https', 'localhost');
}
