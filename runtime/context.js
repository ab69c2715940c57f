// SPDX-License-Identifier: BSD-2-Clause
/*
 * The second argument of a handler: params, query, env. Each is fetched when it
 * is first read.
 */
import { lazy } from './lazy.js';
import { requestId } from './request.js';

const searchParams = lazy(() => require('./searchparams.js'));

const env = Object.freeze(Object.create(null));

function readParams(request) {
	const list = native.requestParams(requestId(request));
	const params = Object.create(null);
	for (let i = 0; i < list.length; i += 2) params[list[i]] = list[i + 1];
	return params;
}

function readQuery(request) {
	const { URLSearchParams } = searchParams();
	return new URLSearchParams(native.requestQuery(requestId(request)));
}

/**
 * The context with own properties. Its closures cost more than all else that a
 * plain request needs, hence BareContext.
 * @param {import('./request.js').Request} request
 */
export function fullContext(request) {
	let params, query;
	return {
		get params() {
			return (params ??= readParams(request));
		},
		get query() {
			return (query ??= readQuery(request));
		},
		env,
	};
}

/** The same for handlers that do not name a second parameter. */
export class BareContext {
	#request;
	#params;
	#query;

	/** @param {import('./request.js').Request} request */
	constructor(request) {
		this.#request = request;
	}

	get params() {
		return (this.#params ??= readParams(this.#request));
	}
	get query() {
		return (this.#query ??= readQuery(this.#request));
	}
	get env() {
		return env;
	}
}
