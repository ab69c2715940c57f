// SPDX-License-Identifier: BSD-2-Clause
/*
 * From a request to its reply. This is the hot path: a handler that returns a
 * string costs one Request, one context and nothing else.
 */
import { BareContext, fullContext } from './context.js';
import { lazy } from './lazy.js';
import { abortRequest, endRequest, isLive, nativeRequest, requestSlot } from './request.js';
import { bindSettle, findSlot } from './slots.js';

const replies = lazy(() => require('./reply.js'));
const bodyErrors = lazy(() => require('./bodyerror.js'));
const errors = lazy(() => require('./errors.js'));
const domexception = lazy(() => require('./domexception.js'));

/** Content-Type alone, see docs/worker.md. */
const TEXT = 0;
const ABORT_TIME = 2;
const { then } = Promise.prototype;

/** @type {Function | null} */
let handler = null;
let namesContext = false;
let missing = 'The worker has no default export';

/** The request whose handler runs now. */
let current = null;

/** @param {(register: (namespace: any) => void) => Promise<unknown>} moduleFunction */
export async function load(moduleFunction) {
	await moduleFunction((namespace) => {
		const value = namespace?.default;
		if (typeof value === 'function') {
			handler = value;
			namesContext = value.length >= 2;
		} else if (value !== undefined) {
			missing = `The worker's default export is not a function but ${value === null ? 'null' : typeof value}`;
		}
	});
}

/**
 * A request begins.
 * @param {number} id
 * @returns {string | undefined} a string is the whole reply
 */
export function request(id) {
	/* The engine ended the turn of the one before. */
	if (current !== null) endRequest(current, false);
	if (handler === null) {
		const file = errors().workerFile();
		native.fail(id, 500, file === null ? missing : `${file}: ${missing}`);
		return undefined;
	}
	const incoming = (current = nativeRequest(id));
	let result;
	try {
		const context = namesContext ? fullContext(incoming) : new BareContext(incoming);
		result = handler(incoming, context);
		if (typeof result !== 'string') {
			answer(id, incoming, result);
			current = null;
			return undefined;
		}
	} catch (error) {
		current = null;
		refuse(id, incoming, error, true);
		return undefined;
	}
	current = null;
	endRequest(incoming, true);
	return result;
}

function answer(id, incoming, result) {
	if (result !== null && typeof result === 'object') {
		if (result instanceof Promise || typeof result.then === 'function') {
			const slot = requestSlot(incoming);
			const promise = result instanceof Promise ? result : Promise.resolve(result);
			/* The engine's own: it calls one of the two, and only once. */
			then.call(promise, slot.resolved, slot.rejected);
			return;
		}
	}
	replies().reply(id, incoming, result);
}

function refuse(id, incoming, error, reusable) {
	endRequest(incoming, reusable);
	native.fail(id, bodyErrors().statusOf(error), errors().describeFailure(error));
}

function resolved(slot, result) {
	const incoming = slot.request;
	if (incoming === null) {
		replies().discard(result);
		return;
	}
	const { id } = slot;
	try {
		if (typeof result === 'string') {
			native.respond(id, 200, TEXT, result);
			endRequest(incoming, true);
		} else {
			replies().reply(id, incoming, result);
		}
	} catch (error) {
		refuse(id, incoming, error, true);
	}
}

function rejected(slot, reason) {
	if (slot.request !== null) refuse(slot.id, slot.request, reason, true);
}

bindSettle(resolved, rejected);

/**
 * The request ended from outside.
 * @param {number} id
 * @param {number} reason enum sk_abort_reason
 */
export function abort(id, reason) {
	const incoming = findSlot(id)?.request;
	if (incoming === undefined || incoming === null || !isLive(incoming)) return;
	const { DOMException } = domexception();
	abortRequest(
		incoming,
		reason === ABORT_TIME
			? new DOMException("The route's time is up", 'TimeoutError')
			: new DOMException('The client is gone', 'AbortError'),
	);
}
