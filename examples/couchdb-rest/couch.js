// SPDX-License-Identifier: BSD-2-Clause
// What the routes have in common. Each is bundled with a copy of its own.

import { database, password, user } from './settings.js';

export const json = (value, status = 200, headers = {}) =>
	new Response(`${JSON.stringify(value)}\n`, {
		status,
		headers: { 'content-type': 'application/json', ...headers },
	});

/** One call to the database. */
export async function couch(method, path, value = undefined) {
	const reply = await fetch(database + path, {
		method,
		headers: {
			accept: 'application/json',
			authorization: `Basic ${btoa(`${user}:${password}`)}`,
			...(value && { 'content-type': 'application/json' }),
		},
		body: value && JSON.stringify(value),
	});
	return { status: reply.status, ok: reply.ok, data: await reply.json() };
}

/** The path of a document. What begins with "_" is the database's own. */
export const documentPath = (id) => (id.startsWith('_') ? null : `/${encodeURIComponent(id)}`);

export const notFound = (id) => json({ error: `there is no ${id}` }, 404);

/** What the database said instead of yes. */
export function failure({ status, data }, id = 'database') {
	if (status === 404) return notFound(id);
	if (status === 409) return json({ error: 'somebody changed it meanwhile' }, 409);
	return json({ error: `the database answered ${status}: ${data.reason}` }, 502);
}

/** A person as clients see it. */
export const shown = ({ _id: id, _rev: rev, ...fields }) => ({ ...fields, id, rev });

/** The JSON object that a client sent, or null. */
export async function received(request) {
	try {
		const value = await request.json();
		const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
		return isObject && !Object.keys(value).some((key) => key.startsWith('_')) ? value : null;
	} catch {
		return null;
	}
}
