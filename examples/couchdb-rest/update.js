// SPDX-License-Identifier: BSD-2-Clause

import { couch, documentPath, failure, json, notFound, received } from './couch.js';

export default async (request, { params }) => {
	const path = documentPath(params.id);
	if (!path) return notFound(params.id);
	const person = await received(request);
	if (!person?.name || !person.rev) return json({ error: 'name and rev are needed' }, 400);
	const { id: _, rev, ...fields } = person;
	const answer = await couch('PUT', path, { ...fields, _rev: rev });
	if (!answer.ok) return failure(answer, params.id);
	return json({ id: answer.data.id, rev: answer.data.rev });
};
