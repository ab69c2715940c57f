// SPDX-License-Identifier: BSD-2-Clause
// HTTP/1.1 for tests, byte for byte: what is sent is exactly what the test
// says, and what comes back is shown as it came.

import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';

/**
 * @typedef {object} Reply
 * @property {number} status
 * @property {[string, string][]} headers  as received, in order
 * @property {Buffer} body
 * @property {string} text
 */

/** All values of one header. @returns {string[]} */
export function headerValues(reply, name) {
	return reply.headers
		.filter(([key]) => key.toLowerCase() === name.toLowerCase())
		.map(([, value]) => value);
}

/** The one value of a header; undefined when it is not there. */
export function header(reply, name) {
	return headerValues(reply, name)[0];
}

/** A connection on which a test says every byte itself. */
export class RawConnection {
	#buffer = Buffer.alloc(0);
	#ended = false;
	#wake = () => {};

	/** @param {net.Socket} socket */
	constructor(socket) {
		this.socket = socket;
		socket.on('data', (data) => {
			this.#buffer = Buffer.concat([this.#buffer, data]);
			this.#wake();
		});
		const end = () => {
			this.#ended = true;
			this.#wake();
		};
		socket.on('end', end);
		socket.on('close', end);
		socket.on('error', end);
	}

	/** @returns {Promise<RawConnection>} */
	static async open(port, host = '127.0.0.1') {
		const socket = net.connect(port, host);
		await once(socket, 'connect');
		return new RawConnection(socket);
	}

	/** @param {string | Uint8Array} bytes  a string is sent as Latin-1 */
	send(bytes) {
		this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
	}

	close() {
		this.socket.destroy();
	}

	/** Reads until the server closes, and returns all of it. */
	async rest() {
		while (!this.#ended) await this.#more();
		const all = this.#buffer;
		this.#buffer = Buffer.alloc(0);
		return all;
	}

	/** Waits until the server has closed; true when nothing unread is left. */
	async closed() {
		return (await this.rest()).length === 0;
	}

	/**
	 * Reads one whole reply.
	 * @param {{head?: boolean}} [options]  head: the request's method was HEAD
	 * @returns {Promise<Reply>}
	 */
	async reply({ head = false } = {}) {
		const lines = (await this.#until('\r\n\r\n')).toString('latin1').split('\r\n');
		const status = Number(lines[0].split(' ')[1]);
		if (!/^HTTP\/1\.[01] \d{3}/.test(lines[0])) throw new Error(`not a reply: ${lines[0]}`);
		const headers = lines
			.slice(1)
			.filter((line) => line !== '')
			.map((line) => /** @type {[string, string]} */ (line.split(/:[ \t]*(.*)/s).slice(0, 2)));
		const body = await this.#body(
			{ headers },
			head || status < 200 || status === 204 || status === 304,
		);
		return { status, headers, body, text: body.toString('utf8') };
	}

	async #body(reply, none) {
		if (none) return Buffer.alloc(0);
		if (header(reply, 'transfer-encoding') === 'chunked') return this.#chunks();
		const length = header(reply, 'content-length');
		return length === undefined ? this.rest() : this.#take(Number(length));
	}

	async #chunks() {
		const pieces = [];
		for (;;) {
			const size = Number.parseInt((await this.#until('\r\n')).toString('latin1'), 16);
			pieces.push(await this.#take(size));
			await this.#until('\r\n');
			if (size === 0) return Buffer.concat(pieces);
		}
	}

	async #until(mark) {
		for (;;) {
			const at = this.#buffer.indexOf(mark);
			if (at >= 0) return this.#take(at + mark.length);
			await this.#need();
		}
	}

	async #take(length) {
		while (this.#buffer.length < length) await this.#need();
		const taken = this.#buffer.subarray(0, length);
		this.#buffer = this.#buffer.subarray(length);
		return taken;
	}

	async #need() {
		if (this.#ended)
			throw new Error(
				`the connection closed early, after ${JSON.stringify(this.#buffer.toString('latin1'))}`,
			);
		await this.#more();
	}

	#more() {
		return new Promise((resolve) => {
			this.#wake = () => resolve(undefined);
		});
	}
}

/** Sends bytes on a connection of their own; reads one reply. */
export async function rawRequest(port, bytes, options) {
	const connection = await RawConnection.open(port);
	try {
		connection.send(bytes);
		return await connection.reply(options);
	} finally {
		connection.close();
	}
}

/**
 * One request by node:http, which lets a test set any header. Like every
 * client it sends again what a kept connection did not take, because the
 * server closed it while it was idle.
 * @param {string} url
 * @param {http.RequestOptions & {body?: string | Uint8Array}} [options]
 * @returns {Promise<Reply>}
 */
export async function request(url, { body, ...options } = {}) {
	const sent = http.request(url, options);
	const answered = once(sent, 'response');
	sent.end(body);
	let message;
	try {
		[message] = /** @type {[http.IncomingMessage]} */ (await answered);
	} catch (error) {
		if (sent.reusedSocket && error.code === 'ECONNRESET') return request(url, { body, ...options });
		throw error;
	}
	const pieces = [];
	for await (const piece of message) pieces.push(piece);
	const whole = Buffer.concat(pieces);
	/** @type {[string, string][]} */
	const headers = [];
	for (let i = 0; i < message.rawHeaders.length; i += 2)
		headers.push([message.rawHeaders[i], message.rawHeaders[i + 1]]);
	return { status: message.statusCode ?? 0, headers, body: whole, text: whole.toString('utf8') };
}
