// SPDX-License-Identifier: BSD-2-Clause

import { nginxServer } from '../../lib/nginx.mjs';

export default [
	nginxServer({
		name: 'njs',
		title: 'nginx + njs',
		cases: ['hello', 'json', 'echo'],
		here: import.meta.url,
		needs: ['ngx_http_js_module.so'],
	}),
];
