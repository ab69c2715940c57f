// SPDX-License-Identifier: BSD-2-Clause
// `selkie app.js` from start to end: what it prints, on which terms it runs,
// what it leaves.

import assert from 'node:assert/strict';
import {
	chmodSync,
	chownSync,
	existsSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	writeFileSync,
} from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { asNobody, isRoot, Place } from './command.mjs';
import { freePort, isAlive, run, Service, selkie, serve, until, writeFiles } from './lib.mjs';

const files = {
	'app.js': `app.get('/hello/:name', './hello.js');\napp.static('/files', './public');`,
	'hello.js': `export default (request, context) => 'Hello, ' + context.params.name;`,
	'public/a.txt': 'a file',
};

test('off a terminal one line says where it listens, and it listens then', async (t) => {
	const app = await serve(t, files);
	assert.equal(app.stdout, `selkie: listening on ${app.url}\n`);
	assert.equal((await app.request('/hello/you')).text, 'Hello, you');
	assert.equal((await app.request('/files/a.txt')).text, 'a file');
});

test('port 0 takes a free port and says which', async (t) => {
	const place = new Place(t, files);
	const service = new Service(selkie, ['app.js', '--port', '0'], {
		cwd: place.folder,
		env: place.env,
	});
	t.after(() => service.stop());
	const [, url] = await service.prints(/listening on (http:\S+)/);
	assert.equal(await (await fetch(`${url}/hello/x`)).text(), 'Hello, x');
});

test('the access log has a line for each request', async (t) => {
	const app = await serve(t, files);
	await app.request('/hello/log?x=1');
	await app.request('/nope');
	await app.prints(/^\S+ 127\.0\.0\.1 200 GET \/hello\/log\?x=1 \S+s \d+B$/m);
	await app.prints(/ 404 GET \/nope /);
});

test('the access log escapes what would break its lines', async (t) => {
	const app = await serve(t, files);
	await app.raw('GET /"\xff\\x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
	await app.prints(/GET \/\\x22(?:\\x[0-9A-F]{2})+\\x5Cx /);
});

test('--access-log off prints no requests', async (t) => {
	const app = await serve(t, files, { args: ['--access-log', 'off'] });
	await app.request('/hello/quiet');
	await app.stop();
	assert.doesNotMatch(app.stdout, /quiet/);
});

test('--log-format json prints JSON lines only', async (t) => {
	const app = await serve(
		t,
		{ ...files, 'hello.js': `export default () => { console.log('hello\\nlog'); return ''; };` },
		{ args: ['--log-format', 'json'] },
	);
	await app.request('/hello/"json"');
	await app.prints(/"level":"access"/);
	await app.stop();
	const lines = app.stdout
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line));
	assert.ok(lines.some(({ message }) => message === `listening on ${app.url}`));
	assert.ok(
		lines.some(
			({ level, uri, status }) => level === 'access' && status === 200 && uri.startsWith('/hello/'),
		),
	);
	assert.ok(lines.every(({ time, level }) => time && level));
});

test('on a terminal it prints the routes, and requests in colour', async (t) => {
	const place = new Place(t, files);
	const port = await freePort();
	const log = join(place.folder, 'typescript');
	const service = new Service('script', ['-qefc', `'${selkie}' app.js --port ${port}`, log], {
		cwd: place.folder,
		env: { ...place.env, TERM: 'xterm' },
	});
	t.after(() => service.stop({ status: null }));
	await service.prints(/only; --interface 0\.0\.0\.0 opens it/);
	assert.match(service.stdout, new RegExp(`selkie.*http://127\\.0\\.0\\.1:${port}`));
	assert.match(service.stdout, /GET.*\/hello\/:name.*hello\.js.*may use: nothing/);
	assert.match(service.stdout, /files.*\/files.*public\//);
	await fetch(`http://127.0.0.1:${port}/hello/colour`);
	await fetch(`http://127.0.0.1:${port}/nope`);
	await service.prints(/\x1b\[32m200\x1b\[0m GET \/hello\/colour/);
	await service.prints(/\x1b\[33m404\x1b\[0m GET \/nope/);
});

test('NO_COLOR takes the colours away', async (t) => {
	const place = new Place(t, files);
	const service = new Service('script', ['-qefc', `'${selkie}' app.js --port 0`, '/dev/null'], {
		cwd: place.folder,
		env: { ...place.env, TERM: 'xterm', NO_COLOR: '1' },
	});
	t.after(() => service.stop({ status: null }));
	await service.prints(/opens it/);
	assert.ok(!service.stdout.includes('\x1b'));
});

test('a terminal that closes takes everything along', async (t) => {
	const place = new Place(t, files);
	const service = new Service('script', ['-qefc', `'${selkie}' app.js --port 0`, '/dev/null'], {
		cwd: place.folder,
		env: { ...place.env, TERM: 'xterm' },
	});
	await service.prints(/opens it/);
	const all = service.processes();
	assert.ok(all.length >= 4, `${all.length} processes`);
	await service.stop({ signal: 'SIGKILL', status: null });
	await until(() => !all.some(isAlive), 'all end');
	assert.deepEqual(place.leftovers(), []);
});

test('--workers starts so many nginx workers', async (t) => {
	const app = await serve(t, files, { args: ['--workers', '3'] });
	await until(() => app.processesNamed('nginx').length === 4, 'a master and three workers');
	assert.equal((await app.request('/hello/x')).text, 'Hello, x');
});

test('--interface ::1 listens there', async (t) => {
	const place = new Place(t, files);
	const service = new Service(selkie, ['app.js', '--port', '0', '--interface', '::1'], {
		cwd: place.folder,
		env: place.env,
	});
	t.after(() => service.stop());
	const [, url] = await service.prints(/listening on (http:\/\/\[::1\]:\d+)/);
	assert.equal((await fetch(`${url}/hello/x`)).status, 200);
});

test('a worker that does not build is printed and does not stop the others', async (t) => {
	const app = await serve(t, {
		'app.js': `app.get('/good', './good.js'); app.get('/bad', './bad.js');`,
		'good.js': `export default () => 'good';`,
		'bad.js': `let x = ;`,
	});
	assert.match(app.stderr, /bad\.js:1:9: Unexpected ";"/);
	assert.equal((await app.request('/good')).text, 'good');
	const bad = await app.request('/bad');
	assert.equal(bad.status, 503);
	assert.equal(bad.text.trim(), 'route not available: /bad');
});

test('the first line of an app file may be a #! line', async (t) => {
	const app = await serve(t, { ...files, 'app.js': `#!/usr/bin/env selkie\n${files['app.js']}` });
	assert.equal((await app.request('/hello/x')).text, 'Hello, x');
});

test('a port that moves in the app file moves at a reload', async (t) => {
	const [first, second] = [await freePort(), await freePort()];
	const place = new Place(t, { ...files, 'app.js': `app.port = ${first};\n${files['app.js']}` });
	const service = new Service(selkie, ['app.js'], { cwd: place.folder, env: place.env });
	t.after(() => service.stop());
	await service.prints(new RegExp(`listening on http://127.0.0.1:${first}`));
	writeFileSync(join(place.folder, 'app.js'), `app.port = ${second};\n${files['app.js']}`);
	service.signal('SIGHUP');
	await service.prints(new RegExp(`listening on http://127.0.0.1:${second}`));
	assert.equal(await (await fetch(`http://127.0.0.1:${second}/hello/x`)).text(), 'Hello, x');
	await until(
		() =>
			fetch(`http://127.0.0.1:${first}/`).then(
				() => false,
				() => true,
			),
		'the old port closes',
	);
});

test('a second TERM ends it at once, with a request in flight', async (t) => {
	const app = await serve(t, {
		'app.js': `app.get('/', './slow.js');`,
		'slow.js': `export default async () => { console.log('slow begins'); await new Promise(() => {}); };`,
	});
	const cut = app.request('/', { agent: false }).catch((error) => error);
	await app.prints(/slow begins/);
	app.signal('SIGTERM');
	await until(() => canConnect(app.port).then((open) => !open), 'the port closes');
	app.signal('SIGTERM');
	assert.deepEqual(await app.ended(), { status: 0, signal: null });
	await cut;
});

function canConnect(port) {
	return new Promise((resolve) => {
		const socket = net.connect(port, '127.0.0.1');
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
		socket.once('connect', () => socket.destroy());
	});
}

test('when nginx dies, it says so, ends everything and exits with 1', async (t) => {
	const app = await serve(t, files, { allow: /./ });
	await app.request('/hello/x');
	const master = app.processesNamed('nginx').find(({ parent }) => parent === app.pid);
	assert.ok(master);
	process.kill(master.pid, 'SIGKILL');
	await app.stop({ status: 1 });
	assert.match(app.stderr, /selkie: nginx was ended by signal 9 by itself/);
	assert.ok(!(await canConnect(app.port)));
});

/** Where a service keeps its nginx.conf. */
function runFolder(service) {
	const master = service.processesNamed('nginx').find(({ parent }) => parent === service.pid);
	assert.ok(master);
	const [, folder] =
		readFileSync(`/proc/${master.pid}/cmdline`, 'latin1').match(/-p (\S*\/selkie-run-[^/]+)\//) ??
		[];
	assert.ok(folder);
	return folder;
}

test('what a killed command left is removed by the next', async (t) => {
	const place = new Place(t, files);
	const options = { cwd: place.folder, env: place.env };
	const killed = new Service(selkie, ['app.js', '--port', '0'], options);
	await killed.prints(/listening/);
	const left = runFolder(killed);
	await killed.stop({ signal: 'SIGKILL', status: null });
	assert.ok(existsSync(left), 'nobody could remove it');
	const next = new Service(selkie, ['app.js', '--port', '0'], options);
	t.after(() => next.stop());
	await next.prints(/listening/);
	assert.ok(!existsSync(left), 'the next one did');
	const own = runFolder(next);
	assert.ok(existsSync(own));
	await next.stop();
	assert.ok(!existsSync(own), 'and takes its own along');
});

test('standard output may be a file: both writers append', async (t) => {
	const place = new Place(t, files);
	const port = await freePort();
	const path = join(place.folder, 'out.log');
	const out = openSync(path, 'w');
	const { spawn } = await import('node:child_process');
	const child = spawn(selkie, ['app.js', '--port', String(port)], {
		cwd: place.folder,
		env: place.env,
		stdio: ['ignore', out, 'inherit'],
	});
	t.after(() => child.kill('SIGKILL'));
	await until(() => readFileSync(path, 'utf8').includes('listening'));
	await fetch(`http://127.0.0.1:${port}/hello/file`);
	await until(() => readFileSync(path, 'utf8').includes('/hello/file'));
	const exit = new Promise((resolve) => child.once('exit', resolve));
	child.kill('SIGTERM');
	assert.equal(await exit, 0);
	const lines = readFileSync(path, 'utf8').trim().split('\n');
	assert.match(lines[0], /^selkie: listening on/);
	assert.match(lines[1], /GET \/hello\/file/);
});

test('a reader that goes away stops nothing', async (t) => {
	const app = await serve(t, files);
	app.child.stdout.destroy();
	for (let i = 0; i < 20; i++) assert.equal((await app.request('/hello/x')).status, 200);
	app.signal('SIGHUP');
	for (let i = 0; i < 20; i++)
		assert.equal((await app.request('/hello/x', { agent: false })).status, 200);
});

test('a plain user can serve', { skip: !isRoot }, async (t) => {
	const place = new Place(t, files);
	const home = join(place.folder, '.test/home');
	chownSync(home, 65534, 65534);
	const service = new Service('setpriv', [...asNobody, selkie, 'app.js', '--port', '0'], {
		cwd: place.folder,
		env: { PATH: place.env.PATH, HOME: home, XDG_RUNTIME_DIR: place.env.XDG_RUNTIME_DIR },
	});
	t.after(() => service.stop());
	const [, url] = await service.prints(/listening on (http:\S+)/);
	assert.equal(await (await fetch(`${url}/hello/x`)).text(), 'Hello, x');
	assert.equal(await (await fetch(`${url}/files/a.txt`)).text(), 'a file');
	assert.ok(readdirSync(join(home, '.cache/selkie/bundles')).length > 0);
	await service.stop();
	assert.deepEqual(place.leftovers(), []);
});

test('started by root, neither nginx workers nor route processes are root', {
	skip: !isRoot,
}, async (t) => {
	const app = await serve(t, files);
	await app.request('/hello/x');
	const user = (pid) => readFileSync(`/proc/${pid}/status`, 'utf8').match(/^Uid:\t(\d+)/m)?.[1];
	const workers = app.processesNamed('nginx').filter(({ parent }) => parent !== app.pid);
	assert.ok(workers.length > 0);
	for (const { pid } of workers) assert.notEqual(user(pid), '0');
	const routes = app.processesNamed('selkie-worker').filter(({ pid }) => user(pid) !== '0');
	assert.equal(routes.length, 1);
});

test('an app in a folder that only root can read works, but for its files', {
	skip: !isRoot,
}, async (t) => {
	const folder = '/root';
	const { stdout } = await run('mktemp', ['-d', join(folder, 'selkie-test-XXXXXX')]);
	const place = new Place(t, {});
	const path = stdout.trim();
	chmodSync(path, 0o700);
	t.after(() => run('rm', ['-rf', path]));
	writeFileSync(join(path, 'app.js'), `app.get('/', './w.js');`);
	writeFileSync(join(path, 'w.js'), `export default () => 'from root';`);
	const service = new Service(selkie, [join(path, 'app.js'), '--port', '0'], { env: place.env });
	t.after(() => service.stop());
	const [, url] = await service.prints(/listening on (http:\S+)/);
	assert.equal(await (await fetch(url)).text(), 'from root');
});

test('the printed configuration is one that nginx takes', async (t) => {
	const place = new Place(t, files);
	const { stdout } = await place.selkie(['app.js', '--print-config', '--port', '0']);
	const [, told] = stdout.match(/mkdir -p (\S+)/) ?? [];
	assert.ok(told);
	const path = join(place.folder, 'nginx.conf');
	writeFileSync(path, stdout.replaceAll(told, place.folder));
	// A test's standard output is a socket, which nginx cannot open by name.
	const { stdout: said } = await run(
		'sh',
		['-c', `nginx -t -p '${place.folder}' -e stderr -c '${path}' 2>&1 | cat`],
		{ env: { ...place.env, PATH: `${place.env.PATH}:/usr/sbin` } },
	);
	assert.match(said, /test is successful/);
});

test('an app may lie in a folder with any name', async (t) => {
	const place = new Place(t, {});
	const folder = join(place.folder, `my "app" it's; $x {y} #1 ü`);
	mkdirSync(folder);
	writeFiles(folder, files);
	const service = new Service(selkie, [join(folder, 'app.js'), '--port', '0'], { env: place.env });
	t.after(() => service.stop());
	const [, url] = await service.prints(/listening on (http:\S+)/);
	assert.equal(await (await fetch(`${url}/hello/x`)).text(), 'Hello, x');
	assert.equal(await (await fetch(`${url}/files/a.txt`)).text(), 'a file');
	assert.equal((await fetch(`${url}/files/`)).status, 404);
});
