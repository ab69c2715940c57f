// SPDX-License-Identifier: BSD-2-Clause
/*
 * performance: now(), timeOrigin and toJSON().
 */
import { EventTarget } from './events.js';
import { idl } from './webidl.js';

const started = native.now();
const origin = Date.now();
const SECRET = Symbol('secret');

export class Performance extends EventTarget {
	constructor(secret = undefined) {
		if (secret !== SECRET) throw new TypeError('Performance has no public constructor');
		super();
	}

	get timeOrigin() {
		return origin;
	}

	now() {
		return native.now() - started;
	}

	toJSON() {
		return { timeOrigin: origin };
	}
}

idl(Performance, 'Performance');

export const performance = new Performance(SECRET);
