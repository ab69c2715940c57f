// SPDX-License-Identifier: BSD-2-Clause

import { packagedServer } from '../../lib/packaged.mjs';

export default [
	packagedServer({
		name: 'workerd',
		title: 'workerd',
		here: import.meta.url,
		programs: [
			'@cloudflare/workerd-linux-64/bin/workerd',
			'@cloudflare/workerd-linux-arm64/bin/workerd',
		],
		argv: (program, home, caseName, port) => [
			program,
			'serve',
			`${home}config.capnp`,
			caseName,
			'--socket-addr',
			`http=127.0.0.1:${port}`,
		],
	}),
];
