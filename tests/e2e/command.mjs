// SPDX-License-Identifier: BSD-2-Clause
// Runs `selkie` to its end, in a folder of its own, as this user or another.

import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chosenEsbuild, folderOf, run, selkie } from './lib.mjs';

export const isRoot = process.getuid?.() === 0;

/** A folder with an app's files, and how to run `selkie` there. */
export class Place {
	constructor(t, files = {}) {
		this.folder = folderOf(t, files);
		for (const name of ['run', 'tmp', 'home']) {
			mkdirSync(join(this.folder, `.test/${name}`), { recursive: true });
			chmodSync(join(this.folder, `.test/${name}`), 0o777);
		}
		chmodSync(join(this.folder, '.test'), 0o777);
		this.env = {
			PATH: process.env.PATH ?? '',
			HOME: join(this.folder, '.test/home'),
			TMPDIR: join(this.folder, '.test/tmp'),
			XDG_RUNTIME_DIR: join(this.folder, '.test/run'),
			SELKIE_CACHE: join(this.folder, '.test/cache'),
			...chosenEsbuild,
		};
	}

	/** `selkie ARGS…` in the folder. */
	selkie(args, { env = {}, ...options } = {}) {
		return run(selkie, args, { cwd: this.folder, env: { ...this.env, ...env }, ...options });
	}

	/** The same after a command of the shell's, such as `ulimit -n 8`. */
	limited(first, args) {
		const script = `${first} && exec "$0" "$@"`;
		return run('sh', ['-c', script, selkie, ...args], { cwd: this.folder, env: this.env });
	}

	/** The same as the user nobody. */
	selkieAsNobody(args, { env = {} } = {}) {
		chownSync(join(this.folder, '.test/home'), 65534, 65534);
		return run('setpriv', [...asNobody, selkie, ...args], {
			cwd: this.folder,
			env: { ...this.env, ...env },
		});
	}

	/** Names of what lies in the folders that a run has to leave empty. */
	leftovers() {
		return ['run', 'tmp'].flatMap((name) => readdirSync(join(this.folder, '.test', name)));
	}

	/** How many files of one kind the cache holds. */
	cached(kind) {
		try {
			return readdirSync(join(this.folder, '.test/cache', kind)).length;
		} catch {
			return 0;
		}
	}
}

export const asNobody = ['--reuid=65534', '--regid=65534', '--clear-groups', '--'];
