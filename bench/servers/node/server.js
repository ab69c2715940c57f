// SPDX-License-Identifier: BSD-2-Clause
// node server.js CASE PORT: one handler, no routing.

import http from 'node:http';
import { Readable } from 'node:stream';

const [, , name, port] = process.argv;
const upstream = `http://127.0.0.1:${Number(port) + 1}`;

const handlers = {
	hello(request, response) {
		response.setHeader('Content-Type', 'text/plain;charset=UTF-8');
		response.end('Hello from the sea\n');
	},
	json(request, response) {
		const body = JSON.stringify({
			method: request.method,
			url: `http://${request.headers.host}${request.url}`,
			header: request.headers['x-bench'],
		});
		response.setHeader('Content-Type', 'application/json');
		response.end(body);
	},
	echo(request, response) {
		const pieces = [];
		request.on('data', (piece) => pieces.push(piece));
		request.on('end', () => {
			response.setHeader('Content-Type', 'application/octet-stream');
			response.end(Buffer.concat(pieces));
		});
	},
	async fetch(request, response) {
		const reply = await fetch(`${upstream}/hello`);
		response.setHeader('Content-Type', 'text/plain;charset=UTF-8');
		response.end(await reply.text());
	},
	async stream(request, response) {
		const reply = await fetch(`${upstream}/stream`);
		response.setHeader('Content-Type', 'application/octet-stream');
		Readable.fromWeb(reply.body).pipe(response);
	},
};

http.createServer({ keepAliveTimeout: 75000 }, handlers[name]).listen(Number(port), '127.0.0.1');
