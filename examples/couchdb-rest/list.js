// SPDX-License-Identifier: BSD-2-Clause

import { couch, failure, json, shown } from './couch.js';

export default async () => {
	const answer = await couch('GET', '/_all_docs?include_docs=true');
	if (!answer.ok) return failure(answer);
	const people = answer.data.rows
		.filter(({ id }) => !id.startsWith('_'))
		.map(({ doc }) => shown(doc));
	return json({ people });
};
