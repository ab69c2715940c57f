// SPDX-License-Identifier: BSD-2-Clause
// `make deb`: the package says what it is, and on a Debian that has nothing
// else (debootstrap; the full tier, as root) apt installs it with what it
// depends on, and the example hello runs from there.

import assert from 'node:assert/strict';
import {
	chmodSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import { isRoot } from './command.mjs';
import { folderOf, freePort, full, request, run, Service, tree } from './lib.mjs';

const built = join(tree, 'build/bin/selkie');
const noTools = ['dpkg-deb', 'dpkg-shlibdeps'].find((name) => !existsSync(`/usr/bin/${name}`));
const noDebian =
	noTools ||
	(!full && 'only in the full tier') ||
	(!isRoot && 'root is needed') ||
	(!existsSync('/usr/sbin/debootstrap') && 'debootstrap is not installed');

/** Runs a command that has to succeed. */
async function must(command, args, options = {}) {
	const { status, stdout, stderr } = await run(command, args, options);
	assert.equal(
		status,
		0,
		`${command} ${args.join(' ')}:\n${stdout.slice(-4000)}${stderr.slice(-4000)}`,
	);
	return stdout;
}

/** The package, as `make deb` names it, of what this run of make built. */
async function makeDeb() {
	const printed = await must('make', ['-s', 'deb'], { cwd: tree });
	return join(tree, printed.trim().split('\n').pop() ?? '');
}

test('the package depends on what is linked, and enables nothing', { skip: noTools }, async () => {
	assert.ok(existsSync(built), 'make all');
	const deb = await makeDeb();
	const depends = await must('dpkg-deb', ['--field', deb, 'Depends']);
	for (const name of [
		/\blibc6 \(>= /,
		/\blibcurl4 \(>= /,
		/\blibicu72 \(>= /,
		/\blibjansson4 \(>= /,
		/\blibjavascriptcoregtk-4\.1-0\b/,
		/\blibseccomp2 \(>= /,
		/\blibssl3 \(>= /,
		/\bnginx\b/,
		/\bnginx-abi-[\d.]+-\d+\b/,
		/\besbuild\b/,
	])
		assert.match(depends, name);
	const files = await must('dpkg-deb', ['--contents', deb]);
	for (const name of [
		'usr/bin/selkie',
		'usr/libexec/selkie/selkie-worker',
		'usr/share/doc/selkie/copyright',
		'usr/share/doc/selkie/app-file.md',
		'usr/share/nginx/modules-available/mod-http-selkie.conf',
		'usr/share/selkie/examples/hello/app.js',
	])
		assert.ok(files.includes(` ./${name}\n`), name);
	assert.doesNotMatch(files, / \.\/etc\/|node_modules/);
	assert.ok(
		files
			.trimEnd()
			.split('\n')
			.every((line) => / root\/root /.test(line)),
		'all is owned by root',
	);
});

/** A small Debian of the host's release, from the host's mirrors. */
async function debian(t) {
	const root = join(folderOf(t), 'debian');
	const cache = join(tree, 'build/debootstrap');
	mkdirSync(cache, { recursive: true });
	await must('debootstrap', ['--variant=minbase', `--cache-dir=${cache}`, 'bookworm', root]);
	const lists = '/etc/apt/sources.list.d';
	for (const name of readdirSync(lists))
		if (name.endsWith('.sources')) copyFileSync(join(lists, name), join(root, lists, name));
	// No service starts when it is installed.
	writeFileSync(join(root, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n');
	chmodSync(join(root, 'usr/sbin/policy-rc.d'), 0o755);
	return root;
}

/** A command's arguments for a run in `root`, with a /proc that goes away with it. */
const inside = (root, ...command) => [
	'--mount',
	'sh',
	'-c',
	'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"',
	root,
	...command,
];

test('it installs on a bare Debian and serves hello', { skip: noDebian }, async (t) => {
	const deb = await makeDeb();
	const root = await debian(t);
	copyFileSync(deb, join(root, 'root', basename(deb)));
	const env = {
		PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
		DEBIAN_FRONTEND: 'noninteractive',
		LC_ALL: 'C',
	};
	await must('unshare', inside(root, 'apt-get', 'update', '-qq'), { env });
	await must(
		'unshare',
		inside(
			root,
			...['apt-get', 'install', '-qq', '-y', '--no-install-recommends'],
			`/root/${basename(deb)}`,
		),
		{ env },
	);
	assert.match(
		await must('unshare', inside(root, 'dpkg', '--audit'), { env }),
		/^$/,
		'every package is configured',
	);
	assert.deepEqual(
		readdirSync(join(root, 'etc/nginx/modules-enabled')).filter((name) => name.includes('selkie')),
		[],
	);

	const port = await freePort();
	const app = '/usr/share/selkie/examples/hello/app.js';
	const service = new Service('unshare', inside(root, 'selkie', app, '--port', String(port)), {
		env,
	});
	t.after(() => service.stop());
	await service.prints(/listening on http:\S+/);
	const url = `http://127.0.0.1:${port}`;
	assert.equal((await request(`${url}/hello/world`)).text, 'Hello, world!\n');
	assert.equal((await request(`${url}/sum/2/3`)).text, '{"a":2,"b":3,"sum":5}');
	assert.match((await request(`${url}/files/about`)).text, /<html/);

	// The system's nginx takes the module too.
	copyFileSync(
		join(root, 'usr/share/nginx/modules-available/mod-http-selkie.conf'),
		join(root, 'etc/nginx/modules-enabled/50-mod-http-selkie.conf'),
	);
	await must('unshare', inside(root, 'nginx', '-t'), { env });
});
