// SPDX-License-Identifier: BSD-2-Clause
/*
 * console. What goes where: error and warn to stderr, the rest to stdout; C
 * decides by the level.
 */
import { describe } from './errors.js';
import { format, inspect } from './inspect.js';
import { tableText } from './table.js';

const DEBUG = 0,
	LOG = 1,
	INFO = 2,
	WARN = 3,
	ERROR = 4;

let indent = '';
const counts = new Map();
const starts = new Map();

function write(level, text) {
	native.log(level, indent === '' ? text : indent + text.replaceAll('\n', `\n${indent}`));
}

function elapsed(label, what) {
	const start = starts.get(label);
	if (start === undefined) {
		write(WARN, `${what}: there is no timer ${label}`);
		return undefined;
	}
	const ms = native.now() - start;
	return ms < 1000 ? `${label}: ${ms.toFixed(3)}ms` : `${label}: ${(ms / 1000).toFixed(3)}s`;
}

function label(value) {
	return value === undefined ? 'default' : `${value}`;
}

function trace(args) {
	const error = new Error(format(args));
	error.name = 'Trace';
	return describe(error, { frame: false });
}

const methods = {
	log(...args) {
		write(LOG, format(args));
	},
	debug(...args) {
		write(DEBUG, format(args));
	},
	info(...args) {
		write(INFO, format(args));
	},
	warn(...args) {
		write(WARN, format(args));
	},
	error(...args) {
		write(ERROR, format(args));
	},
	trace(...args) {
		write(ERROR, trace(args));
	},
	dir(value, options = undefined) {
		write(LOG, inspect(value, options ?? {}));
	},
	dirxml(...args) {
		write(LOG, format(args));
	},
	assert(condition = false, ...args) {
		if (condition) return;
		const text = format(args);
		write(ERROR, args.length === 0 ? 'Assertion failed' : `Assertion failed: ${text}`);
	},
	table(data = undefined, columns = undefined) {
		write(
			LOG,
			typeof data === 'object' && data !== null ? tableText(data, columns) : format([data]),
		);
	},
	group(...args) {
		if (args.length > 0) write(LOG, format(args));
		indent += '  ';
	},
	groupCollapsed(...args) {
		methods.group(...args);
	},
	groupEnd() {
		indent = indent.slice(2);
	},
	count(name = undefined) {
		const key = label(name),
			count = (counts.get(key) ?? 0) + 1;
		counts.set(key, count);
		write(LOG, `${key}: ${count}`);
	},
	countReset(name = undefined) {
		if (!counts.delete(label(name)))
			write(WARN, `console.countReset: there is no count ${label(name)}`);
	},
	time(name = undefined) {
		const key = label(name);
		if (starts.has(key)) write(WARN, `console.time: the timer ${key} runs already`);
		else starts.set(key, native.now());
	},
	timeLog(name = undefined, ...args) {
		const text = elapsed(label(name), 'console.timeLog');
		if (text !== undefined) write(LOG, args.length === 0 ? text : `${text} ${format(args)}`);
	},
	timeEnd(name = undefined) {
		const text = elapsed(label(name), 'console.timeEnd');
		if (text !== undefined) write(LOG, text);
		starts.delete(label(name));
	},
	clear() {},
};

/** A namespace object: its prototype is empty, its methods are its own. */
export const console = Object.assign(Object.create({}), methods);
Object.defineProperty(console, Symbol.toStringTag, { value: 'console', configurable: true });
