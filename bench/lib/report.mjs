// SPDX-License-Identifier: BSD-2-Clause
// build/bench/NAME.json, and the sections of bench/RESULTS.md.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { benchRoot, output, root } from './paths.mjs';

export function machine() {
	const memory = Math.round(os.totalmem() / 2 ** 30);
	return `${os.cpus()[0].model.trim()}, ${os.cpus().length} CPUs, ${memory} GiB, Linux ${os.release()}`;
}

export function commit() {
	const git = (...args) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim();
	try {
		const dirty = git('status', '--porcelain', '--untracked-files=no', '--', ':!bench') !== '';
		return git('rev-parse', '--short', 'HEAD') + (dirty ? '+' : '');
	} catch {
		return 'unknown';
	}
}

/**
 * @param {string} name
 * @param {object[]} rows
 */
export function saveJson(name, rows) {
	mkdirSync(output, { recursive: true });
	const text = JSON.stringify({ machine: machine(), commit: commit(), rows }, null, '\t');
	writeFileSync(join(output, `${name}.json`), `${text}\n`);
}

/** The order of the sections in the file. */
const order = ['hello', 'json', 'echo', 'fetch', 'stream', 'start', 'growth', 'kernel'];

/**
 * Replaces one section of bench/RESULTS.md; other benches' sections stay.
 * @param {string} name
 * @param {string} text Markdown from `## ` on
 */
export function saveSection(name, text) {
	const file = join(benchRoot, 'RESULTS.md');
	const sections = new Map();
	const old = existsSync(file) ? readFileSync(file, 'utf8') : '';
	for (const [, key, body] of old.matchAll(/<!-- bench: (\w+) -->\n([\s\S]*?)(?=<!-- bench: |$)/g))
		sections.set(key, body.trim());
	const date = new Date().toISOString().slice(0, 10);
	sections.set(name, `${text.trim()}\n\n${machine()}; commit ${commit()}; ${date}.`);
	const known = [...order, ...[...sections.keys()].filter((key) => !order.includes(key))];
	const body = known
		.filter((key) => sections.has(key))
		.map((key) => `<!-- bench: ${key} -->\n${sections.get(key)}\n`);
	writeFileSync(file, `${introduction}\n${body.join('\n')}`);
}

const introduction = `# Results

Written by \`make bench\`; \`bench/README.md\` says how each number is measured and what it does
not say. The load generator runs on the same machine as the servers and takes part of its
CPUs: that is the same for all of them, and the rates are for comparing, not for planning.
`;

/**
 * @param {string[]} head
 * @param {string[][]} rows the first column is text, the others are numbers
 */
export function table(head, rows) {
	const line = (cells) => `| ${cells.join(' | ')} |`;
	return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join(
		'\n',
	);
}

/** @param {number} value */
export function decimal(value, digits = 2) {
	return value.toLocaleString('en', {
		minimumFractionDigits: digits,
		maximumFractionDigits: digits,
	});
}
