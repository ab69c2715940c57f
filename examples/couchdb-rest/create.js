// SPDX-License-Identifier: BSD-2-Clause

import { couch, failure, json, received } from './couch.js';

export default async (request) => {
	const person = await received(request);
	if (!person?.name) return json({ error: 'a person has a name' }, 400);
	const answer = await couch('POST', '', person);
	if (!answer.ok) return failure(answer);
	const { id, rev } = answer.data;
	return json({ id, rev }, 201, { location: `/people/${encodeURIComponent(id)}` });
};
