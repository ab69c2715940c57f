// SPDX-License-Identifier: BSD-2-Clause
/*
 * console.table.
 */
import { inspect } from './inspect.js';

const INDEX = '(index)',
	VALUES = 'Values';

/** The rows of the data: [index, value]. */
function rowsOf(data) {
	if (data instanceof Map)
		return [...data].map(([key, value], i) => [`${i}`, { Key: key, Values: value }]);
	if (data instanceof Set) return [...data].map((value, i) => [`${i}`, value]);
	return Object.entries(data);
}

function line(left, middle, right, widths) {
	return left + widths.map((width) => '─'.repeat(width + 2)).join(middle) + right;
}

function row(cells, widths) {
	return `│${cells.map((cell, i) => ` ${cell.padEnd(widths[i])} `).join('│')}│`;
}

/** @param {object} data @param {string[]} [wanted] the columns to show */
export function tableText(data, wanted = undefined) {
	const columns = new Set(wanted ?? []);
	let plain = false;
	const rows = rowsOf(data);
	for (const [, value] of rows) {
		if (typeof value !== 'object' || value === null) plain = true;
		else if (wanted === undefined) for (const key of Object.keys(value)) columns.add(key);
	}
	const keys = [...columns];
	const head = [INDEX, ...keys, ...(plain ? [VALUES] : [])];
	const cells = rows.map(([index, value]) => {
		const isObject = typeof value === 'object' && value !== null;
		const shown = keys.map((key) =>
			isObject && Object.hasOwn(value, key) ? inspect(value[key], { depth: 0 }) : '',
		);
		return [index, ...shown, ...(plain ? [isObject ? '' : inspect(value)] : [])];
	});
	const widths = head.map((title, i) =>
		Math.max(title.length, ...cells.map((list) => list[i].length)),
	);
	return [
		line('┌', '┬', '┐', widths),
		row(head, widths),
		line('├', '┼', '┤', widths),
		...cells.map((list) => row(list, widths)),
		line('└', '┴', '┘', widths),
	].join('\n');
}
