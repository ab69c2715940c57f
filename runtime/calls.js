// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls out, one number each (docs/worker.md). A call is *waiting* until its
 * reply's head is there, then *reading* until the end of the body, a failure or
 * an abort; its number is dead from then on and can be given to no other call.
 *
 * What nobody has asked for yet is read ahead up to a few KB. So a small reply frees
 * its number without a reader, and a large one holds the egress back.
 *
 * The table holds a Call, never the body that user code reads: a reply
 * that is forgotten unread is collected, and its call then cancelled.
 */
import { lazy } from './lazy.js';
import { NativeBody } from './nativebody.js';

const errors = lazy(() => require('./fetcherrors.js'));
const timers = lazy(() => require('./timers.js'));

/** What the hook says (docs/worker.md). */
const REPLY = 0,
	READY = 1,
	DRAIN = 2,
	FAILED = 3;

const READ_AHEAD = 16384;
/** A body that nobody wants is read to its end when it is short: the connection lives on then. */
const THROW_AWAY = 65536;

/** A full collection costs milliseconds: at most one in so many. */
const COLLECT_PAUSE = 1000;
/** Who waits for a number looks again after so many ms in any case. */
const LOOK_AGAIN = 1000;

/** @type {Map<number, Call>} */
const live = new Map();
/** Who waits for a number. @type {Set<() => void>} */
const queue = new Set();
let collected = Number.NEGATIVE_INFINITY;

/**
 * @typedef {object} Listener who started a call
 * @property {(call: Call, head: any[]) => void} onReply [status, statusText, name, value, …]
 * @property {(error: unknown) => void} onFailure before the reply
 * @property {(kind: number, text: string) => unknown} explain makes an error of a failure
 */

export class Call {
	#number;
	#listener;
	#waiting = true;
	/** Read ahead. @type {Uint8Array[]} */
	#chunks = [];
	#held = 0;
	#ended = false;
	#broken = false;
	#error;

	/** @param {number} number @param {Listener} listener */
	constructor(number, listener) {
		this.#number = number;
		this.#listener = listener;
		/** Announced bytes of the reply's body, or -1. */
		this.length = -1;
		/** @type {import('./pump.js').Pump | null} */
		this.upload = null;
		/** @type {(() => void) | null} called once, when take() has news */
		this.waiter = null;
		/** @type {(() => void) | null} called when the number is dead */
		this.onOver = null;
		live.set(number, this);
	}

	get over() {
		return this.#number < 0;
	}

	/** The hook. */
	event(what) {
		if (what === READY) this.#news();
		else if (what === REPLY) this.#reply();
		else if (what === DRAIN) this.upload?.drain();
		else if (what === FAILED) this.#failed();
	}

	#reply() {
		const head = native.callReply(this.#number);
		this.#waiting = false;
		this.#readAhead();
		this.#listener.onReply(this, head);
	}

	#failed() {
		const [kind, text] = native.callFailure(this.#number);
		this.#break(this.#listener.explain(kind, text));
	}

	#news() {
		const { waiter } = this;
		this.waiter = null;
		if (waiter !== null) waiter();
		else this.#readAhead();
	}

	#readAhead() {
		while (!this.#ended && this.#held < READ_AHEAD) {
			const chunk = this.#pull();
			if (!chunk) return;
			this.#chunks.push(chunk);
			this.#held += chunk.byteLength;
		}
	}

	#pull() {
		const chunk = native.callRead(this.#number);
		if (chunk === null) {
			this.#ended = true;
			this.#finish(undefined);
		}
		return chunk;
	}

	/**
	 * The next chunk of the reply's body, null at the end, undefined when none
	 * is there yet. Throws what broke the body off.
	 * @returns {Uint8Array | null | undefined}
	 */
	take() {
		if (this.#broken) throw this.#error;
		const chunk = this.#chunks.shift();
		if (chunk !== undefined) {
			this.#held -= chunk.byteLength;
			return chunk;
		}
		return this.#ended ? null : this.#pull();
	}

	/** The rest goes to that request in C; `waiter` is called at the end. */
	passTo(id) {
		if (this.#number >= 0) native.callRelay(this.#number, id);
	}

	/** Cancels. Who waits or reads gets `reason`. @param {unknown} reason */
	abort(reason) {
		if (this.#number < 0) return;
		native.callAbort(this.#number);
		this.#break(reason);
	}

	/** The reply's body is of no use. */
	discard() {
		let bytes = 0;
		const step = () => {
			for (;;) {
				if (this.#broken) return;
				const chunk = this.take();
				if (chunk === null) return;
				if (chunk === undefined) {
					this.waiter = step;
					return;
				}
				bytes += chunk.byteLength;
				if (bytes > THROW_AWAY) this.abort(undefined);
			}
		};
		step();
	}

	#break(error) {
		this.#broken = true;
		this.#error = error;
		this.#chunks = [];
		this.#finish(error);
		if (this.#waiting) this.#listener.onFailure(error);
		else this.#news();
	}

	#finish(error) {
		live.delete(this.#number);
		this.#number = -1;
		this.upload?.stop(error);
		this.upload = null;
		this.onOver?.();
		this.onOver = null;
		for (const next of queue) {
			next();
			break;
		}
	}

	/** More of the request's body: the free window, 0 or -1, see callWrite. */
	write(bytes) {
		return this.#number < 0 ? -1 : native.callWrite(this.#number, bytes);
	}

	/** The request's body is complete. */
	end() {
		this.upload = null;
		if (this.#number >= 0) native.callEnd(this.#number);
	}
}

/** Cancels what was collected unread. */
const unread = new FinalizationRegistry((call) => call.abort(undefined));

/** The body of a reply. */
export class CallBody extends NativeBody {
	#call;

	/** @param {Call} call */
	constructor(call) {
		super(0);
		this.#call = call;
		if (!call.over) unread.register(this, call);
	}

	get length() {
		return this.#call.length;
	}

	read() {
		return this.#call.take();
	}

	wait(callback) {
		this.#call.waiter = callback;
	}

	passTo(id) {
		this.#call.passTo(id);
	}

	cancel() {
		this.#call.abort(errors().cancelled());
	}
}

/**
 * All numbers are taken: calls back when one may be free. Some may be held by
 * replies that were forgotten unread, which a collection finds.
 * @param {() => void} callback
 */
export function whenFree(callback) {
	const now = native.now();
	if (now - collected >= COLLECT_PAUSE) {
		collected = now;
		native.collect();
	}
	const once = () => {
		if (!queue.delete(once)) return;
		timers().clearTimeout(timer);
		callback();
	};
	const timer = timers().setTimeout(once, LOOK_AGAIN);
	queue.add(once);
}

/**
 * The hook: a call goes on.
 * @param {number} number
 * @param {number} what
 */
export function callEvent(number, what) {
	live.get(number)?.event(what);
}
