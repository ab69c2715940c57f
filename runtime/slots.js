// SPDX-License-Identifier: BSD-2-Clause
/*
 * Requests that outlive the call that brought them: those whose handler
 * returned a promise, reads a body, listens to the signal or streams.
 *
 * An id is used again as soon as its request has ended, and a promise of the
 * earlier request may still settle then. So a slot belongs to one request
 * at a time, is reused only after its promise has settled, and is thrown away when the
 * request ended from outside.
 */

/** @type {(Slot | undefined)[]} */
const slots = [];

/** What a settled handler promise is handed to. Set by dispatch.js. */
let onResolved, onRejected;

export class Slot {
	/** @param {number} id */
	constructor(id) {
		this.id = id;
		/** @type {import('./request.js').Request | null} */
		this.request = null;
		/** @type {import('./nativebody.js').NativeBody | null} */
		this.body = null;
		/** @type {(() => void) | null} called when the reply's window opens */
		this.onDrain = null;
		/** @type {((reason: unknown) => void) | null} tells the sender of a stream */
		this.onAbort = null;
		/** @type {AbortController | null} */
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
	let slot = slots[id];
	if (slot === undefined || slot.request !== null) slot = slots[id] = new Slot(id);
	slot.request = request;
	return slot;
}

/**
 * The request has its reply. `settled` tells whether the handler's promise can
 * still call into the slot.
 * @param {Slot} slot
 * @param {boolean} reusable
 */
export function releaseSlot(slot, reusable) {
	slot.body?.end(new Error('The request has ended: its body can no longer be read'));
	slot.request = null;
	slot.body = null;
	slot.onDrain = null;
	slot.onAbort = null;
	slot.controller = null;
	if (!reusable && slots[slot.id] === slot) slots[slot.id] = undefined;
}

/** @param {number} id @returns {Slot | undefined} */
export function findSlot(id) {
	return slots[id];
}

/** @param {number} id */
export function bodyReady(id) {
	slots[id]?.body?.ready();
}

/** @param {number} id */
export function bodyDrain(id) {
	slots[id]?.onDrain?.();
}
