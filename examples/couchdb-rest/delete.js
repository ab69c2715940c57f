// SPDX-License-Identifier: BSD-2-Clause

import { couch, documentPath, failure, json, notFound } from './couch.js';

export default async (_request, { params, query }) => {
	const path = documentPath(params.id);
	if (!path) return notFound(params.id);
	const rev = query.get('rev');
	if (!rev) return json({ error: 'which rev?' }, 400);
	const answer = await couch('DELETE', `${path}?rev=${encodeURIComponent(rev)}`);
	return answer.ok ? new Response(null, { status: 204 }) : failure(answer, params.id);
};
