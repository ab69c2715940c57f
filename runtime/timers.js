// SPDX-License-Identifier: BSD-2-Clause
/*
 * Timers: a binary heap ordered by time, then by age. C wakes us for the
 * earliest.
 */
import { lazy } from './lazy.js';

const errors = lazy(() => require('./errors.js'));

const LONGEST = 2 ** 31 - 1;

/** @typedef {{id: number, at: number, order: number, period: number, run: () => void, live: boolean}} Timer */

/** @type {Timer[]} */
const heap = [];
/** @type {Map<number, Timer>} */
const timers = new Map();
let lastId = 0,
	lastOrder = 0,
	wanted = -1;

function earlier(a, b) {
	return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(timer) {
	let at = heap.length;
	while (at > 0) {
		const parent = (at - 1) >> 1;
		if (!earlier(timer, heap[parent])) break;
		heap[at] = heap[parent];
		at = parent;
	}
	heap[at] = timer;
}

function pop() {
	const top = heap[0];
	const last = /** @type {Timer} */ (heap.pop());
	if (heap.length === 0) return top;
	let at = 0;
	for (;;) {
		let child = 2 * at + 1;
		if (child >= heap.length) break;
		if (child + 1 < heap.length && earlier(heap[child + 1], heap[child])) child++;
		if (!earlier(heap[child], last)) break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return top;
}

function dropDead() {
	while (heap.length > 0 && !heap[0].live) pop();
}

/** Tells C when the earliest timer is due. */
function wake() {
	dropDead();
	const next = heap.length === 0 ? -1 : heap[0].at;
	if (next === wanted) return;
	wanted = next;
	native.wake(next < 0 ? -1 : Math.max(0, Math.ceil(next - native.now())));
}

function start(callback, delay, args, repeats, what) {
	if (typeof callback !== 'function') {
		throw new TypeError(`${what}: the callback is not a function`);
	}
	let period = Number(delay);
	if (!(period >= 1 && period <= LONGEST)) period = repeats ? 1 : 0;
	period = Math.trunc(period);
	const timer = {
		id: ++lastId,
		at: native.now() + period,
		order: ++lastOrder,
		period: repeats ? period : -1,
		run: args.length === 0 ? callback : () => callback(...args),
		live: true,
	};
	timers.set(timer.id, timer);
	push(timer);
	wake();
	return timer.id;
}

function stop(id) {
	const timer = timers.get(Number(id));
	if (timer === undefined) return;
	timers.delete(timer.id);
	timer.live = false;
	/* The heap keeps the entry; sweep when most of it is dead. */
	if (heap.length > 64 && heap.length > 4 * timers.size) sweep();
	wake();
}

function sweep() {
	heap.length = 0;
	for (const timer of timers.values()) push(timer);
}

export function setTimeout(callback, delay = 0, ...args) {
	return start(callback, delay, args, false, 'setTimeout');
}

export function setInterval(callback, delay = 0, ...args) {
	return start(callback, delay, args, true, 'setInterval');
}

export function clearTimeout(id = undefined) {
	stop(id);
}

export function clearInterval(id = undefined) {
	stop(id);
}

/**
 * What comes next is arranged before the callback runs: the engine may end it
 * for good, when its CPU time is up, and nothing after it happens then.
 */
function fire(timer) {
	if (timer.period < 0) {
		timers.delete(timer.id);
	} else {
		timer.at = native.now() + timer.period;
		timer.order = ++lastOrder;
		push(timer);
	}
	wake();
	const { run } = timer;
	try {
		run();
	} catch (error) {
		errors().report(error);
	}
	native.drain();
}

/** The hook: runs what is due. Timers made meanwhile wait for the next call. */
export function runTimers() {
	const now = native.now();
	const newest = lastOrder;
	wanted = -1;
	for (;;) {
		dropDead();
		if (heap.length === 0 || heap[0].at > now || heap[0].order > newest) break;
		fire(pop());
	}
	wake();
}
