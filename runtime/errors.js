// SPDX-License-Identifier: BSD-2-Clause
/*
 * Errors as text for the log: the message, the stack in terms of the files
 * that people wrote, and the lines round the place.
 */

import { bindStack, inspect } from './inspect.js';
import { lazy } from './lazy.js';

const maps = lazy(() => require('./sourcemap.js'));

const LEVEL_ERROR = 4;
const ROUND = 2;
const MOST_FRAMES = 30;
const MOST_CAUSES = 5;
const LONGEST_LINE = 160;
/** Scripts of our own: their frames are nobody's business. */
const OWN = /^selkie:/;
const ENTRY = 'selkie:entry';

/** @typedef {{name: string, file: string, line: number, column: number, lines: string[] | null}} Frame */

/** The bundle's source map, or null. */
const sourceMap = lazy(() => {
	try {
		const text = native.sourceMap();
		return text === undefined ? null : new (maps().TraceMap)(text);
	} catch {
		return null;
	}
});

/** The text of a source, or null. */
function contentOf(source) {
	const map = sourceMap();
	return map === null ? null : maps().sourceContentFor(map, source);
}

/** The file that the bundle's entry imports (cli/bundle.c), or null. */
export const workerFile = lazy(() => {
	const found = /^import \* as module from (".*");$/m.exec(contentOf(ENTRY) ?? '');
	return found === null ? null : JSON.parse(found[1]);
});

/** Where the worker exports its handler: the place of errors that have none. */
const handlerFrame = lazy(() => {
	const file = workerFile();
	const content = file === null ? null : contentOf(file);
	if (content === null) return null;
	const found = /^[^\S\n]*export\s+(?:default\b|\{[^}]*\bdefault\s*[,}])/m.exec(content);
	if (found === null) return null;
	const before = content.slice(0, found.index).split('\n');
	const column = found[0].length - found[0].trimStart().length + 1;
	const lines = content.split('\n');
	return { name: 'the handler', file, line: before.length, column, lines };
});

/** @returns {Frame | null} */
function readFrame(text) {
	const found = /^(?:(.*?)@)?(.*?):(\d+):(\d+)$/.exec(text);
	if (found === null || OWN.test(found[2])) return null;
	const [, name = '', file, line, column] = found;
	return mapped({ name, file, line: Number(line), column: Number(column), lines: null });
}

/** The same frame in the source that the bundle was made from. */
function mapped(frame) {
	const map = sourceMap();
	if (map === null) return frame;
	const at = maps().originalPositionFor(map, {
		line: frame.line,
		column: Math.max(0, frame.column - 1),
	});
	if (at.source === null || OWN.test(at.source)) return null;
	const content = maps().sourceContentFor(map, at.source);
	return {
		name: frame.name,
		file: at.source,
		line: at.line,
		column: at.column + 1,
		lines: content === null ? null : content.split('\n'),
	};
}

/** @param {unknown} stack @returns {Frame[]} */
function readStack(stack) {
	if (typeof stack !== 'string') return [];
	const frames = [];
	for (const line of stack.split('\n')) {
		const frame = readFrame(line);
		if (frame !== null && frames.push(frame) >= MOST_FRAMES) break;
	}
	return frames;
}

/** Where the caller of our code stands. @returns {Frame | null} */
export function callerFrame() {
	return readStack(new Error().stack)[0] ?? null;
}

/** A syntax error names its place by properties. */
function placeOf(error) {
	const { line, column, sourceURL } = error;
	if (typeof line !== 'number' || typeof sourceURL !== 'string') return [];
	const frame = readFrame(`@${sourceURL}:${line}:${typeof column === 'number' ? column : 1}`);
	return frame === null ? [] : [frame];
}

function showFrame({ name, file, line, column }) {
	const place = `${file}:${line}:${column}`;
	/* The bundler's name for a default export without one. */
	if (/_default\d*$/.test(name)) name = 'default';
	const hidden = /^(?:async )?(?:global code|module code|eval code|anonymous)?$/.test(name);
	return hidden ? `    at ${place}` : `    at ${name} (${place})`;
}

/** The lines round a frame, the place marked. */
function codeFrame({ lines, line, column }) {
	if (lines === null || line > lines.length) return '';
	const first = Math.max(1, line - ROUND),
		last = Math.min(lines.length, line + ROUND);
	const width = `${last}`.length;
	const rows = [];
	for (let i = first; i <= last; i++) {
		const text = lines[i - 1].replaceAll('\t', '  ').slice(0, LONGEST_LINE).trimEnd();
		rows.push(`${i === line ? '>' : ' '} ${`${i}`.padStart(width)} | ${text}`.trimEnd());
		if (i !== line) continue;
		const before = lines[i - 1].slice(0, column - 1).replaceAll('\t', '  ').length;
		if (before < LONGEST_LINE) rows.push(`  ${' '.repeat(width)} | ${' '.repeat(before)}^`);
	}
	return rows.join('\n');
}

function headOf(error) {
	let name = 'Error',
		message = '';
	try {
		name = `${error.name ?? 'Error'}`;
		message = `${error.message ?? ''}`;
	} catch {
		message = '(its message cannot be read)';
	}
	if (error.code !== undefined && typeof error.code === 'string' && !message.includes(error.code))
		name += ` [${error.code}]`;
	return message === '' ? name : `${name}: ${message}`;
}

function framesOf(error) {
	const frames = readStack(error.stack);
	return frames.length > 0 ? frames : placeOf(error);
}

/** Message and stack only. @param {Error} error */
function stackText(error) {
	return [headOf(error), ...framesOf(error).map(showFrame)].join('\n');
}

bindStack(stackText);

export function isError(value) {
	return value instanceof Error || (Error.isError?.(value) ?? false);
}

function extras(error, depth) {
	const parts = [];
	if (Array.isArray(error.errors)) {
		for (const inner of error.errors.slice(0, MOST_CAUSES))
			parts.push(`[error] ${describeAt(inner, depth + 1, false)}`);
	}
	if (error.cause !== undefined) parts.push(`[cause] ${describeAt(error.cause, depth + 1, true)}`);
	return parts;
}

/** @param {Frame | null} otherwise the place, when the error names none */
function describeAt(error, depth, frame, otherwise = null) {
	const known = isError(error);
	const frames = known ? framesOf(error) : [];
	if (frames.length === 0 && otherwise !== null) frames.push(otherwise);
	const head = known ? headOf(error) : `thrown: ${inspect(error)}`;
	const parts = [head, ...frames.map(showFrame)];
	const code = frame && frames.length > 0 ? codeFrame(frames[0]) : '';
	if (code !== '') parts.push('', code);
	if (known && depth < MOST_CAUSES) parts.push(...extras(error, depth));
	return parts.join('\n');
}

/** True when an error comes from somewhere in the user's files. */
export function hasPlace(error) {
	return framesOf(error).length > 0;
}

/**
 * What is known of a thrown value, for the log. Never throws.
 * @param {unknown} error
 * @param {{frame?: boolean}} [options] frame: show the lines round the place
 */
export function describe(error, { frame = true } = {}) {
	try {
		return describeAt(error, 0, frame);
	} catch {
		return 'thrown: a value that cannot be shown';
	}
}

/**
 * The same for what a handler failed with.
 * @param {unknown} error
 */
export function describeFailure(error) {
	try {
		return describeAt(error, 0, true, handlerFrame());
	} catch {
		return describe(error);
	}
}

/** Logs what nobody caught. @param {unknown} error */
export function report(error) {
	native.log(LEVEL_ERROR, `Uncaught ${describe(error)}`);
}
