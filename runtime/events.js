// SPDX-License-Identifier: BSD-2-Clause
/*
 * Event, CustomEvent and EventTarget: a tree of one node, no capturing of
 * ancestors.
 */
import { lazy } from './lazy.js';
import { constants, idl, needArguments, toDictionary } from './webidl.js';

const abort = lazy(() => require('./abort.js'));
const domexception = lazy(() => require('./domexception.js'));
const errors = lazy(() => require('./errors.js'));

const PHASES = { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 };

let flagsOf, run, listening;

export class Event {
	#type;
	#bubbles;
	#cancelable;
	#composed;
	#stamp = native.now();
	#flags = {
		target: null,
		current: null,
		phase: 0,
		dispatching: false,
		stopped: false,
		prevented: false,
		passive: false,
		trusted: false,
		bubbleStopped: false,
	};

	static {
		flagsOf = (event) => event.#flags;
	}

	constructor(type, init = undefined) {
		needArguments(arguments.length, 1, 'Event');
		const { bubbles, cancelable, composed } = toDictionary(init, 'Event: the second argument');
		this.#type = `${type}`;
		this.#bubbles = Boolean(bubbles);
		this.#cancelable = Boolean(cancelable);
		this.#composed = Boolean(composed);
	}

	get type() {
		return this.#type;
	}
	get target() {
		return this.#flags.target;
	}
	get srcElement() {
		return this.#flags.target;
	}
	get currentTarget() {
		return this.#flags.current;
	}
	get eventPhase() {
		return this.#flags.phase;
	}
	get bubbles() {
		return this.#bubbles;
	}
	get cancelable() {
		return this.#cancelable;
	}
	get composed() {
		return this.#composed;
	}
	get defaultPrevented() {
		return this.#flags.prevented;
	}
	get returnValue() {
		return !this.#flags.prevented;
	}
	get isTrusted() {
		return this.#flags.trusted;
	}
	get timeStamp() {
		return this.#stamp;
	}
	get cancelBubble() {
		return this.#flags.bubbleStopped;
	}
	set cancelBubble(value) {
		if (value) this.stopPropagation();
	}

	composedPath() {
		return this.#flags.current === null ? [] : [this.#flags.current];
	}
	preventDefault() {
		if (this.#cancelable && !this.#flags.passive) this.#flags.prevented = true;
	}
	stopPropagation() {
		this.#flags.bubbleStopped = true;
	}
	stopImmediatePropagation() {
		this.#flags.bubbleStopped = true;
		this.#flags.stopped = true;
	}
}

idl(Event, 'Event');
constants(Event, PHASES);
constants(Event.prototype, PHASES);

export class CustomEvent extends Event {
	#detail;

	constructor(type, init = undefined) {
		needArguments(arguments.length, 1, 'CustomEvent');
		super(type, init);
		this.#detail = init?.detail ?? null;
	}

	get detail() {
		return this.#detail;
	}
}

idl(CustomEvent, 'CustomEvent');

export class EventTarget {
	/** @type {Map<string, {callback: any, capture: boolean, once: boolean, passive: boolean, removed: boolean}[]>} */
	#listeners = new Map();

	addEventListener(type, callback, options = undefined) {
		needArguments(arguments.length, 2, 'EventTarget.addEventListener');
		const { capture, once, passive, signal } = flatten(options);
		checkCallback(callback);
		if (signal !== undefined && !(signal instanceof abort().AbortSignal)) {
			throw new TypeError('EventTarget.addEventListener: signal is not an AbortSignal');
		}
		if (callback === null || callback === undefined || signal?.aborted) return;
		const name = `${type}`;
		let list = this.#listeners.get(name);
		if (list === undefined) this.#listeners.set(name, (list = []));
		if (list.some((item) => item.callback === callback && item.capture === capture)) return;
		list.push({ callback, capture, once, passive, removed: false });
		signal?.addEventListener('abort', () => this.removeEventListener(name, callback, { capture }));
	}

	removeEventListener(type, callback, options = undefined) {
		needArguments(arguments.length, 2, 'EventTarget.removeEventListener');
		const { capture } = flatten(options);
		const list = this.#listeners.get(`${type}`);
		const at =
			list?.findIndex((item) => item.callback === callback && item.capture === capture) ?? -1;
		if (at < 0) return;
		list[at].removed = true;
		list.splice(at, 1);
	}

	dispatchEvent(event) {
		needArguments(arguments.length, 1, 'EventTarget.dispatchEvent');
		if (!(event instanceof Event))
			throw new TypeError('EventTarget.dispatchEvent: the argument is not an Event');
		const flags = flagsOf(event);
		if (flags.dispatching) {
			const { DOMException } = domexception();
			throw new DOMException('The event is being dispatched already', 'InvalidStateError');
		}
		flags.trusted = false;
		return this.#run(event, flags);
	}

	#run(event, flags) {
		Object.assign(flags, {
			target: this,
			current: this,
			phase: PHASES.AT_TARGET,
			dispatching: true,
		});
		const list = this.#listeners.get(event.type) ?? [];
		const ordered = flags.bubbleStopped
			? []
			: [...list.filter((item) => item.capture), ...list.filter((item) => !item.capture)];
		for (const item of ordered) {
			if (flags.stopped) break;
			if (!item.removed) this.#call(item, event, flags);
		}
		Object.assign(flags, {
			current: null,
			phase: PHASES.NONE,
			dispatching: false,
			stopped: false,
			bubbleStopped: false,
		});
		return !flags.prevented;
	}

	#call(item, event, flags) {
		const { callback } = item;
		if (item.once) this.removeEventListener(event.type, callback, item);
		flags.passive = item.passive;
		try {
			if (typeof callback === 'function') callback.call(this, event);
			else callback.handleEvent(event);
		} catch (error) {
			errors().report(error);
		}
		flags.passive = false;
	}

	static {
		run = (target, event) => target.#run(event, flagsOf(event));
		listening = (target) => {
			for (const list of target.#listeners.values()) if (list.length > 0) return true;
			return false;
		};
	}
}

idl(EventTarget, 'EventTarget');

/** Dispatches an event of our own making. @param {EventTarget} target @param {Event} event */
export function fireEvent(target, event) {
	flagsOf(event).trusted = true;
	return run(target, event);
}

/** Whether anybody listens. @param {EventTarget} target @returns {boolean} */
export function hasListeners(target) {
	return listening(target);
}

function flatten(options) {
	if (typeof options !== 'object' || options === null) {
		return { capture: Boolean(options), once: false, passive: false, signal: undefined };
	}
	const { capture, once, passive, signal } = options;
	return { capture: Boolean(capture), once: Boolean(once), passive: Boolean(passive), signal };
}

function checkCallback(callback) {
	const kind = typeof callback;
	if (callback !== null && callback !== undefined && kind !== 'function' && kind !== 'object') {
		throw new TypeError('EventTarget: the listener is neither a function nor an object');
	}
}

/**
 * An `on…` attribute: one listener that can be replaced and keeps its place.
 * @param {Function} Class
 * @param {string} type
 */
export function eventAttribute(Class, type) {
	const handlers = new WeakMap();
	Object.defineProperty(Class.prototype, `on${type}`, {
		get() {
			return handlers.get(this)?.handler ?? null;
		},
		set(value) {
			const handler = typeof value === 'function' ? value : null;
			const known = handlers.get(this);
			if (known !== undefined) {
				known.handler = handler;
				return;
			}
			if (handler === null) return;
			const entry = { handler };
			handlers.set(this, entry);
			this.addEventListener(type, (event) => entry.handler?.call(this, event));
		},
		enumerable: true,
		configurable: true,
	});
}
