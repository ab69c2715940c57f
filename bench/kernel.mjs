// SPDX-License-Identifier: BSD-2-Clause
// node bench/kernel.mjs [--rounds N]
//
// Selkie's kernel beside Linux: the same C, compiled by selkie-cc and by gcc -O2, in turn. Each
// program measures itself (bench/kernel/*.c). Asserts no time.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { output, root } from './lib/paths.mjs';
import { decimal, saveJson, saveSection, table } from './lib/report.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);
const selkie = join(root, 'build/bin/selkie');
const folder = join(output, 'kernel');

/** What issue 4 asks for: of the number itself, or of its ratio to Linux. */
const cases = [
	{ name: 'getpid', unit: 'ns', most: 20 },
	{ name: 'pingpong', unit: 'us', ratio: 1.2 },
	{ name: 'pipe', unit: 'MB/s', ratio: 0.8, more: true },
	{ name: 'openclose', unit: 'ns', ratio: 0.7, inside: ['/tmp'], outside: ['/dev/shm'] },
	{ name: 'fork', unit: 'us', ratio: 0.5 },
	{
		name: 'spawn',
		unit: 'ms',
		most: 3,
		inside: ['/usr/local/bin/spawn'],
		outside: [join(folder, 'spawn.elf')],
	},
	{ name: 'deflate', unit: 's', ratio: 1.4 },
	{ name: 'sha256', unit: 's', ratio: 1.4 },
];

const what = {
	getpid: 'getpid',
	pingpong: 'one byte to another process and back',
	pipe: '64 KiB writes through a pipe',
	openclose: 'open and close in memfs (Linux: tmpfs)',
	fork: 'fork, exit, wait',
	spawn: 'spawn of a cached program, and wait',
	deflate: 'gzip-like compression',
	sha256: 'SHA-256 of 128 MiB',
	subshells: 'dash: 300 subshells, start included',
	fib: 'lua: fib(32)',
};

/** @param {string[]} command @returns {string} */
function read(command) {
	const ran = spawnSync(command[0], command.slice(1), { encoding: 'utf8', timeout: 600000 });
	if (ran.status !== 0) throw new Error(`${command.join(' ')}: ${ran.status} ${ran.stderr}`);
	return ran.stdout;
}

const number = (command) => Number.parseFloat(read(command));

function milliseconds(command) {
	const start = performance.now();
	read(command);
	return performance.now() - start;
}

function median(list) {
	const sorted = [...list].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)];
}

function build(name) {
	const source = join(root, 'bench/kernel', `${name}.c`);
	const flags = ['-O2', '-D_GNU_SOURCE'];
	execFileSync(join(root, 'build/bin/selkie-cc'), [
		...flags,
		source,
		'-o',
		join(folder, `${name}.wasm`),
	]);
	execFileSync('gcc', [...flags, source, '-o', join(folder, `${name}.elf`)]);
}

/** One of ours and one of Linux's, `rounds` times. */
function inTurn(ours, theirs, measure) {
	/** @type {{selkie: number[], linux: number[]}} */
	const result = { selkie: [], linux: [] };
	measure(ours); // translates it, and warms the cache
	for (let i = 0; i < rounds; i++) {
		result.selkie.push(measure(ours));
		result.linux.push(measure(theirs));
	}
	return result;
}

function row(goal, result) {
	const ours = median(result.selkie);
	const theirs = median(result.linux);
	const ratio = ours / theirs;
	const met = goal.most ? ours <= goal.most : goal.more ? ratio >= goal.ratio : ratio <= goal.ratio;
	return { ...goal, goal: goal.ratio, selkie: ours, linux: theirs, ratio, met, runs: result };
}

/** The Lua of Debian's source package, compiled for Linux by gcc -O2. */
function nativeLua() {
	const elf = join(folder, 'lua.elf');
	const source = join(root, 'build/src/lua5.4/src');
	if (existsSync(elf)) return elf;
	if (!existsSync(join(source, 'lua.c'))) return null;
	const files = readdirSync(source).filter((file) => file.endsWith('.c') && file !== 'luac.c');
	// Debian's luaconf.h wants it for the paths of libraries.
	writeFileSync(
		join(folder, 'lua5.4-deb-multiarch.h'),
		'#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"\n',
	);
	const flags = ['-O2', '-DLUA_USE_POSIX', `-I${folder}`];
	execFileSync('gcc', [...flags, ...files, '-lm', '-o', elf], { cwd: source });
	return elf;
}

mkdirSync(folder, { recursive: true });
const rows = [];
for (const goal of cases) {
	build(goal.name);
	const ours = [
		selkie,
		'run',
		'--no-tty',
		join(folder, `${goal.name}.wasm`),
		...(goal.inside ?? []),
	];
	const theirs = [join(folder, `${goal.name}.elf`), ...(goal.outside ?? [])];
	rows.push(row(goal, inTurn(ours, theirs, number)));
	console.log(`${goal.name}: ${rows.at(-1).selkie} ${goal.unit}, Linux ${rows.at(-1).linux}`);
}
if (existsSync(join(root, 'build/programs/dash'))) {
	const script = 'i=0; while [ $i -lt 300 ]; do (:); i=$((i+1)); done';
	rows.push(
		row(
			{ name: 'subshells', unit: 'ms', ratio: 0.5 },
			inTurn(
				[selkie, 'run', '--no-tty', 'dash', '-c', script],
				['/bin/dash', '-c', script],
				milliseconds,
			),
		),
	);
}
const lua = existsSync(join(root, 'build/programs/lua')) ? nativeLua() : null;
if (lua) {
	const file = join(root, 'bench/kernel/fib.lua');
	const mount = `hostfs:${join(root, 'bench/kernel')}:/mnt:ro`;
	rows.push(
		row(
			{ name: 'fib', unit: 's', ratio: 1.4 },
			inTurn(
				[selkie, 'run', '--no-tty', '--mount', mount, 'lua', '/mnt/fib.lua'],
				[lua, file],
				number,
			),
		),
	);
}

/** Half of what lies between the least and the most, in parts of the median. */
const spread = (/** @type {number[]} */ runs) =>
	(Math.max(...runs) - Math.min(...runs)) / 2 / (median(runs) || 1);
saveJson(
	'kernel',
	rows.map((r) => ({
		name: r.name,
		unit: r.unit,
		ours: r.selkie,
		against: 'linux',
		theirs: r.linux,
		ratio: r.ratio,
		spread: spread(r.runs.selkie),
	})),
);
const wanted = (r) => (r.most ? `≤ ${r.most} ${r.unit}` : `${r.more ? '≥' : '≤'} ${r.goal}`);
saveSection(
	'kernel',
	`## Kernel: programs on Selkie's kernel beside Linux\n\n${table(
		['', 'Selkie', 'Linux', 'ratio', 'wanted', 'met'],
		rows.map((r) => [
			what[r.name],
			`${decimal(r.selkie)} ${r.unit}`,
			`${decimal(r.linux)} ${r.unit}`,
			decimal(r.ratio),
			wanted(r),
			r.met ? 'yes' : 'no',
		]),
	)}\n\nMedians of ${rounds} runs in turn (\`make bench-kernel\`, bench/kernel/*.c).`,
);
for (const r of rows)
	console.log(
		`${r.met ? ' ' : '!'} ${r.name} ${r.selkie} ${r.unit} (Linux ${r.linux}, ratio ${r.ratio.toFixed(2)})`,
	);
