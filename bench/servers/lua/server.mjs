// SPDX-License-Identifier: BSD-2-Clause

import { nginxServer } from '../../lib/nginx.mjs';

export default [
	nginxServer({
		name: 'lua',
		title: 'nginx + Lua',
		cases: ['hello', 'json', 'echo'],
		here: import.meta.url,
		needs: ['ndk_http_module.so', 'ngx_http_lua_module.so'],
	}),
];
