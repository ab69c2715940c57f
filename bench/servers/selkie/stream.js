// SPDX-License-Identifier: BSD-2-Clause
import { upstream } from './upstream.js';

export default async () => {
	const reply = await fetch(`${upstream}/stream`);
	return new Response(reply.body, { headers: { 'content-type': 'application/octet-stream' } });
};
