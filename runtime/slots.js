// SPDX-License-Identifier: BSD-2-Clause
/*
 * Requests that outlive the call that brought them: those whose handler
 * returned a promise, reads a body, listens to the signal or streams.
 *
 * A slot holds the two functions that the handler's promise calls, so that they
 * are made once and not for each request. It is used again only after that
 * promise has settled: one of a request that ended from outside may still
 * settle later, and must not answer another.
 */

const MOST_SPARE = 256;

/** By the request's id. @type {Map<number, Slot>} */
const live = new Map();
/** @type {Slot[]} */
const spare = [];

/** What a settled handler promise is handed to. Set by dispatch.js. */
let onResolved, onRejected;

export class Slot {
	constructor() {
		this.id = 0;
		/** @type {import('./request.js').Request | null} */
		this.request = null;
		/** @type {import('./nativebody.js').NativeBody | null} */
		this.body = null;
		/** @type {(() => void) | null} called when the reply's window opens */
		this.onDrain = null;
		/** @type {((reason: unknown) => void) | null} tells the sender of a stream */
		this.onAbort = null;
		/** @type {import('./abort.js').AbortController | null} */
		this.controller = null;
		this.resolved = (value) => onResolved(this, value);
		this.rejected = (reason) => onRejected(this, reason);
	}
}

export function bindSettle(resolved, rejected) {
	onResolved = resolved;
	onRejected = rejected;
}

/**
 * The slot for a request that begins to need one.
 * @param {number} id
 * @param {import('./request.js').Request} request
 */
export function takeSlot(id, request) {
	const slot = spare.pop() ?? new Slot();
	slot.id = id;
	slot.request = request;
	live.set(id, slot);
	return slot;
}

/**
 * The request has ended.
 * @param {Slot} slot
 * @param {boolean} reusable no promise of the handler can still call into the slot
 * @param {unknown} [reason] what those who still read the body get to see
 */
export function releaseSlot(slot, reusable, reason = undefined) {
	const { body } = slot;
	live.delete(slot.id);
	slot.request = null;
	slot.body = null;
	slot.onDrain = null;
	slot.onAbort = null;
	slot.controller = null;
	if (body !== null) {
		body.end(reason ?? new Error('The request has ended: its body can no longer be read'));
	}
	if (reusable && spare.length < MOST_SPARE) spare.push(slot);
}

/** @param {number} id @returns {Slot | undefined} */
export function findSlot(id) {
	return live.get(id);
}

/** @param {number} id */
export function bodyReady(id) {
	live.get(id)?.body?.ready();
}

/** @param {number} id */
export function bodyDrain(id) {
	live.get(id)?.onDrain?.();
}
