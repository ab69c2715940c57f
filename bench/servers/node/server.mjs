// SPDX-License-Identifier: BSD-2-Clause

import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('server.js', import.meta.url));

export default [
	{
		name: 'node',
		title: `Node ${process.versions.node.split('.')[0]} http`,
		cases: ['hello', 'json', 'echo', 'fetch', 'stream'],
		missing: () => undefined,
		version: () => process.versions.node,
		command: ({ case: name, port }) => ({
			argv: [process.execPath, script, name, String(port)],
		}),
	},
];
