// SPDX-License-Identifier: BSD-2-Clause
// What /proc says of processes: who descends from whom, who is left over,
// and how much memory each one holds.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * @typedef {object} Process
 * @property {number} pid
 * @property {number} parent
 * @property {string} name
 * @property {string} state  R, S, D, Z …
 * @property {string} start  ticks since boot: with pid, a process's identity
 * @property {number} ticks  user and system time used
 */

/** @returns {Process | undefined} undefined when there is no such process */
export function processOf(pid) {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
		const close = stat.lastIndexOf(')');
		const rest = stat.slice(close + 2).split(' ');
		return {
			pid: Number(pid),
			parent: Number(rest[1]),
			name: stat.slice(stat.indexOf('(') + 1, close),
			state: rest[0],
			start: rest[19],
			ticks: Number(rest[11]) + Number(rest[12]),
		};
	} catch {
		return undefined;
	}
}

/** @returns {Process[]} */
export function allProcesses() {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.map(processOf)
		.filter((process) => process !== undefined);
}

/** The process `pid` and all that descend from it. @returns {Process[]} */
export function processTree(pid) {
	const all = allProcesses();
	const tree = all.filter((process) => process.pid === pid);
	for (const process of tree) tree.push(...all.filter((other) => other.parent === process.pid));
	return tree;
}

export function isAlive(process) {
	const now = processOf(process.pid);
	return now !== undefined && now.start === process.start && now.state !== 'Z';
}

/** Processes that run a program, or name a file, below `folder`. */
export function processesOf(folder) {
	return allProcesses().filter(({ pid, state }) => {
		if (state === 'Z') return false;
		return programOf(pid).startsWith(`${folder}/`) || commandOf(pid).includes(`${folder}/`);
	});
}

/** Processes whose current folder is `folder`. */
export function processesIn(folder) {
	return allProcesses().filter(({ pid, state }) => {
		try {
			return state !== 'Z' && readlinkSync(`/proc/${pid}/cwd`) === folder;
		} catch {
			return false;
		}
	});
}

export function commandOf(pid) {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
	} catch {
		return '';
	}
}

function programOf(pid) {
	try {
		return readlinkSync(`/proc/${pid}/exe`);
	} catch {
		return '';
	}
}

/**
 * Bytes of memory of one process.
 * @returns {{rss: number, pss: number, private: number}}
 */
export function memoryOf(pid) {
	const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
	const field = (name) => {
		const found = text.match(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm'));
		return found ? Number(found[1]) * 1024 : 0;
	};
	return {
		rss: field('Rss'),
		pss: field('Pss'),
		private: field('Private_Clean') + field('Private_Dirty'),
	};
}

/** The number of descriptors that a process holds open. */
export function descriptorsOf(pid) {
	return readdirSync(`/proc/${pid}/fd`).length;
}
