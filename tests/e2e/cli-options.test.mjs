// SPDX-License-Identifier: BSD-2-Clause
// The command line: every option and every mistake in it.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Place } from './command.mjs';

const app = {
	'app.js': `app.get('/', './hello.js');`,
	'hello.js': `export default () => 'Hello';`,
};

async function fails(t, args, status, pattern, env) {
	const place = new Place(t, app);
	const result = await place.selkie(args, { env });
	assert.match(result.stderr, pattern);
	assert.equal(result.stderr.trim().split('\n').length, 1, 'one line');
	assert.equal(result.stdout, '');
	assert.equal(result.status, status);
	assert.deepEqual(place.leftovers(), []);
}

test('--help names every option and exits with 0', async (t) => {
	const { status, stdout, stderr } = await new Place(t).selkie(['--help']);
	for (const option of [
		'--port',
		'--interface',
		'--workers',
		'--watch',
		'--check',
		'--print-config',
		'--log-format',
		'--access-log',
		'--require-sandbox',
		'--resolve',
		'--ca-file',
		'--audit',
		'--help',
		'--version',
	])
		assert.ok(stdout.includes(option), option);
	for (const command of ['selkie new', 'selkie doctor', 'selkie compile'])
		assert.ok(stdout.includes(command), command);
	assert.equal(stderr, '');
	assert.equal(status, 0);
});

test('no argument prints the help to stderr and exits with 2', async (t) => {
	const { status, stdout, stderr } = await new Place(t).selkie([]);
	assert.match(stderr, /usage: selkie APP\.js/);
	assert.equal(stdout, '');
	assert.equal(status, 2);
});

test('--version prints one line', async (t) => {
	const { status, stdout } = await new Place(t).selkie(['--version']);
	assert.match(stdout, /^selkie \d+\.\d+\.\d+\n$/);
	assert.equal(status, 0);
});

test('an unknown option is refused with a hint', (t) =>
	fails(t, ['--bogus', 'app.js'], 2, /unknown option --bogus; see selkie --help/));

test('an unknown option after the app file is refused too', (t) =>
	fails(t, ['app.js', '--bogus'], 2, /unknown option --bogus/));

test('an unknown letter is refused', (t) => fails(t, ['-x', 'app.js'], 2, /unknown option -x/));

test('an option without its value is refused', (t) =>
	fails(t, ['app.js', '--port'], 2, /--port needs a value/));

for (const port of ['x', '-1', '65536', '', '80x'])
	test(`--port ${JSON.stringify(port)} is refused`, (t) =>
		fails(t, ['app.js', '--port', port], 2, /not a port number/));

test('--interface with a name is refused', (t) =>
	fails(t, ['app.js', '--interface', 'localhost'], 2, /not an IP address/));

test('--interface with an address of another machine is refused', (t) =>
	fails(
		t,
		['app.js', '--port', '0', '--interface', '203.0.113.9'],
		1,
		/no interface of this machine/,
	));

for (const workers of ['0', '65', 'many'])
	test(`--workers ${workers} is refused`, (t) =>
		fails(t, ['app.js', '--workers', workers], 2, /from 1 to 64/));

for (const [value, why] of [
	['x', /HOST:PORT:ADDRESS is wanted/],
	['x.test:0:1.2.3.4', /the port is not 1 to 65535/],
	['x.test:80:y.test', /the address is neither IPv4 nor IPv6/],
	['*:80:1.2.3.4', /the host is no name/],
])
	test(`--resolve ${value} is refused`, (t) => fails(t, ['app.js', '--resolve', value], 2, why));

test('--ca-file with a file that is not there is refused', (t) =>
	fails(t, ['app.js', '--ca-file', 'none.pem'], 2, /--ca-file none\.pem: No such file/));

test('--resolve, --ca-file and --audit are in the configuration', async (t) => {
	const place = new Place(t, { ...app, 'ca.pem': '' });
	const { status, stdout } = await place.selkie([
		...['app.js', '--print-config', '--resolve', 'b.test:1:::1', '--ca-file', 'ca.pem'],
		...['--resolve', 'a.test:2:1.2.3.4', '--audit'],
	]);
	assert.equal(status, 0);
	assert.match(stdout, /selkie_resolve "a\.test:2:1\.2\.3\.4";/);
	assert.match(stdout, /selkie_resolve "b\.test:1:::1";/);
	assert.match(stdout, /selkie_ca_file "\/\S+\/ca\.pem";/);
	assert.match(stdout, /selkie_audit on;/);
});

test('--log-format xml is refused', (t) =>
	fails(t, ['app.js', '--log-format', 'xml'], 2, /text or json/));

test('--access-log maybe is refused', (t) =>
	fails(t, ['app.js', '--access-log', 'maybe'], 2, /on or off/));

test('options without an app file are refused', (t) => fails(t, ['--watch'], 2, /which app file/));

test('two app files are refused', (t) =>
	fails(t, ['app.js', 'hello.js'], 2, /hello\.js is a second one/));

test('PORT that is no number is refused', (t) =>
	fails(t, ['app.js'], 1, /PORT in the environment is "web"/, { PORT: 'web' }));

test('a command without its operand is refused', (t) => fails(t, ['new'], 2, /usage: selkie new/));

test('--port wins over PORT, PORT over the app file', async (t) => {
	const place = new Place(t, { ...app, 'app.js': `app.port = 1001;\n${app['app.js']}` });
	const listen = async (args, env = {}) =>
		(await place.selkie(['app.js', '--print-config', ...args], { env })).stdout.match(
			/listen (\S+)/,
		)?.[1];
	assert.equal(await listen([]), '127.0.0.1:1001');
	assert.equal(await listen([], { PORT: '1002' }), '127.0.0.1:1002');
	assert.equal(await listen(['--port', '1003'], { PORT: '1002' }), '127.0.0.1:1003');
	assert.equal(await listen(['--port=1004']), '127.0.0.1:1004');
});

test('the port is 8080 when nobody says another', async (t) => {
	const { stdout } = await new Place(t, app).selkie(['app.js', '--print-config']);
	assert.match(stdout, /listen 127\.0\.0\.1:8080 /);
});

test('--interface wins over app.interface', async (t) => {
	const place = new Place(t, {
		...app,
		'app.js': `app.interface = '127.0.0.2';\n${app['app.js']}`,
	});
	const { stdout: file } = await place.selkie(['app.js', '--print-config']);
	assert.match(file, /listen 127\.0\.0\.2:8080 /);
	const { stdout: option } = await place.selkie(['app.js', '--print-config', '--interface', '::1']);
	assert.match(option, /listen \[::1\]:8080 /);
});

test('--print-config prints what the options ask for', async (t) => {
	const { status, stdout } = await new Place(t, app).selkie([
		'app.js',
		'--print-config',
		'--workers',
		'3',
		'--access-log',
		'off',
		'--log-format',
		'json',
	]);
	assert.equal(status, 0);
	assert.match(stdout, /worker_processes 3;/);
	assert.match(stdout, /access_log off;/);
	assert.match(stdout, /selkie_log json;/);
	assert.match(stdout, /load_module "[^"]+ngx_http_selkie_module\.so";/);
	assert.match(stdout, /selkie_app "[^"]+\/app\.js";/);
});
