// SPDX-License-Identifier: BSD-2-Clause

import { couch, documentPath, failure, json, notFound, shown } from './couch.js';

export default async (_request, { params }) => {
	const path = documentPath(params.id);
	if (!path) return notFound(params.id);
	const answer = await couch('GET', path);
	return answer.ok ? json(shown(answer.data)) : failure(answer, params.id);
};
