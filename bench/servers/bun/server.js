// SPDX-License-Identifier: BSD-2-Clause
// bun server.js CASE PORT: one handler, no routing.

import { handlersFor } from '../../lib/handlers.mjs';

const [, , name, port] = process.argv;
Bun.serve({
	hostname: '127.0.0.1',
	port: Number(port),
	fetch: handlersFor(Number(port) + 1)[name],
});
