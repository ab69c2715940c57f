// SPDX-License-Identifier: BSD-2-Clause

import { packagedServer } from '../../lib/packaged.mjs';

export default [
	packagedServer({
		name: 'deno',
		title: 'Deno',
		here: import.meta.url,
		cases: ['hello', 'json', 'echo', 'fetch', 'stream'],
		programs: ['@deno/linux-x64-glibc/deno', '@deno/linux-arm64-glibc/deno'],
		argv: (program, home, caseName, port) => [
			program,
			'run',
			'--quiet',
			`--allow-net=127.0.0.1:${port},127.0.0.1:${port + 1}`,
			`${home}server.js`,
			caseName,
			String(port),
		],
		env: { DENO_NO_UPDATE_CHECK: '1' },
	}),
];
