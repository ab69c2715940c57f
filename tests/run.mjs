// SPDX-License-Identifier: BSD-2-Clause
// Runs what there is to run: every suite is found by its place and its name.
// Each ends with its own count, and all of it with one line
// `N passed, N failed, N skipped`; the status is 1 when one failed or none ran.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const tree = dirname(dirname(fileURLToPath(import.meta.url)));

const HELP = `usage: tests/run [--full] TIER… [NAME…]

tiers: unit conformance e2e fault fuzz, or all (in this order; with --full also
sanitized: e2e once more, with the programs that \`make SAN=1\` builds).
NAME: only the suites whose name contains it.
--full: the long tests too. FUZZ_SECONDS: the time for each fuzz target
(else 60 with --full, 20 in CI, 5 otherwise).
The programs come from \`make all tests\` (and \`make fuzzers\`).
What a suite printed is in build/logs/.
`;

/**
 * @typedef {object} Suite
 * @property {string} name
 * @property {string[]} command
 * @property {number} seconds   after so many it hangs, and has failed
 * @property {Record<string, string>} [env]
 * @property {(output: string, status: number | null) => Count} count
 */

/** @typedef {{passed: number, failed: number, skipped: number}} Count */

const TIERS = { unit, conformance, e2e, fault, fuzz, sanitized };
const USUAL = ['unit', 'conformance', 'e2e', 'fault', 'fuzz'];

/** Files of a folder that match, sorted. @returns {string[]} */
function find(folder, pattern) {
	const path = join(tree, folder);
	if (!existsSync(path)) return [];
	return readdirSync(path)
		.filter((file) => pattern.test(file))
		.sort()
		.map((file) => join(folder, file));
}

/** @returns {Suite[]} */
function unit() {
	return find('tests/unit', /^test_.*\.c$/).flatMap((file) => {
		const text = readFileSync(join(tree, file), 'utf8');
		const program = `build/tests/${basename(file, '.c')}`;
		const commands = [[program]];
		if (/^\/\/ tsan$/m.test(text)) commands.push([`${program}-tsan`]);
		if (/^\/\/ wasm$/m.test(text))
			commands.push(['node', 'tests/kernel/wasm/run.mjs', `${program}.wasm`]);
		return commands.map((command) => ({
			name: `unit/${basename(command.at(-1) ?? '')}`,
			command,
			seconds: 300,
			count: countLine,
		}));
	});
}

/**
 * A conformance suite says its arguments itself, on lines
 * `// quick: ARGUMENTS` and `// full: ARGUMENTS`.
 * @returns {Suite[]}
 */
function conformance(full) {
	return find('tests/conformance', /\.mjs$/).map((file) => {
		const text = readFileSync(join(tree, file), 'utf8');
		const quick = text.match(/^\/\/ quick: *(.*)$/m)?.[1] ?? '';
		const chosen = full ? (text.match(/^\/\/ full: *(.*)$/m)?.[1] ?? quick) : quick;
		return {
			name: `conformance/${basename(file, '.mjs')}`,
			command: ['node', file, ...chosen.split(' ').filter(Boolean)],
			seconds: full ? 7200 : 400,
			count: countLine,
		};
	});
}

function e2e(full) {
	return nodeSuites('e2e', full);
}

function sanitized(full) {
	return nodeSuites('e2e', full).map((suite) => ({
		...suite,
		name: suite.name.replace('e2e', 'sanitized'),
		env: { SELKIE: join(tree, 'build/san/bin/selkie'), SELKIE_TIER: 'quick' },
	}));
}

function fault(full) {
	return nodeSuites('fault', full);
}

/** @returns {Suite[]} */
function nodeSuites(tier, full) {
	return find(`tests/${tier}`, /\.test\.mjs$/).map((file) => ({
		name: `${tier}/${basename(file, '.test.mjs')}`,
		command: ['node', '--test-reporter=tap', file],
		seconds: full ? 1800 : 400,
		count: countTap,
	}));
}

/** @returns {Suite[]} */
function fuzz(full) {
	const usual = full ? 60 : process.env.CI ? 20 : 5;
	const seconds = Number(process.env.FUZZ_SECONDS ?? usual);
	return find('tests/fuzz', /^fuzz_.*\.c$/).map((file) => {
		const name = basename(file, '.c');
		const found = `build/fuzz/corpus/${name}`;
		const seeds = `tests/fuzz/corpus/${name}`;
		mkdirSync(join(tree, found), { recursive: true });
		return {
			name: `fuzz/${name}`,
			command: [
				`build/fuzz/${name}`,
				`-max_total_time=${seconds}`,
				'-timeout=10',
				'-print_final_stats=1',
				`-artifact_prefix=build/fuzz/${name}-`,
				found,
				...(existsSync(join(tree, seeds)) ? [seeds] : []),
			],
			seconds: seconds + 120,
			count: (_output, status) => ({
				passed: status === 0 ? 1 : 0,
				failed: status === 0 ? 0 : 1,
				skipped: 0,
			}),
		};
	});
}

/** The last `N passed, N failed, N skipped` of a suite. @returns {Count} */
function countLine(output, status) {
	const all = [...output.matchAll(/^(\d+) passed, (\d+) failed, (\d+) skipped$/gm)];
	const last = all.at(-1);
	if (!last) return { passed: 0, failed: 1, skipped: 0 };
	const [passed, failed, skipped] = last.slice(1).map(Number);
	return { passed, failed: status !== 0 && failed === 0 ? 1 : failed, skipped };
}

/** The summary of node:test. @returns {Count} */
function countTap(output, status) {
	const of = (name) => Number(output.match(new RegExp(`^# ${name} (\\d+)$`, 'm'))?.[1] ?? 0);
	const failed = of('fail') + of('cancelled');
	const none = of('pass') + failed + of('skipped') === 0;
	return {
		passed: of('pass'),
		failed: none || (status !== 0 && failed === 0) ? 1 : failed,
		skipped: of('skipped') + of('todo'),
	};
}

/** @returns {Promise<{output: string, status: number | null}>} */
function execute({ command: [program, ...args], seconds, env }, full) {
	return new Promise((resolve) => {
		const child = spawn(program, args, {
			cwd: tree,
			detached: true,
			stdio: ['ignore', 'pipe', 'pipe'],
			env: {
				...process.env,
				SELKIE_TIER: full ? 'full' : 'quick',
				ASAN_OPTIONS: 'detect_leaks=1:abort_on_error=0',
				UBSAN_OPTIONS: 'print_stacktrace=1',
				...env,
			},
		});
		let output = '';
		const hear = (text) => {
			output += text;
		};
		child.stdout.setEncoding('utf8').on('data', hear);
		child.stderr.setEncoding('utf8').on('data', hear);
		const kill = (why) => {
			output += `\n# ${why}: killed\n`;
			failed = true;
			process.kill(-(/** @type {number} */ (child.pid)), 'SIGKILL');
		};
		let failed = false;
		let timer = setTimeout(() => kill(`it did not end in ${seconds} s`), seconds * 1000);
		const end = (status) => {
			clearTimeout(timer);
			resolve({ output, status: failed ? 1 : status });
		};
		child.on('error', (error) => {
			output += String(error);
			end(127);
		});
		// Who still holds the output after the suite's end was left behind.
		child.on('exit', () => {
			clearTimeout(timer);
			timer = setTimeout(() => kill('it left processes behind'), 5000);
		});
		child.on('close', end);
	});
}

/** What a reader needs of a failed suite: its failures, else its end. */
function excerpt(output) {
	const blocks = output.match(/^ *not ok [\s\S]*?^ *\.\.\.$/gm);
	const lines = (blocks ? blocks.join('\n') : output).split('\n');
	return (blocks ? lines.slice(0, 120) : lines.slice(-60)).map((line) => `    ${line}`).join('\n');
}

async function runSuite(suite, full) {
	const began = Date.now();
	const { output, status } = await execute(suite, full);
	const log = join(tree, 'build/logs', `${suite.name.replaceAll('/', '-')}.log`);
	mkdirSync(dirname(log), { recursive: true });
	writeFileSync(log, output);
	const count = suite.count(output, status);
	const seconds = ((Date.now() - began) / 1000).toFixed(1);
	const counts = `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`;
	console.log(
		`${count.failed ? 'FAILED' : '    ok'}  ${suite.name.padEnd(36)} ${counts}  (${seconds} s)`,
	);
	if (count.failed) console.log(excerpt(output));
	return count;
}

function plan(args) {
	const full = args.includes('--full');
	const names = args.filter((arg) => !arg.startsWith('--'));
	const tiers = names.filter((name) => name in TIERS);
	const only = names.filter((name) => !(name in TIERS) && name !== 'all');
	if (names.includes('all') || tiers.length === 0)
		tiers.push(...USUAL, ...(full ? ['sanitized'] : []));
	const suites = [...new Set(tiers)].flatMap((tier) => TIERS[tier](full));
	return {
		full,
		suites: suites.filter(
			({ name }) => only.length === 0 || only.some((part) => name.includes(part)),
		),
	};
}

async function main(args) {
	if (args.includes('--help') || args.length === 0) {
		process.stdout.write(HELP);
		return args.length === 0 ? 2 : 0;
	}
	const { full, suites } = plan(args);
	const sum = { passed: 0, failed: 0, skipped: 0 };
	for (const suite of suites) {
		const count = await runSuite(suite, full);
		for (const key of Object.keys(sum)) sum[key] += count[key];
	}
	console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
	return sum.failed > 0 || sum.passed === 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
