// SPDX-License-Identifier: BSD-2-Clause
/*
 * The app file's API in the real engine: each case is bundled as `selkie
 * compile` does it and given to `selkie-worker --app-file`; what is recorded,
 * or what is said of the mistake and where, is compared.
 *
 * usage: node tests/conformance/appfile.mjs
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { build } from 'esbuild';

const tree = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = join(tree, 'build', 'conformance');
const worker = process.env.SELKIE_WORKER ?? join(tree, 'build/libexec/selkie/selkie-worker');
const APP = '/srv/app/app.ts';

async function bundle(source) {
	const { outputFiles } = await build({
		stdin: { contents: source, sourcefile: APP, resolveDir: work, loader: 'ts' },
		bundle: true,
		write: false,
		format: 'esm',
		platform: 'neutral',
		target: 'es2022',
		sourcemap: 'external',
		outfile: join(work, 'app.js'),
	});
	const [map, script] = outputFiles;
	const parsed = JSON.parse(map.text);
	parsed.sources = [APP];
	parsed.mappings = `;${parsed.mappings}`;
	return {
		script: `(async function (register) { "use strict";\n${script.text}\n})\n`,
		map: JSON.stringify(parsed),
	};
}

async function evaluate(source) {
	const { script, map } = await bundle(source);
	const path = join(work, 'app.js.map');
	writeFileSync(path, map);
	const fd = openSync(path, 'r');
	const { status, stdout, stderr } = spawnSync(worker, ['--app-file', APP, '--map', '3'], {
		input: script,
		stdio: ['pipe', 'pipe', 'pipe', fd],
		encoding: 'utf8',
		timeout: 30000,
	});
	closeSync(fd);
	return { status, stdout, stderr };
}

const total = { passed: 0, failed: 0 };

function report(name, problem) {
	if (problem === null) {
		total.passed++;
		return;
	}
	total.failed++;
	console.log(`not ok ${name}: ${problem}`);
}

/** The parts of the result that `wanted` names are as it says. */
async function records(name, source, wanted) {
	const { status, stdout, stderr } = await evaluate(source);
	if (status !== 0) return report(name, `ended with status ${status}: ${stderr}`);
	const got = JSON.parse(stdout);
	for (const key of Object.keys(wanted)) {
		if (!isDeepStrictEqual(got[key], wanted[key])) {
			return report(
				name,
				`${key} is ${JSON.stringify(got[key])}, wanted ${JSON.stringify(wanted[key])}`,
			);
		}
	}
	return report(name, null);
}

/** It fails, and says all of these. */
async function refuses(name, source, ...texts) {
	const { status, stderr } = await evaluate(source);
	if (status !== 1) return report(name, `ended with status ${status}`);
	const missing = texts.find((text) => !stderr.includes(text));
	return report(
		name,
		missing === undefined ? null : `does not say ${JSON.stringify(missing)}: ${stderr}`,
	);
}

const ROUTE = {
	method: 'GET',
	pattern: '/a/:b',
	worker: './w.js',
	file: APP,
	line: 1,
	policy: {},
	limits: {},
	places: {},
	processes: 1,
};
const HERE = { file: APP, line: 1 };
const route = (fields) => [{ ...ROUTE, ...fields }];
const policy = (body) => `app.get('/a/:b', './w.js', (policy) => { ${body} });`;

mkdirSync(work, { recursive: true });

await records('nothing said', '', {
	port: null,
	interface: null,
	host: null,
	limits: {},
	places: {},
	routes: [],
	statics: [],
});
await records(
	'port, interface and hosts',
	"app.port = 0; app.interface = '::1'; app.host = ['A.test', 'b.test'];",
	{
		port: 0,
		interface: '::1',
		host: ['a.test', 'b.test'],
	},
);
await records('one host', "app.host = 'X.test';", { host: ['x.test'] });
await records(
	'the defaults can be read',
	'if (app.port !== 8080 || app.interface !== "127.0.0.1" || app.host !== undefined) throw 1;',
	{},
);
await records('a route', "app.get('/a/:b', './w.js');", { routes: route({}) });
await records(
	"its line is the source's own",
	"const x: number = 1;\n\ntype T = string;\napp.get('/a/:b',\n\t'./w.js');",
	{ routes: route({ line: 4 }) },
);
await records('any method, in upper case', "app.route('propfind', '/a/:b', './w.js');", {
	routes: route({ method: 'PROPFIND' }),
});
for (const method of [
	'get',
	'post',
	'put',
	'patch',
	'delete',
	'head',
	'options',
	'trace',
	'connect',
]) {
	await records(`app.${method}`, `app.${method}('/a/:b', './w.js');`, {
		routes: route({ method: method.toUpperCase() }),
	});
}
await records('processes', "app.get('/a/:b', './w.js', undefined, { processes: 3 });", {
	routes: route({ processes: 3 }),
});
await records(
	'outbound HTTP',
	policy(
		"policy.outboundHttp.allowGet('https://x.test/**'); policy.outboundHttp.allowDelete('http://*.y.test/'); policy.outboundHttp.allowPrivate();",
	),
	{
		routes: route({
			policy: {
				outboundHttp: [
					{ method: 'GET', pattern: 'https://x.test/**' },
					{ method: 'DELETE', pattern: 'http://*.y.test/' },
				],
				outboundPrivate: true,
			},
			places: { outboundHttp: [HERE, HERE] },
		}),
	},
);
await records(
	'a grant has the line of its own call',
	"app.get('/a/:b', './w.js', (policy) => {\n\n\tpolicy.outboundHttp.allowGet('https://x.test/');\n});",
	{
		routes: route({
			policy: { outboundHttp: [{ method: 'GET', pattern: 'https://x.test/' }] },
			places: { outboundHttp: [{ file: APP, line: 3 }] },
		}),
	},
);
await records(
	'every other grant',
	policy(
		"policy.outboundWebSocket.allow('wss://x.test/'); policy.files.allowRead('data/**'); policy.files.allowWrite('/tmp/x'); policy.env.allow('HOME', 'PATH'); policy.sqlite.allow('db.sqlite', { readonly: true }); policy.mysql.allow('mysql://u:p@h/d'); policy.redis.allow('redis://h/'); policy.kv.allow('k'); policy.programs.allow('grep', 'sort');",
	),
	{
		routes: route({
			policy: {
				outboundWebSocket: ['wss://x.test/'],
				files: [
					{ mode: 'read', pattern: 'data/**' },
					{ mode: 'write', pattern: '/tmp/x' },
				],
				env: ['HOME', 'PATH'],
				sqlite: [{ path: 'db.sqlite', readonly: true }],
				mysql: ['mysql://u:p@h/d'],
				redis: ['redis://h/'],
				kv: ['k'],
				programs: ['grep', 'sort'],
			},
			places: { outboundWebSocket: [HERE] },
		}),
	},
);
await records(
	'limits',
	`app.limits({ memory: '1G', idle: '5m' }); ${policy("policy.limits({ memory: '64M', cpu: '1.5s', wall: 2000, body: '10KB', concurrency: 5, subrequests: 1 });")}`,
	{
		limits: { memory: 2 ** 30, idle: 300000 },
		places: { limits: { memory: HERE, idle: HERE } },
		routes: route({
			limits: {
				memory: 64 * 2 ** 20,
				cpu: 1500,
				wall: 2000,
				body: 10240,
				concurrency: 5,
				subrequests: 1,
			},
			places: {
				limits: {
					memory: HERE,
					cpu: HERE,
					wall: HERE,
					body: HERE,
					concurrency: HERE,
					subrequests: HERE,
				},
			},
		}),
	},
);
await records(
	'static folders',
	"app.static('/s', './public');\napp.static('/t', 'x', { index: false, cleanUrls: true });\napp.static('/', 'y', { index: 'main.htm' });",
	{
		statics: [
			{
				prefix: '/s',
				folder: './public',
				index: 'index.html',
				cleanUrls: false,
				file: APP,
				line: 1,
			},
			{ prefix: '/t', folder: 'x', index: null, cleanUrls: true, file: APP, line: 2 },
			{ prefix: '/', folder: 'y', index: 'main.htm', cleanUrls: false, file: APP, line: 3 },
		],
	},
);
await records(
	'promises are awaited',
	"await new Promise((resolve) => setTimeout(resolve, 5));\napp.get('/a/:b', './w.js');",
	{ routes: route({ line: 2 }) },
);

for (const [value, shown] of [
	["'80'", '"80"'],
	['-1', '-1'],
	['1.5', '1.5'],
	['65536', '65536'],
	['null', 'null'],
]) {
	await refuses(
		`port ${value}`,
		`app.port = ${value};`,
		`app.port is ${shown}`,
		`${APP}:1:`,
		'> 1 | app.port',
	);
}
for (const value of ["'localhost'", "'256.1.1.1'", "'1.2.3'", '5', "'::g'"]) {
	await refuses(`interface ${value}`, `app.interface = ${value};`, 'app.interface is', `${APP}:1:`);
}
for (const value of ["''", '[]', '[1]', "'a b'", "'x:80'"]) {
	await refuses(`host ${value}`, `app.host = ${value};`, 'app.host is', `${APP}:1:`);
}
await refuses(
	'a misspelt property',
	'\n\napp.prot = 80;',
	'app.prot does not exist; did you mean app.port?',
	`${APP}:3:`,
);
await refuses('a misspelt method', "app.gett('/', 'x');", 'did you mean app.get?');
await refuses('an unknown property', 'app.somethingElse = 1;', 'app has port, interface, host');
await refuses('a method is no property', 'app.get = 1;', 'app.get cannot be set');
await refuses('deletion', 'delete app.port;', 'app.port cannot be deleted');
await refuses('a pattern without slash', "app.get('x', 'w');", 'begins with /', `${APP}:1:`);
await refuses('a pattern with a query', "app.get('/x?y', 'w');", 'has a ?');
await refuses('no worker', "app.get('/x');", 'the worker file is undefined');
await refuses('a method that is none', "app.route('G T', '/x', 'w');", 'the method is "G T"');
await refuses(
	'an unknown route option',
	"app.get('/x', 'w', undefined, { process: 1 });",
	'there is no option "process"; there is processes',
);
await refuses('no processes', "app.get('/x', 'w', undefined, { processes: 0 });", 'processes is 0');
await refuses(
	'a policy that is no function',
	"app.get('/x', 'w', { processes: 1 });",
	'the policy is an object',
);
await refuses(
	'an async policy',
	"app.get('/x', 'w', async () => {});",
	'the policy function is async',
);
await refuses(
	'a misspelt group',
	policy("policy.outbound.allow('x');"),
	'policy.outbound does not exist; policy has outboundHttp',
	`${APP}:1:`,
);
await refuses(
	'a misspelt call',
	policy("policy.outboundHttp.allowFetch('x');"),
	'policy.outboundHttp has allowGet',
);
await refuses(
	'a pattern of the wrong scheme',
	policy("policy.outboundHttp.allowGet('ftp://x/');"),
	'does not begin with http:// or https://',
);
await refuses(
	'an empty pattern',
	policy("policy.files.allowRead('');"),
	'policy.files.allowRead needs a string',
);
await refuses(
	'a bad name of a variable',
	policy("policy.env.allow('A B');"),
	'"A B" is not the name',
);
await refuses(
	'a path as a program',
	policy("policy.programs.allow('/bin/sh');"),
	'is not a program',
);
await refuses(
	'a bad size',
	policy("policy.limits({ memory: '64X' });"),
	'policy.limits: memory is "64X"',
	"such as '64M'",
);
await refuses('a bad duration', policy('policy.limits({ wall: 0 });'), 'policy.limits: wall is 0');
await refuses(
	'an unknown limit',
	policy("policy.limits({ memroy: '1M' });"),
	'there is no limit "memroy"',
);
await refuses(
	'above the ceiling',
	`app.limits({ memory: '32M' });\n${policy("policy.limits({ memory: '64M' });")}`,
	`${APP}:2`,
	'above the app',
);
await refuses(
	'a policy after its function',
	"let kept;\napp.get('/x', 'w', (policy) => { kept = policy; });\nkept.env.allow('HOME');",
	'after the policy function had returned',
	`${APP}:3:`,
);
await refuses(
	'an unknown static option',
	"app.static('/', 'x', { cleanURLs: true });",
	'there is no option "cleanURLs"',
);
await refuses('a bad index', "app.static('/', 'x', { index: 'a/b' });", 'index is "a/b"');
await refuses(
	'a throw',
	"function inner() {\n\tthrow new RangeError('boom');\n}\ninner();",
	'RangeError: boom',
	`at inner (${APP}:2:`,
	"> 2 |   throw new RangeError('boom');",
	`${APP}:4:`,
);
await refuses(
	'a rejection',
	"await Promise.reject(new Error('later'));",
	'Error: later',
	`${APP}:1:`,
);
await refuses('a thrown string', "throw 'text';", "thrown: 'text'");
await refuses(
	'an error with a cause',
	"throw new Error('outer', { cause: new TypeError('inner') });",
	'Error: outer',
	'[cause] TypeError: inner',
);

console.log(`${total.passed} passed, ${total.failed} failed, 0 skipped`);
process.exitCode = total.failed > 0 ? 1 : 0;
