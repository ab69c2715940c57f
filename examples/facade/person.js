// SPDX-License-Identifier: BSD-2-Clause

import { api } from './settings.js';

const json = (value, status = 200) =>
	new Response(`${JSON.stringify(value, null, '\t')}\n`, {
		status,
		headers: { 'content-type': 'application/json' },
	});

async function get(path) {
	const reply = await fetch(api + path, { headers: { accept: 'application/vnd.github+json' } });
	return { status: reply.status, ok: reply.ok, data: await reply.json() };
}

export default async (_request, { params }) => {
	const path = `/users/${encodeURIComponent(params.name)}`;
	const [person, repos] = await Promise.all([
		get(path),
		get(`${path}/repos?sort=pushed&per_page=5`),
	]);
	if (person.status === 404) return json({ error: `nobody is called ${params.name}` }, 404);
	if (!person.ok || !repos.ok) return json({ error: 'the API gave no answer' }, 502);
	const { login, name, bio, html_url: page } = person.data;
	return json({
		login,
		name,
		bio,
		page,
		latest: repos.data.map(({ name, description, stargazers_count: stars }) => ({
			name,
			description,
			stars,
		})),
	});
};
