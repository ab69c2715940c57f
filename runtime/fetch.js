// SPDX-License-Identifier: BSD-2-Clause
/*
 * fetch. A route has no way out unless its policy names one, and nothing grants
 * one before the egress stands behind this call: it checks its arguments as
 * the standard has it, then it is refused.
 */

import { Request } from './request.js';
import { needArguments } from './webidl.js';

/** @param {string} method @param {string} url */
function violation(method, url) {
	const error = new Error(`POLICY_VIOLATION [ ${method} ${url} ]`);
	return Object.assign(error, { code: 'POLICY_VIOLATION' });
}

export async function fetch(input, init = undefined) {
	needArguments(arguments.length, 1, 'fetch');
	const request = new Request(input, init);
	request.signal.throwIfAborted();
	throw violation(request.method, request.url);
}
