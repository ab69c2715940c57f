// SPDX-License-Identifier: BSD-2-Clause

import { packagedServer } from '../../lib/packaged.mjs';

export default [
	packagedServer({
		name: 'bun',
		title: 'Bun',
		here: import.meta.url,
		cases: ['hello', 'json', 'echo', 'fetch', 'stream'],
		programs: ['@oven/bun-linux-x64/bin/bun', '@oven/bun-linux-aarch64/bin/bun'],
		argv: (program, home, caseName, port) => [program, `${home}server.js`, caseName, String(port)],
		env: { NODE_ENV: 'production' },
	}),
];
