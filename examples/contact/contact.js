// SPDX-License-Identifier: BSD-2-Clause

import { from, key, messages, to } from './settings.js';

const json = (value, status = 200) =>
	new Response(`${JSON.stringify(value)}\n`, {
		status,
		headers: { 'content-type': 'application/json' },
	});

/** A field on one line. */
const line = (value) =>
	String(value ?? '')
		.replace(/\s+/g, ' ')
		.trim();

function mailOf(form) {
	const mail = new FormData();
	mail.append('from', from);
	mail.append('to', to);
	mail.append('h:Reply-To', line(form.get('email')));
	mail.append('subject', `Message from ${line(form.get('name')) || 'a visitor'}`);
	mail.append('text', form.get('message'));
	const file = form.get('attachment');
	if (file instanceof File && file.size > 0) mail.append('attachment', file, file.name);
	return mail;
}

export default async (request) => {
	const form = await request.formData();
	if (!/^\S+@\S+$/.test(line(form.get('email')))) return json({ error: 'which address?' }, 400);
	if (line(form.get('message')) === '') return json({ error: 'an empty message' }, 400);
	const reply = await fetch(messages, {
		method: 'POST',
		headers: { authorization: `Basic ${btoa(`api:${key}`)}` },
		body: mailOf(form),
	});
	if (!reply.ok) {
		console.error(`the mail was not taken: ${reply.status} ${await reply.text()}`);
		return json({ error: 'the message could not be sent' }, 502);
	}
	console.log(`sent as ${(await reply.json()).id}`);
	return new Response(null, { status: 303, headers: { location: '/thanks' } });
};
