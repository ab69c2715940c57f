// SPDX-License-Identifier: BSD-2-Clause
// examples/contact against an API that speaks as Mailgun's does, over TLS.

import assert from 'node:assert/strict';
import { File } from 'node:buffer';
import test from 'node:test';
import { secureServer } from './authority.mjs';
import { serveExample } from './example.mjs';
import { header } from './http.mjs';

const host = 'api.mailgun.net';

/** The API, which gives one answer to all, and what it was sent. @param {{status: number, data: object}} [answer] */
async function mailgun(
	t,
	answer = { status: 200, data: { id: '<1@mail.example.com>', message: 'Queued' } },
) {
	/** @type {any[]} */
	const mails = [];
	const api = await secureServer(t, host, async (request, reply) => {
		const pieces = [];
		for await (const piece of request) pieces.push(piece);
		const { method, url, headers } = request;
		const form = await new Response(Buffer.concat(pieces), {
			headers: { 'content-type': headers['content-type'] ?? '' },
		}).formData();
		mails.push({ method, url, headers, form });
		reply.writeHead(answer.status, { 'content-type': 'application/json' });
		reply.end(JSON.stringify(answer.data));
	});
	const app = await serveExample(t, 'contact', {
		from: `https://${host}`,
		to: `https://${host}:${api.port}`,
		args: api.args,
	});
	return { app, mails };
}

const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => i & 255);

/** What a browser sends. @param {Record<string, string>} fields @param {File} [file] */
function filled(fields, file) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	if (file) form.append('attachment', /** @type {any} */ (file), file.name);
	return { method: 'POST', body: form, redirect: /** @type {const} */ ('manual') };
}

const good = { name: 'Ada', email: 'ada@example.com', message: 'Dear Sirs,\r\nÄ "quote".' };

test('the site is served', async (t) => {
	const { app } = await mailgun(t);
	assert.match((await app.request('/')).text, /<form action="\/contact" method="post"/);
	assert.match((await app.request('/thanks')).text, /Thank you/);
});

test('the form goes to the API as multipart, with a file', async (t) => {
	const { app, mails } = await mailgun(t);
	const file = new File([bytes], 'sea "map".bin', { type: 'application/x-map' });
	const reply = await app.fetch('/contact', filled(good, file));
	assert.equal(reply.status, 303, await reply.text());
	assert.equal(reply.headers.get('location'), '/thanks');
	const [{ method, url, headers, form }] = mails;
	assert.equal(`${method} ${url}`, 'POST /v3/mail.example.com/messages');
	assert.equal(headers.authorization, `Basic ${btoa('api:put-your-key-here')}`);
	assert.match(headers['content-type'], /^multipart\/form-data; boundary=/);
	assert.deepEqual(
		[...form].filter(([name]) => name !== 'attachment'),
		[
			['from', 'Website <website@mail.example.com>'],
			['to', 'office@example.com'],
			['h:Reply-To', 'ada@example.com'],
			['subject', 'Message from Ada'],
			['text', good.message],
		],
	);
	const sent = form.get('attachment');
	assert.equal(sent.name, 'sea "map".bin');
	assert.equal(sent.type, 'application/x-map');
	assert.deepEqual(new Uint8Array(await sent.arrayBuffer()), bytes);
	await app.prints(/sent as <1@mail\.example\.com>/);
});

test('a name cannot add a line to the mail', async (t) => {
	const { app, mails } = await mailgun(t);
	await app.fetch('/contact', filled({ ...good, name: 'Ada\r\nBcc: all@example.com' }));
	assert.equal(mails[0].form.get('subject'), 'Message from Ada Bcc: all@example.com');
});

test('a form without an address sends nothing', async (t) => {
	const { app, mails } = await mailgun(t);
	const reply = await app.fetch('/contact', filled({ ...good, email: 'nowhere' }));
	assert.equal(reply.status, 400);
	assert.deepEqual(mails, []);
});

test('a refusal of the API is told to the log, and not to the visitor', async (t) => {
	const { app } = await mailgun(t, { status: 401, data: { message: 'Invalid private key' } });
	const reply = await app.request('/contact', {
		method: 'POST',
		headers: { 'content-type': 'application/x-www-form-urlencoded' },
		body: new URLSearchParams(good).toString(),
	});
	assert.equal(reply.status, 502);
	assert.equal(reply.text, '{"error":"the message could not be sent"}\n');
	assert.equal(header(reply, 'content-type'), 'application/json');
	await app.prints(/the mail was not taken: 401 .*Invalid private key/);
});
