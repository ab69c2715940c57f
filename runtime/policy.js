// SPDX-License-Identifier: BSD-2-Clause
/*
 * The policy that an app file's policy function receives. Each call is checked
 * and recorded, patterns of URLs and limits with the place of their call; the enforcement is C's.
 * The object is dead when the function has returned.
 */
import { callerFrame, isError } from './errors.js';
import { inspect } from './inspect.js';
import { parseLimits, shown } from './units.js';

const METHODS = ['Get', 'Post', 'Put', 'Patch', 'Delete', 'Head', 'Options', 'Trace', 'Connect'];

function string(value, what) {
	if (typeof value !== 'string' || value === '') {
		throw new TypeError(
			`${what} needs a string that is not empty, not ${value === '' ? "''" : shown(value)}`,
		);
	}
	if (value.includes('\0')) throw new TypeError(`${what}: the string has a NUL in it`);
	return value;
}

function strings(values, what) {
	if (values.length === 0) throw new TypeError(`${what} needs at least one name`);
	return values.map((value) => string(value, what));
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function envName(name, what) {
	if (!NAME.test(name))
		throw new TypeError(
			`${what}: ${JSON.stringify(name)} is not the name of an environment variable`,
		);
	return name;
}

function program(name, what) {
	if (!/^[A-Za-z0-9._+-]+$/.test(name))
		throw new TypeError(`${what}: ${JSON.stringify(name)} is not a program's name`);
	return name;
}

/** @param {string[]} schemes */
function urlCheck(schemes) {
	return (value, what) => {
		const url = string(value, what);
		const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/./.exec(url)?.[1].toLowerCase();
		if (scheme === undefined || !schemes.includes(scheme)) {
			throw new TypeError(
				`${what}: ${JSON.stringify(url)} does not begin with ${schemes.map((name) => `${name}://`).join(' or ')}`,
			);
		}
		return url;
	};
}

const checkHttp = urlCheck(['http', 'https']);
const checkSocket = urlCheck(['ws', 'wss']);
const checkMysql = urlCheck(['mysql']);
const checkRedis = urlCheck(['redis', 'rediss']);

function sqlite(path, options, what) {
	if (options !== undefined && (typeof options !== 'object' || options === null)) {
		throw new TypeError(
			`${what}: the second argument is ${shown(options)}; it must be an object such as {readonly: true}`,
		);
	}
	for (const key of Object.keys(options ?? {})) {
		if (key !== 'readonly')
			throw new TypeError(`${what}: there is no option ${JSON.stringify(key)}; there is readonly`);
	}
	const readonly = options?.readonly ?? false;
	if (typeof readonly !== 'boolean')
		throw new TypeError(`${what}: readonly is ${shown(readonly)}; it must be true or false`);
	return { path: string(path, what), readonly };
}

/** File and line of the app file's call. */
export function place() {
	const frame = callerFrame();
	return { file: frame?.file ?? null, line: frame?.line ?? null };
}

/** Notes limits, and where each was given: their range is checked later. */
export function setLimits(limits, places, given) {
	const where = place();
	for (const name of Object.keys(given)) {
		limits[name] = given[name];
		(places.limits ??= {})[name] = where;
	}
}

/** The calls of every group; `record`, `limits` and `places` are filled in. */
function vocabulary(record, limits, places) {
	const add = (kind, ...items) => {
		(record[kind] ??= []).push(...items);
	};
	const addUrl = (kind, item) => {
		add(kind, item);
		(places[kind] ??= []).push(place());
	};
	const http = {};
	for (const name of METHODS) {
		http[`allow${name}`] = (pattern) =>
			addUrl('outboundHttp', {
				method: name.toUpperCase(),
				pattern: checkHttp(pattern, `policy.outboundHttp.allow${name}`),
			});
	}
	http.allowPrivate = () => {
		record.outboundPrivate = true;
	};
	const file = (mode, name) => (pattern) =>
		add('files', { mode, pattern: string(pattern, `policy.files.${name}`) });
	return {
		outboundHttp: http,
		outboundWebSocket: {
			allow: (pattern) =>
				addUrl('outboundWebSocket', checkSocket(pattern, 'policy.outboundWebSocket.allow')),
		},
		files: { allowRead: file('read', 'allowRead'), allowWrite: file('write', 'allowWrite') },
		env: {
			allow: (...names) =>
				add(
					'env',
					...strings(names, 'policy.env.allow').map((name) => envName(name, 'policy.env.allow')),
				),
		},
		sqlite: {
			allow: (path, options = undefined) =>
				add('sqlite', sqlite(path, options, 'policy.sqlite.allow')),
		},
		mysql: { allow: (url) => add('mysql', checkMysql(url, 'policy.mysql.allow')) },
		redis: { allow: (url) => add('redis', checkRedis(url, 'policy.redis.allow')) },
		kv: { allow: (name) => add('kv', string(name, 'policy.kv.allow')) },
		programs: {
			allow: (...names) =>
				add(
					'programs',
					...strings(names, 'policy.programs.allow').map((name) =>
						program(name, 'policy.programs.allow'),
					),
				),
		},
		limits: (given) => setLimits(limits, places, parseLimits(given, 'policy.limits')),
	};
}

/**
 * An object whose unknown members name the known ones.
 * @param {Record<string, any>} members
 * @param {string} name
 */
function strict(members, name) {
	return new Proxy(Object.assign(Object.create(null), members), {
		get(target, key) {
			if (typeof key === 'symbol' || key in target) return target[key];
			throw new TypeError(
				`${name}.${key} does not exist; ${name} has ${Object.keys(target).join(', ')}`,
			);
		},
		set(target, key) {
			throw new TypeError(`${name}.${String(key)} cannot be set; call ${name}'s methods instead`);
		},
	});
}

/**
 * Runs a route's policy function.
 * @param {unknown} define
 * @param {string} what the route, for messages
 * @returns {{policy: object, limits: Record<string, number>, places: object}} `places`: file and
 *   line of each pattern of URLs, in the order of the policy's, and of each limit
 */
export function recordPolicy(define, what) {
	const policy = {};
	/** @type {Record<string, number>} */
	const limits = {};
	const places = {};
	if (define === undefined || define === null) return { policy, limits, places };
	if (typeof define !== 'function') {
		throw new TypeError(
			`${what}: the policy is ${shown(define)}; it must be a function (policy) => { … }`,
		);
	}
	let alive = true;
	const guard =
		(call, name) =>
		(...args) => {
			if (!alive) throw new TypeError(`${name} was called after the policy function had returned`);
			call(...args);
		};
	const groups = vocabulary(policy, limits, places);
	const root = {};
	for (const group of Object.keys(groups)) {
		const member = groups[group];
		if (typeof member === 'function') {
			root[group] = guard(member, `policy.${group}`);
			continue;
		}
		const calls = {};
		for (const name of Object.keys(member))
			calls[name] = guard(member[name], `policy.${group}.${name}`);
		root[group] = strict(calls, `policy.${group}`);
	}
	let result;
	try {
		result = define(strict(root, 'policy'));
	} catch (error) {
		/* What is no Error has no place of its own: the route's has to do. */
		throw isError(error)
			? error
			: new TypeError(`${what}: the policy function threw ${inspect(error)}, which is no Error`);
	} finally {
		alive = false;
	}
	if (typeof result?.then === 'function') {
		result.then(undefined, () => {});
		throw new TypeError(
			`${what}: the policy function is async; it must say everything before it returns`,
		);
	}
	return { policy, limits, places };
}
