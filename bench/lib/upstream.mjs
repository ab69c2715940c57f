// SPDX-License-Identifier: BSD-2-Clause
// The nginx that the cases `fetch` and `stream` call.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { streamed } from './cases.mjs';
import { nginxServer } from './nginx.mjs';
import { benchRoot, output, upstreamPort } from './paths.mjs';
import { Server } from './server.mjs';

export async function startUpstream() {
	const definition = nginxServer({
		name: 'upstream',
		title: 'upstream',
		cases: [],
		here: `file://${join(benchRoot, 'upstream')}/`,
	});
	const folder = join(output, 'run', 'upstream');
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'stream'), streamed);
	const { argv } = definition.command({ case: '', port: upstreamPort, folder });
	const server = Server.start('upstream', argv);
	await server.answer({ path: '/hello', port: upstreamPort });
	return server;
}
