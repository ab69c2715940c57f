// SPDX-License-Identifier: BSD-2-Clause

import { nginxServer } from '../../lib/nginx.mjs';

const here = import.meta.url;

export default [
	nginxServer({ name: 'nginx', title: 'nginx `return 200`', cases: ['hello'], here }),
	nginxServer({
		name: 'nginx-2',
		title: 'nginx `return 200`, 2 workers',
		cases: ['hello'],
		here,
		workers: 2,
	}),
];
