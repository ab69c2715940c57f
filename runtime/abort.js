// SPDX-License-Identifier: BSD-2-Clause
/*
 * AbortController and AbortSignal.
 */
import { DOMException } from './domexception.js';
import { Event, EventTarget, eventAttribute, fireEvent, hasListeners } from './events.js';
import { setTimeout } from './timers.js';
import { INSPECT, idl, needArguments } from './webidl.js';

const SECRET = Symbol('secret');

let abortSignal, follow, addAlgorithm, dropAlgorithm;

export class AbortSignal extends EventTarget {
	#aborted = false;
	#reason = undefined;
	/** Signals made by any() that follow this one. @type {WeakRef<AbortSignal>[]} */
	#followers = [];
	/** Those that this one follows, kept alive by it. @type {AbortSignal[]} */
	#sources = [];
	/** Followers that somebody listens to: they live as long as this one. */
	#kept = new Set();
	/** Our own, run before the listeners. @type {Set<(reason: unknown) => void> | null} */
	#algorithms = null;

	static {
		addAlgorithm = (signal, algorithm) => {
			(signal.#algorithms ??= new Set()).add(algorithm);
			signal.#keep();
		};
		dropAlgorithm = (signal, algorithm) => {
			signal.#algorithms?.delete(algorithm);
			signal.#letGo();
		};
		abortSignal = (signal, reason) => signal.#abort(reason);
		follow = (signal, source) => {
			const roots = source.#sources.length > 0 ? source.#sources : [source];
			for (const root of roots) {
				signal.#sources.push(root);
				root.#prune();
				root.#followers.push(new WeakRef(signal));
			}
		};
	}

	constructor(secret = undefined) {
		if (secret !== SECRET) throw new TypeError('AbortSignal has no public constructor');
		super();
	}

	static abort(reason = undefined) {
		const signal = new AbortSignal(SECRET);
		signal.#aborted = true;
		signal.#reason = reasonOr(reason);
		return signal;
	}

	static timeout(milliseconds) {
		needArguments(arguments.length, 1, 'AbortSignal.timeout');
		const time = Math.trunc(Number(milliseconds));
		if (!(time >= 0 && time <= Number.MAX_SAFE_INTEGER)) {
			throw new TypeError(
				'AbortSignal.timeout: the time is not a whole number of milliseconds from 0 up',
			);
		}
		const signal = new AbortSignal(SECRET);
		setTimeout(() => abortSignal(signal, new DOMException('The time is up', 'TimeoutError')), time);
		return signal;
	}

	static any(signals) {
		needArguments(arguments.length, 1, 'AbortSignal.any');
		const list = [...signals];
		if (!list.every((item) => typeof item === 'object' && item !== null && #aborted in item)) {
			throw new TypeError('AbortSignal.any: an item is not an AbortSignal');
		}
		const signal = new AbortSignal(SECRET);
		const over = list.find((item) => item.#aborted);
		if (over !== undefined) {
			signal.#aborted = true;
			signal.#reason = over.#reason;
		} else {
			for (const source of new Set(list)) follow(signal, source);
		}
		return signal;
	}

	addEventListener(type, callback, options = undefined) {
		super.addEventListener(type, callback, options);
		this.#keep();
	}

	removeEventListener(type, callback, options = undefined) {
		super.removeEventListener(type, callback, options);
		this.#letGo();
	}

	#keep() {
		for (const root of this.#sources) root.#kept.add(this);
	}

	#letGo() {
		if (this.#sources.length === 0 || this.#algorithms?.size > 0 || hasListeners(this)) return;
		for (const root of this.#sources) root.#kept.delete(this);
	}

	/** Forgets followers that are gone, now and then. */
	#prune() {
		const { length } = this.#followers;
		if (length < 32 || (length & (length - 1)) !== 0) return;
		this.#followers = this.#followers.filter((reference) => reference.deref() !== undefined);
	}

	#abort(reason) {
		if (this.#aborted) return;
		/** @type {AbortSignal[]} */
		const all = [this];
		this.#mark(reasonOr(reason));
		for (const reference of this.#followers) {
			const follower = reference.deref();
			if (follower === undefined || follower.#aborted) continue;
			follower.#mark(this.#reason);
			all.push(follower);
		}
		this.#followers = [];
		this.#kept.clear();
		for (const signal of all) {
			const algorithms = signal.#algorithms ?? [];
			signal.#algorithms = null;
			for (const algorithm of algorithms) algorithm(this.#reason);
			fireEvent(signal, new Event('abort'));
		}
	}

	#mark(reason) {
		this.#aborted = true;
		this.#reason = reason;
		this.#sources = [];
	}

	get aborted() {
		return this.#aborted;
	}
	get reason() {
		return this.#reason;
	}

	throwIfAborted() {
		if (this.#aborted) throw this.#reason;
	}

	[INSPECT]() {
		return `AbortSignal { aborted: ${this.#aborted} }`;
	}
}

idl(AbortSignal, 'AbortSignal');
eventAttribute(AbortSignal, 'abort');
for (const name of ['abort', 'timeout', 'any']) {
	Object.defineProperty(AbortSignal, name, { enumerable: true });
}
Object.defineProperty(AbortSignal, 'length', { value: 0, configurable: true });

function reasonOr(reason) {
	return reason === undefined
		? new DOMException('The operation was aborted', 'AbortError')
		: reason;
}

export class AbortController {
	#signal = new AbortSignal(SECRET);

	get signal() {
		return this.#signal;
	}

	abort(reason = undefined) {
		abortSignal(this.#signal, reason);
	}
}

idl(AbortController, 'AbortController');

/**
 * Has an algorithm of ours run when the signal aborts. Returns what takes it back.
 * @param {AbortSignal} signal not aborted
 * @param {(reason: unknown) => void} algorithm
 */
export function onAbort(signal, algorithm) {
	addAlgorithm(signal, algorithm);
	return () => dropAlgorithm(signal, algorithm);
}
