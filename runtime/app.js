// SPDX-License-Identifier: BSD-2-Clause
/*
 * The global `app` of an app file: what it is told is checked, recorded with
 * the file and line of the call, and given to `selkie compile` as JSON.
 */
import { place, recordPolicy, setLimits } from './policy.js';
import { parseCount, parseLimits, parseTime, shown } from './units.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace', 'connect'];
const MOST_PROCESSES = 64;

function checkPort(value) {
	if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 65535) {
		throw new TypeError(`app.port is ${shown(value)}; it must be a whole number from 0 to 65535`);
	}
	return value;
}

function isAddress(text) {
	if (/^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text)) return true;
	return (
		/^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/.test(text) &&
		native.urlParse(`http://[${text}]/`, undefined) !== undefined
	);
}

function checkInterface(value) {
	if (typeof value !== 'string' || !isAddress(value)) {
		throw new TypeError(
			`app.interface is ${shown(value)}; it must be an IP address such as '127.0.0.1' or '::'`,
		);
	}
	return value;
}

function checkHost(value) {
	if (value === undefined || value === null) return null;
	const list = Array.isArray(value) ? value : [value];
	for (const host of list) {
		if (typeof host !== 'string' || !/^[^\s/:@]+$|^\[[0-9a-fA-F:.]+\]$/.test(host)) {
			throw new TypeError(
				`app.host is ${shown(host)}; it must be a host's name without port, or an array of such`,
			);
		}
	}
	if (list.length === 0)
		throw new TypeError('app.host is an empty array: no request would be served');
	return list.map((host) => host.toLowerCase());
}

function checkPath(value, what, kind) {
	if (typeof value !== 'string' || value[0] !== '/') {
		throw new TypeError(
			`${what}: the ${kind} is ${shown(value)}; it must be a string that begins with /`,
		);
	}
	if (/[?#\0]/.test(value))
		throw new TypeError(`${what}: the ${kind} ${JSON.stringify(value)} has a ?, # or NUL in it`);
	return value;
}

function checkFile(value, what, kind) {
	if (typeof value !== 'string' || value === '' || value.includes('\0')) {
		throw new TypeError(
			`${what}: the ${kind} is ${value === '' ? "''" : shown(value)}; it must be the path of a ${kind}`,
		);
	}
	return value;
}

function checkOptions(value, known, what) {
	if (value === undefined) return {};
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw new TypeError(`${what}: the options are ${shown(value)}; they must be an object`);
	}
	for (const key of Object.keys(value)) {
		if (!known.includes(key)) {
			throw new TypeError(
				`${what}: there is no option ${JSON.stringify(key)}; there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`,
			);
		}
	}
	return value;
}

class Recorder {
	port = null;
	interface = null;
	host = null;
	limits = {};
	places = {};
	routes = [];
	statics = [];

	route(call, method, pattern, worker, policy, options) {
		const where = place();
		const path = checkPath(pattern, call, 'pattern');
		const what = `${call}(${JSON.stringify(path)})`;
		const file = checkFile(worker, what, 'worker file');
		const { processes } = checkOptions(options, ['processes'], what);
		const count = processes === undefined ? 1 : parseCount(processes, `${what}: processes`);
		if (count > MOST_PROCESSES)
			throw new TypeError(`${what}: processes is ${count}; ${MOST_PROCESSES} are the most`);
		const recorded = recordPolicy(policy, what);
		this.routes.push({
			method,
			pattern: path,
			worker: file,
			...where,
			...recorded,
			processes: count,
		});
	}

	static(prefix, folder, options) {
		const where = place();
		const path = checkPath(prefix, 'app.static', 'prefix');
		const what = `app.static(${JSON.stringify(path)})`;
		const { index, cleanUrls = false } = checkOptions(options, ['index', 'cleanUrls'], what);
		if (typeof cleanUrls !== 'boolean')
			throw new TypeError(`${what}: cleanUrls is ${shown(cleanUrls)}; it must be true or false`);
		this.statics.push({
			prefix: path,
			folder: checkFile(folder, what, 'folder'),
			index: checkIndex(index, what),
			cleanUrls,
			...where,
		});
	}

	/** A route may not ask for more than the app allows. */
	checkCeilings() {
		for (const route of this.routes) {
			for (const key of Object.keys(route.limits)) {
				if (!(route.limits[key] > this.limits[key])) continue;
				const { file, line } = route.places.limits[key];
				throw new TypeError(
					`${file}:${line}: the route ${route.method} ${route.pattern} asks for ${key} ${route.limits[key]}, above the app's ${this.limits[key]} (app.limits)`,
				);
			}
		}
	}

	finish() {
		this.checkCeilings();
		const { port, host, limits, places, routes, statics } = this;
		const address = { port, interface: this.interface, host };
		return JSON.stringify({ ...address, limits, places, routes, statics });
	}
}

function checkIndex(value, what) {
	if (value === undefined || value === true) return 'index.html';
	if (value === false || value === null) return null;
	if (typeof value !== 'string' || value === '' || /[/\0]/.test(value)) {
		throw new TypeError(
			`${what}: index is ${shown(value)}; it must be true, false or a file's name`,
		);
	}
	return value;
}

function checkMethod(value) {
	if (typeof value !== 'string' || !/^[A-Za-z][A-Za-z0-9_-]*$/.test(value)) {
		throw new TypeError(
			`app.route: the method is ${shown(value)}; it must be the name of one, such as 'GET'`,
		);
	}
	return value.toUpperCase();
}

/** The members of `app`; everything else is a mistake of the app file. */
function members(recorder) {
	const app = {
		get port() {
			return recorder.port ?? 8080;
		},
		set port(value) {
			recorder.port = checkPort(value);
		},
		get interface() {
			return recorder.interface ?? '127.0.0.1';
		},
		set interface(value) {
			recorder.interface = checkInterface(value);
		},
		get host() {
			return recorder.host ?? undefined;
		},
		set host(value) {
			recorder.host = checkHost(value);
		},
		route(method, pattern, worker, policy = undefined, options = undefined) {
			const name = checkMethod(method);
			recorder.route('app.route', name, pattern, worker, policy, options);
		},
		static(prefix, folder, options = undefined) {
			recorder.static(prefix, folder, options);
		},
		limits(given) {
			const limits = parseLimits(given, 'app.limits', { idle: parseTime });
			setLimits(recorder.limits, recorder.places, limits);
		},
	};
	for (const method of METHODS) {
		app[method] = (pattern, worker, policy = undefined, options = undefined) => {
			recorder.route(`app.${method}`, method.toUpperCase(), pattern, worker, policy, options);
		};
	}
	return app;
}

/** The known name that is nearest to a misspelt one, or undefined. */
function nearest(name, known) {
	let best,
		least = 3;
	for (const candidate of known) {
		const cost = distance(name.toLowerCase(), candidate.toLowerCase());
		if (cost < least) {
			best = candidate;
			least = cost;
		}
	}
	return best;
}

/** Levenshtein's. */
function distance(a, b) {
	let row = Array.from({ length: b.length + 1 }, (_, i) => i);
	for (let i = 1; i <= a.length; i++) {
		const next = [i];
		for (let k = 1; k <= b.length; k++) {
			next[k] = Math.min(next[k - 1] + 1, row[k] + 1, row[k - 1] + (a[i - 1] === b[k - 1] ? 0 : 1));
		}
		row = next;
	}
	return row[b.length];
}

function unknown(name, known) {
	const hint = nearest(name, known);
	return `app.${name} does not exist; ${hint === undefined ? `app has ${known.join(', ')}` : `did you mean app.${hint}?`}`;
}

const SETTABLE = ['port', 'interface', 'host'];

/**
 * The app file's side of the runtime; makes the global `app`.
 * @returns {{app: object, finish: () => string}}
 */
export function makeApp() {
	const recorder = new Recorder();
	const target = members(recorder);
	const known = Object.keys(target);
	const app = new Proxy(target, {
		get(object, key) {
			if (typeof key === 'symbol' || key in object) return object[key];
			throw new TypeError(unknown(key, known));
		},
		set(object, key, value) {
			const name = String(key);
			if (!known.includes(name)) throw new TypeError(unknown(name, SETTABLE));
			if (!SETTABLE.includes(name))
				throw new TypeError(`app.${name} cannot be set: call it, app.${name}(…)`);
			object[name] = value;
			return true;
		},
		deleteProperty(object, key) {
			throw new TypeError(`app.${String(key)} cannot be deleted`);
		},
		defineProperty(object, key) {
			throw new TypeError(`app.${String(key)} cannot be defined`);
		},
	});
	Object.defineProperty(globalThis, 'app', { value: app, enumerable: true });
	return { app, finish: () => recorder.finish() };
}
