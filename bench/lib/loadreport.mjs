// SPDX-License-Identifier: BSD-2-Clause
// What run.mjs measured, as JSON rows and as Markdown tables.

import { decimal, table } from './report.mjs';
import { median, pairedRatio, row, spread } from './stats.mjs';

/** Selkie's variants are compared with these. */
const yardsticks = ['nginx', 'node', 'bun', 'deno', 'workerd', 'njs', 'lua'];

const fields = [
	['rps', '1/s'],
	['cpu', 'µs/request'],
	['mean', 'µs'],
	['stdev', 'µs'],
	['p50', 'µs'],
	['p99', 'µs'],
	['max', 'µs'],
];

const series = (entry, connections, field) =>
	entry.rounds.map(({ samples }) => samples[connections][field]);

/** @returns {object[]} one row for each variant of Selkie, connection count, field and rival */
export function caseRows(caseName, measured, connectionCounts) {
	const rivals = measured.filter(({ name }) => yardsticks.includes(name));
	const ours = measured.filter(({ name }) => name.startsWith('selkie'));
	const rows = [];
	for (const entry of ours) {
		for (const connections of connectionCounts) {
			for (const [field, unit] of fields) {
				const name = `${caseName} ${entry.name} ${connections} connections ${field}`;
				const values = series(entry, connections, field);
				if (rivals.length === 0) rows.push(row(name, unit, values));
				for (const rival of rivals)
					rows.push(row(name, unit, values, rival.name, series(rival, connections, field)));
			}
		}
		const memories = entry.rounds.map(({ memory }) => memory / 2 ** 20);
		rows.push(row(`${caseName} ${entry.name} memory`, 'MiB', memories));
	}
	return rows;
}

/** The columns: heading, and the cell of one server at one connection count. */
const columns = ({ nginx, node, bytes }) => {
	const ratio = (field, other) => (at) => decimal(pairedRatio(at(field), at(field, other)));
	const whole = (field) => (at) => decimal(median(at(field)), 0);
	return [
		['requests/s', whole('rps')],
		bytes && ['MB/s', (at) => decimal((median(at('rps')) * bytes) / 1e6, 0)],
		['± %', (at) => decimal(spread(at('rps')) * 50, 0)],
		nginx && ['of nginx', ratio('rps', nginx)],
		node && ['of Node', ratio('rps', node)],
		['p50 µs', whole('p50')],
		['p99 µs', whole('p99')],
		['max µs', whole('max')],
		['mean ± sd µs', (at) => `${whole('mean')(at)} ± ${whole('stdev')(at)}`],
		['CPU µs/request', (at) => decimal(median(at('cpu')), 1)],
		node && ['CPU of Node', ratio('cpu', node)],
	].filter(Boolean);
};

/** @returns {string} Markdown: one case, one table, the fastest first */
export function caseSection({ title, bytes }, measured, connectionCounts, { rounds, seconds }) {
	const named = (name) => measured.find((entry) => entry.name === name);
	const shown = columns({ nginx: named('nginx'), node: named('node'), bytes });
	const rows = connectionCounts.flatMap((connections) => {
		const rate = (entry) => median(series(entry, connections, 'rps'));
		const sorted = [...measured].sort((a, b) => rate(b) - rate(a));
		return sorted.map((entry) => {
			const at = (field, other = entry) => series(other, connections, field);
			const memory = median(entry.rounds.map((round) => round.memory)) / 1e6;
			return [
				`${entry.title} (${entry.version})`,
				String(connections),
				...shown.map(([, cell]) => cell(at)),
				decimal(memory, 0),
			];
		});
	});
	return [
		`## ${title}`,
		`Medians of ${rounds} round${rounds > 1 ? 's' : ''} of ${seconds} s, servers in turn.`,
		table(['server', 'connections', ...shown.map(([heading]) => heading), 'MB'], rows),
	].join('\n\n');
}
