// SPDX-License-Identifier: BSD-2-Clause
/*
 * The runtime's entry: installs the globals and gives C its hooks
 * (docs/worker.md).
 */
import { abort, load, request } from './dispatch.js';
import { installGlobals } from './globals.js';
import { lazy } from './lazy.js';
import { bodyDrain, bodyReady } from './slots.js';

const calls = lazy(() => require('./calls.js'));
const errors = lazy(() => require('./errors.js'));
const timers = lazy(() => require('./timers.js'));
const appFile = lazy(() => require('./app.js'));

const LEVEL_ERROR = 4;

installGlobals();

export default {
	load,
	request,
	bodyReady,
	bodyDrain,
	abort,
	call(number, what) {
		calls().callEvent(number, what);
	},
	timers() {
		timers().runTimers();
	},
	rejection(promise, reason) {
		native.log(LEVEL_ERROR, `Unhandled rejection: ${errors().describe(reason)}`);
	},
	describe(error) {
		return errors().describe(error);
	},
	appFile() {
		return appFile().makeApp();
	},
};
