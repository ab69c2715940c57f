// SPDX-License-Identifier: BSD-2-Clause
// deno run server.js CASE PORT: one handler, no routing.

import { handlersFor } from '../../lib/handlers.mjs';

const [name, port] = Deno.args;
Deno.serve(
	{ hostname: '127.0.0.1', port: Number(port), onListen() {} },
	handlersFor(Number(port) + 1)[name],
);
