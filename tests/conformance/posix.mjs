// SPDX-License-Identifier: BSD-2-Clause
// Runs the Open POSIX Test Suite (Debian's source package posixtestsuite
// 1.5.2) on Selkie's kernel, and beside it the same programs linked to musl
// on Linux. Writes build/conformance/posix.json.
//
// A test is right here when its verdict is the one that tests/posix/expected.txt
// gives it or, when it is not listed, PASS or the verdict on Linux. So each
// difference has a reason there, and an unexpected pass is a failure too. What
// needs a part of POSIX that Selkie does not have yet (LATER) counts as skipped.
// quick: --sample 60
// full: --sample 1 --jobs 2
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const out = join(root, 'build/conformance');
const help = `usage: node tests/conformance/posix.mjs [OPTIONS] [PATTERN…]

Runs the tests whose names (interfaces/fork/1-1) contain one of the patterns, or
are =NAME; without any, all.

  --sample N    each Nth test only (the quick tier takes 60)
  --jobs N      so many at once (default 2)
  --timeout S   seconds until a test counts as hanging (default 60)
  --only SIDE   ours or native; the verdicts that an earlier run found for
                the other side are kept
  --list        prints the names and ends
`;

/** What a test's exit status means (include/posixtest.h). */
const VERDICTS = { 0: 'PASS', 1: 'FAIL', 2: 'UNRESOLVED', 4: 'UNSUPPORTED', 5: 'UNTESTED' };

/** @param {string[]} argv */
function options(argv) {
	const o = { sample: 1, jobs: 2, timeout: 60, ours: true, native: true, list: false };
	const patterns = [];
	for (let i = 0; i < argv.length; i++) {
		const a = argv[i];
		if (a === '--sample' || a === '--jobs' || a === '--timeout') {
			const n = Number(argv[++i]);
			if (!(n >= 1)) stop(`${a} needs a number`);
			o[/** @type {'sample'|'jobs'|'timeout'} */ (a.slice(2))] = n;
		} else if (a === '--only') {
			const side = argv[++i];
			if (side !== 'ours' && side !== 'native') stop('--only needs: ours or native');
			o.ours = side === 'ours';
			o.native = side === 'native';
		} else if (a === '--list') o.list = true;
		else if (a === '--help' || a === '-h') {
			process.stdout.write(help);
			process.exit(0);
		} else if (a.startsWith('-')) stop(`unknown option ${a}\n${help}`);
		else patterns.push(a);
	}
	return { ...o, patterns };
}

/** @param {string} message @returns {never} */
function stop(message) {
	process.stderr.write(`conformance-posix: ${message}\n`);
	process.exit(2);
}

/** The suite's folder; fetched when it is not there. */
async function source() {
	const folder = join(root, 'build/source/posixtestsuite');
	if (!existsSync(join(folder, 'conformance'))) {
		await run(join(root, 'tools/debian-source'), ['posixtestsuite', folder]);
	}
	return folder;
}

/** @param {string} folder @returns {string[]} */
function* files(folder) {
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) yield* files(path);
		else yield path;
	}
}

/** The programs of the suite: sources with a main, as its own Makefile picks them. */
function tests(/** @type {string} */ suite) {
	const all = [];
	for (const path of files(join(suite, 'conformance'))) {
		if (!/^\d+-\d+\.c$/.test(basename(path))) continue;
		if (!/\bmain\b/.test(readFileSync(path, 'latin1'))) continue;
		all.push(relative(join(suite, 'conformance'), path).replace(/\.c$/, ''));
	}
	const number = (/** @type {string} */ s) => s.replace(/\d+/g, (d) => d.padStart(4, '0'));
	return all.sort((a, b) => (number(a) < number(b) ? -1 : 1));
}

/** What Selkie does not have yet, by what a test's sources call. @type {[RegExp, string][]} */
const LATER = [
	[/\bpthread_create\b/, 'threads of a program come later'],
	[/\bmq_\w+\s*\(/, 'message queues come later'],
	[/\b(aio|lio)_\w+\s*\(/, 'asynchronous input and output comes later'],
];

/** Why a test cannot pass yet, or undefined. */
function later(/** @type {string} */ suite, /** @type {string} */ name) {
	const file = join(suite, 'conformance', `${name}.c`);
	let text = readFileSync(file, 'latin1');
	for (const [, part] of text.matchAll(/#include "(.*\.[ch])"/g)) {
		const path = join(dirname(file), part);
		if (existsSync(path)) text += readFileSync(path, 'latin1');
	}
	return LATER.find(([calls]) => calls.test(text))?.[1];
}

/** Expected verdicts: `pattern VERDICT reason`, `*` in a pattern; the last that fits counts. */
function expectations() {
	const rows = readFileSync(join(root, 'tests/posix/expected.txt'), 'utf8')
		.split('\n')
		.filter((line) => line && !line.startsWith('#'))
		.map((line) => {
			const [, pattern, verdict, reason] = /^(\S+)\s+(\S+)\s+(.+)$/.exec(line) ?? [];
			if (!reason) stop(`expected.txt: "${line}" is not: pattern VERDICT reason`);
			const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
			return { fits: new RegExp(`^${escaped}$`), verdicts: verdict.split('|'), reason };
		});
	return (/** @type {string} */ name) => rows.filter((row) => row.fits.test(name)).at(-1);
}

/**
 * Runs a command with a time limit for it and all that it started.
 * @param {string[]} command @param {string} cwd @param {number} seconds
 * @returns {Promise<{verdict: string, output: string}>}
 */
function verdict(command, cwd, seconds) {
	return new Promise((resolve) => {
		const child = spawn(command[0], command.slice(1), {
			cwd,
			env: {
				...process.env,
				SELKIE_CC: join(root, 'tests/posix/quick-cc'),
				SELKIE_CACHE: join(cwd, 'cache'),
			},
			detached: true,
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		let output = '';
		let hung = false;
		for (const stream of [child.stdout, child.stderr]) {
			stream.on('data', (data) => {
				if (output.length < 4000) output += data;
			});
		}
		const end = () => {
			try {
				process.kill(-(child.pid ?? 0), 'SIGKILL');
			} catch {}
		};
		const timer = setTimeout(() => {
			hung = true;
			end();
		}, seconds * 1000);
		child.on('error', (error) => {
			clearTimeout(timer);
			resolve({ verdict: 'NORUN', output: String(error) });
		});
		child.on('exit', (code, signal) => {
			clearTimeout(timer);
			end();
			child.stdout.destroy();
			child.stderr.destroy();
			if (hung) resolve({ verdict: 'HUNG', output });
			else if (signal || (code ?? 0) > 128) {
				resolve({ verdict: `SIGNAL-${signal ?? (code ?? 0) - 128}`, output });
			} else resolve({ verdict: VERDICTS[/** @type {0} */ (code)] ?? `EXIT-${code}`, output });
		});
	});
}

/** How a test is compiled, by the suite's own flags. */
const FLAGS = ['-std=gnu99', '-O1', '-w', '-D_POSIX_C_SOURCE=200112L', '-D_GNU_SOURCE'];

/**
 * @param {string} suite @param {string} name @param {'ours'|'native'} side
 * @param {number} seconds
 */
async function once(suite, name, side, seconds) {
	const file = join(suite, 'conformance', `${name}.c`);
	const folder = join(out, 'work', side, name.replaceAll('/', '_'));
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const program = join(folder, side === 'ours' ? 'test.wasm' : 'test');
	const compiler = side === 'ours' ? [join(root, 'build/bin/selkie-cc')] : ['musl-gcc', '-static'];
	const build = [...compiler, ...FLAGS, `-I${suite}/include`, `-I${dirname(file)}`];
	try {
		const arguments_ = [...build.slice(1), file, '-o', program, '-lpthread', '-lrt', '-lm'];
		await run(build[0], arguments_, { timeout: 120000 });
	} catch (/** @type {any} */ error) {
		rmSync(folder, { recursive: true, force: true });
		return { verdict: 'NOBUILD', output: String(error.stderr ?? error).slice(0, 2000) };
	}
	// Natively without the right to set the clock, and in a pid namespace of
	// its own, since some tests signal all that they can reach.
	const command =
		side === 'ours'
			? [join(root, 'build/bin/selkie'), 'run', '--no-tty', program]
			: [...confined(), program];
	const result = await verdict(command, folder, seconds);
	rmSync(folder, { recursive: true, force: true });
	return result;
}

function confined() {
	const unshare = ['unshare', '--pid', '--fork', '--kill-child'];
	return process.getuid?.() === 0
		? [...unshare, 'setpriv', '--bounding-set=-sys_time,-sys_boot,-sys_nice', '--inh-caps=-all']
		: [...unshare, '--user', '--map-current-user'];
}

/** @typedef {{name: string, ours: string, native: string, ok: boolean, later?: boolean, reason?: string, output?: string}} Row */

/** The rows of earlier runs, by name. @returns {Map<string, Row>} */
function earlier() {
	try {
		/** @type {{rows: Row[]}} */
		const { rows } = JSON.parse(readFileSync(join(out, 'posix.json'), 'utf8'));
		return new Map(rows.map((row) => [row.name, row]));
	} catch {
		return new Map();
	}
}

async function main() {
	const o = options(process.argv.slice(2));
	const suite = await source();
	const names = tests(suite)
		.filter(
			(name) =>
				!o.patterns.length ||
				o.patterns.some((p) => (p.startsWith('=') ? name === p.slice(1) : name.includes(p))),
		)
		.filter((_, i) => i % o.sample === 0);
	if (o.list) {
		process.stdout.write(`${names.join('\n')}\n`);
		return;
	}
	const expected = expectations();
	const before = earlier();
	mkdirSync(out, { recursive: true });
	/** @type {Row[]} */
	const rows = [];
	let next = 0;
	let done = 0;
	const worker = async () => {
		for (;;) {
			const name = names[next++];
			if (!name) return;
			const kept = before.get(name);
			/** @type {{verdict: string, output?: string}} */
			const ours = o.ours
				? await once(suite, name, 'ours', o.timeout)
				: { verdict: kept?.ours ?? 'NOT-RUN' };
			const native = o.native
				? (await once(suite, name, 'native', o.timeout)).verdict
				: (kept?.native ?? 'NOT-RUN');
			const row = expected(name);
			const ok = !o.ours || (row?.verdicts ?? ['PASS', native]).includes(ours.verdict);
			const missing = ok ? undefined : later(suite, name);
			rows.push({
				name,
				ours: ours.verdict,
				native,
				ok,
				later: missing !== undefined,
				reason: row?.reason ?? missing,
				output: ours.verdict === 'PASS' ? undefined : ours.output,
			});
			done++;
			if (!ok && !missing) {
				process.stdout.write(
					`FAILED  ${name}: ${ours.verdict}, on Linux ${native}, expected ${row?.verdicts.join(' or ') ?? 'PASS'}${ours.output ? `\n        ${ours.output.trim().split('\n').at(-1)}` : ''}\n`,
				);
			}
			if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${names.length} `);
		}
	};
	await Promise.all(Array.from({ length: o.jobs }, worker));
	rows.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
	const count = (/** @type {'ours'|'native'} */ side) =>
		Object.fromEntries(
			[...new Set(rows.map((row) => row[side]))]
				.sort()
				.map((v) => [v, rows.filter((row) => row[side] === v).length]),
		);
	const { stdout: commit } = await run('git', ['rev-parse', '--short', 'HEAD'], { cwd: root });
	const totals = { ours: count('ours'), native: count('native') };
	// What was not run this time stays as it was found before.
	for (const row of rows) before.set(row.name, row);
	const all = tests(suite).flatMap((name) => before.get(name) ?? []);
	const json = { commit: commit.trim(), programs: all.length, totals, rows: all };
	writeFileSync(join(out, 'posix.json'), `${JSON.stringify(json, null, '\t')}\n`);
	process.stdout.write(`here: ${JSON.stringify(totals.ours)}\n`);
	process.stdout.write(`musl on Linux: ${JSON.stringify(totals.native)}\n`);
	const failed = rows.filter((row) => !row.ok && !row.later).length;
	const skipped = rows.filter((row) => row.later).length;
	process.stdout.write(
		`${rows.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped\n`,
	);
	process.exitCode = failed ? 1 : 0;
}

await main();
