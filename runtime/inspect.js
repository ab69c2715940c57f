// SPDX-License-Identifier: BSD-2-Clause
/*
 * Values as text for the console, in the manner of Node: one line while it
 * fits, cycles marked, at most two levels deep unless asked for more.
 */
import { INSPECT, isBuffer } from './webidl.js';

const WIDTH = 72;
const MOST_ITEMS = 100;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Shows an error: errors.js takes this over, it knows source maps. */
let stackOf = (error) => error.stack ?? `${error}`;

/** @param {(error: Error) => string} show */
export function bindStack(show) {
	stackOf = show;
}

/**
 * @param {unknown} value
 * @param {{depth?: number | null}} [options]
 */
export function inspect(value, options = {}) {
	const depth = options?.depth === null ? Infinity : (options?.depth ?? 2);
	const state = { depth, path: [], circular: new Map(), options: { ...options, depth } };
	return show(value, 0, state);
}

function quote(string) {
	const mark = !string.includes("'")
		? "'"
		: !string.includes('"')
			? '"'
			: !string.includes('`') && !string.includes('${')
				? '`'
				: "'";
	const escapes = {
		'\n': '\\n',
		'\t': '\\t',
		'\r': '\\r',
		'\b': '\\b',
		'\f': '\\f',
		'\v': '\\v',
		'\\': '\\\\',
	};
	const inner = string.replace(/[\0-\x1f\x7f-\x9f\\'\ud800-\udfff]/gu, (char) => {
		if (char === "'") return mark === "'" ? "\\'" : char;
		if (escapes[char] !== undefined) return escapes[char];
		const code = char.charCodeAt(0);
		return code > 0xff
			? `\\u${code.toString(16).toUpperCase()}`
			: `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`;
	});
	return mark + inner + mark;
}

function show(value, level, state) {
	switch (typeof value) {
		case 'string':
			return quote(value);
		case 'number':
			return Object.is(value, -0) ? '-0' : `${value}`;
		case 'bigint':
			return `${value}n`;
		case 'symbol':
			return value.toString();
		case 'object':
			return value === null ? 'null' : showObject(value, level, state);
		case 'function':
			return showObject(value, level, state);
		default:
			return `${value}`;
	}
}

function showObject(value, level, state) {
	if (state.path.includes(value)) {
		if (!state.circular.has(value)) state.circular.set(value, state.circular.size + 1);
		return `[Circular *${state.circular.get(value)}]`;
	}
	const custom = customOf(value);
	state.path.push(value);
	try {
		const text =
			custom !== undefined
				? showCustom(value, custom, level, state)
				: showParts(value, level, state);
		const mark = state.circular.get(value);
		return mark === undefined ? text : `<ref *${mark}> ${text}`;
	} finally {
		state.path.pop();
	}
}

/** A prototype's own property has no instance behind it. */
function customOf(value) {
	try {
		const custom = value[INSPECT];
		return typeof custom === 'function' && !Object.hasOwn(value, 'constructor')
			? custom
			: undefined;
	} catch {
		return undefined;
	}
}

function showCustom(value, custom, level, state) {
	const depth = state.depth - level;
	const options = { ...state.options, depth };
	const result = custom.call(value, depth, options, inspect);
	return typeof result === 'string'
		? result.replaceAll('\n', `\n${'  '.repeat(level)}`)
		: show(result, level, state);
}

function constructorName(value) {
	for (let at = value; at !== null; at = Object.getPrototypeOf(at)) {
		const property = Object.getOwnPropertyDescriptor(at, 'constructor');
		if (typeof property?.value === 'function' && property.value.name !== '')
			return property.value.name;
	}
	return null;
}

function prefixOf(value, fallback, size = undefined) {
	const name = constructorName(value);
	let prefix = name ?? `[${fallback}: null prototype]`;
	if (size !== undefined) prefix += `(${size})`;
	let tag;
	try {
		tag = value[Symbol.toStringTag];
	} catch {
		tag = undefined;
	}
	if (typeof tag === 'string' && tag !== '' && tag !== (name ?? fallback)) prefix += ` [${tag}]`;
	return prefix;
}

/** Every kind of object: [head, brackets, items, keys to show, text without items]. */
function partsOf(value, level, state) {
	const inner = (item) => show(item, level + 1, state);
	if (Array.isArray(value)) {
		const prefix = prefixOf(value, 'Array', value.length);
		return {
			head: prefix === `Array(${value.length})` ? '' : prefix,
			open: '[',
			items: () => arrayItems(value, inner),
			keys: extraKeys(value),
			list: true,
		};
	}
	if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
		return {
			head: prefixOf(value, 'TypedArray', /** @type {any} */ (value).length),
			open: '[',
			items: () => arrayItems(value, inner),
			keys: extraKeys(value),
			list: true,
		};
	}
	if (value instanceof Map) {
		return {
			head: prefixOf(value, 'Map', value.size),
			open: '{',
			items: () => limited([...value], ([key, item]) => `${inner(key)} => ${inner(item)}`),
			keys: keysOf(value),
		};
	}
	if (value instanceof Set) {
		return {
			head: prefixOf(value, 'Set', value.size),
			open: '{',
			items: () => limited([...value], inner),
			keys: keysOf(value),
		};
	}
	return partsOfPlain(value, level, state);
}

function partsOfPlain(value, level, state) {
	const none = () => [];
	const keys = keysOf(value);
	if (typeof value === 'function')
		return { head: functionName(value), open: '{', items: none, keys, alone: true };
	if (isError(value)) {
		return {
			head: errorText(value, level),
			open: '{',
			items: none,
			keys: errorKeys(value, keys),
			alone: true,
		};
	}
	const leaf = leafText(value);
	if (leaf !== undefined)
		return {
			head: leaf,
			open: '{',
			items: none,
			keys: leaf.startsWith('[String') ? [] : keys,
			alone: true,
		};
	if (isBuffer(value)) {
		const bytes = [...new Uint8Array(value, 0, Math.min(value.byteLength, 50))];
		const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
		return {
			head: prefixOf(value, 'ArrayBuffer'),
			open: '{',
			items: () => [
				`[contents]: <${hex}${value.byteLength > 50 ? ' …' : ''}>`,
				`byteLength: ${value.byteLength}`,
			],
			keys,
		};
	}
	const unknown = value instanceof WeakMap || value instanceof WeakSet ? ['<items unknown>'] : [];
	const prefix = prefixOf(value, 'Object');
	return { head: prefix === 'Object' ? '' : prefix, open: '{', items: () => unknown, keys };
}

function isError(value) {
	return value instanceof Error || (Error.isError?.(value) ?? false);
}

function errorText(error, level) {
	let text;
	try {
		text = `${stackOf(error)}`;
	} catch {
		text = '[an error that cannot be shown]';
	}
	if (level === 0) return text;
	return `[${text}]`.replaceAll('\n', `\n${'  '.repeat(level)}`);
}

function errorKeys(error, keys) {
	const own = new Set(['line', 'column', 'sourceURL', 'stack', 'message']);
	const shown = keys.filter((key) => !own.has(key));
	for (const key of ['cause', 'errors']) {
		if (Object.hasOwn(error, key) && !shown.includes(key)) shown.push(key);
	}
	return shown;
}

function leafText(value) {
	try {
		if (value instanceof Date)
			return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
		if (value instanceof RegExp) return RegExp.prototype.toString.call(value);
		if (value instanceof Number) return `[Number: ${show(value.valueOf(), 0, null)}]`;
		if (value instanceof String) return `[String: ${quote(value.valueOf())}]`;
		if (value instanceof Boolean) return `[Boolean: ${value.valueOf()}]`;
		if (value instanceof Symbol) return `[Symbol: ${value.valueOf().toString()}]`;
		if (value instanceof BigInt) return `[BigInt: ${value.valueOf()}n]`;
	} catch {
		/* It only inherits from that class. */
	}
	return undefined;
}

function functionName(value) {
	const source = Function.prototype.toString.call(value);
	if (/^class\b/.test(source)) {
		const parent = Object.getPrototypeOf(value);
		const base = typeof parent === 'function' && parent.name ? ` extends ${parent.name}` : '';
		return `[class ${value.name || '(anonymous)'}${base}]`;
	}
	const kind = constructorName(value) ?? 'Function';
	return value.name ? `[${kind}: ${value.name}]` : `[${kind} (anonymous)]`;
}

function keysOf(value) {
	/** @type {(string | symbol)[]} */
	const keys = Object.keys(value);
	for (const symbol of Object.getOwnPropertySymbols(value)) {
		if (Object.getOwnPropertyDescriptor(value, symbol)?.enumerable) keys.push(symbol);
	}
	return keys;
}

/** Keys of a list that are no index. */
function extraKeys(value) {
	return keysOf(value).filter((key) => typeof key === 'symbol' || !/^(0|[1-9]\d*)$/.test(key));
}

function more(count) {
	return `... ${count} more item${count === 1 ? '' : 's'}`;
}

function limited(list, each) {
	const items = list.slice(0, MOST_ITEMS).map(each);
	if (list.length > MOST_ITEMS) items.push(more(list.length - MOST_ITEMS));
	return items;
}

function arrayItems(list, inner) {
	const items = [];
	let at = 0;
	while (at < list.length && items.length < MOST_ITEMS) {
		if (at in list) {
			items.push(inner(list[at++]));
			continue;
		}
		const start = at;
		while (at < list.length && !(at in list)) at++;
		items.push(`<${at - start} empty item${at - start === 1 ? '' : 's'}>`);
	}
	if (at < list.length) items.push(more(list.length - at));
	return items;
}

function showProperty(value, key, level, state) {
	const property = Object.getOwnPropertyDescriptor(value, key);
	const name =
		typeof key === 'symbol' ? `[${key.toString()}]` : IDENTIFIER.test(key) ? key : quote(key);
	const label = property?.enumerable ? name : `[${name}]`;
	if (property?.get !== undefined)
		return `${label}: [Getter${property.set === undefined ? '' : '/Setter'}]`;
	if (property?.set !== undefined) return `${label}: [Setter]`;
	return `${label}: ${show(property?.value, level + 1, state)}`;
}

function showParts(value, level, state) {
	const parts = partsOf(value, level, state);
	if (parts.alone && parts.keys.length === 0) return parts.head;
	if (level > state.depth) return `[${shortName(value)}]`;
	const items = [...parts.items()];
	const list = items.length;
	for (const key of parts.keys) items.push(showProperty(value, key, level, state));
	return layOut(items, parts, level, parts.list === true && list === items.length);
}

function shortName(value) {
	if (Array.isArray(value)) return 'Array';
	return constructorName(value) ?? 'Object: null prototype';
}

function layOut(items, { head, open }, level, isList) {
	const close = open === '[' ? ']' : '}';
	const start = head === '' ? open : `${head} ${open}`;
	if (items.length === 0) return `${start}${close}`;
	const length = items.reduce((sum, item) => sum + item.length + 2, start.length);
	const flat = !items.some((item) => item.includes('\n'));
	if (
		flat &&
		length <= WIDTH &&
		!(isList && items.length > 6 && length > WIDTH / 2 && items.some((item) => item.length > 16))
	) {
		return `${start} ${items.join(', ')} ${close}`;
	}
	const lines =
		isList && flat && items.length > 6 && items.every((item) => item.length <= 16)
			? columns(items)
			: items;
	const margin = '  '.repeat(level);
	return `${start}\n${lines.map((line) => `${margin}  ${line}`).join(',\n')}\n${margin}${close}`;
}

/** Short items of a long list, several on each line. */
function columns(items) {
	const width = Math.max(...items.map((item) => item.length)) + 2;
	const perLine = Math.max(1, Math.min(16, Math.floor(WIDTH / width)));
	const number = /^-?[\d.]+(e[+-]?\d+)?n?$/.test(items[0]);
	const lines = [];
	for (let i = 0; i < items.length; i += perLine) {
		const row = items.slice(i, i + perLine);
		lines.push(
			row
				.map((item, k) =>
					number ? item.padStart(width - 2) : k === row.length - 1 ? item : item.padEnd(width - 2),
				)
				.join(', '),
		);
	}
	return lines;
}

const PLACEHOLDER = /%[sdifjoOc%]/g;

/**
 * console.log's arguments as one text.
 * @param {unknown[]} args
 */
export function format(args) {
	if (args.length === 1 && typeof args[0] === 'string') return args[0];
	let used = 0,
		text = '';
	if (typeof args[0] === 'string') {
		used = 1;
		text =
			args.length === 1
				? args[0]
				: args[0].replace(PLACEHOLDER, (code) => {
						if (code === '%%') return '%';
						return used < args.length ? formatOne(code, args[used++]) : code;
					});
	}
	const rest = args.slice(used).map((item) => (typeof item === 'string' ? item : inspect(item)));
	return (used === 0 ? rest : [text, ...rest]).join(' ');
}

function formatOne(code, value) {
	switch (code) {
		case '%s':
			if (typeof value === 'string') return value;
			if (typeof value === 'bigint') return `${value}n`;
			if (typeof value === 'object' && value !== null && !isError(value))
				return inspect(value, { depth: 0 });
			if (typeof value === 'function') return inspect(value, { depth: 0 });
			return Object.is(value, -0) ? '-0' : String(value);
		case '%d':
			if (typeof value === 'bigint') return `${value}n`;
			return typeof value === 'symbol' || typeof value === 'object' ? 'NaN' : `${Number(value)}`;
		case '%i':
			if (typeof value === 'bigint') return `${value}n`;
			return typeof value === 'symbol' || typeof value === 'object'
				? 'NaN'
				: `${parseInt(value, 10)}`;
		case '%f':
			return typeof value === 'symbol' ? 'NaN' : `${parseFloat(value)}`;
		case '%j':
			try {
				return JSON.stringify(value) ?? 'undefined';
			} catch {
				return '[Circular]';
			}
		case '%o':
			return inspect(value, { depth: 4 });
		case '%O':
			return inspect(value);
		default:
			return '';
	}
}
