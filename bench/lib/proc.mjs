// SPDX-License-Identifier: BSD-2-Clause
// What /proc knows about a server: its processes, their CPU time and memory.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** @typedef {{pid: number, ppid: number, name: string, start: string, cpu: number}} Process */

/**
 * @param {number | string} pid
 * @returns {Process | undefined} undefined when it is gone
 */
function readStat(pid) {
	let text;
	try {
		text = readFileSync(`/proc/${pid}/stat`, 'latin1');
	} catch {
		return undefined;
	}
	// The name may hold spaces and brackets: the last ')' ends it.
	const end = text.lastIndexOf(')');
	const rest = text.slice(end + 2).split(' ');
	return {
		pid: Number(pid),
		ppid: Number(rest[1]),
		name: text.slice(text.indexOf('(') + 1, end),
		start: rest[19],
		cpu: (Number(rest[11]) + Number(rest[12])) / ticksPerSecond,
	};
}

/** All processes of one server: the one that was started and its descendants. A process once
 * seen stays a member, also when its parent dies and init adopts it. */
export class Tree {
	/** @param {number} root */
	constructor(root) {
		this.root = root;
		/** @type {Map<number, string>} pid to start time: a pid may be used again */
		this.members = new Map();
	}

	/** @returns {Process[]} */
	processes() {
		const all = readdirSync('/proc')
			.filter((name) => /^\d+$/.test(name))
			.map(readStat)
			.filter((entry) => entry !== undefined);
		const live = new Set(
			all
				.filter((p) => p.pid === this.root || this.members.get(p.pid) === p.start)
				.map((p) => p.pid),
		);
		for (let grew = true; grew; ) {
			grew = false;
			for (const { pid, ppid } of all) {
				if (live.has(ppid) && !live.has(pid)) {
					live.add(pid);
					grew = true;
				}
			}
		}
		const found = all.filter((p) => live.has(p.pid));
		this.members = new Map(found.map((p) => [p.pid, p.start]));
		return found;
	}

	/** Seconds of user and system time that the live processes have used. */
	cpu() {
		return this.processes().reduce((sum, p) => sum + p.cpu, 0);
	}

	/** Bytes: shared pages count by their share. */
	pss() {
		return this.processes().reduce((sum, p) => sum + memory(p.pid).pss, 0);
	}

	/** What is still alive a moment after the server was told to end. */
	survivors() {
		return this.processes();
	}
}

/**
 * @param {number} pid
 * @returns {{pss: number, private: number, rss: number}} bytes; zeros when it is gone
 */
export function memory(pid) {
	let text = '';
	try {
		text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
	} catch {
		// It ended between two looks.
	}
	/** @param {string} field */
	const bytes = (field) =>
		Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) * 1024;
	return {
		pss: bytes('Pss'),
		private: bytes('Private_Clean') + bytes('Private_Dirty'),
		rss: bytes('Rss'),
	};
}

/** @param {number} pid the command line, for a process whose name says too little */
export function commandLine(pid) {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').join(' ').trim();
	} catch {
		return '';
	}
}
