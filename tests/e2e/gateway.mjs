// SPDX-License-Identifier: BSD-2-Clause
// nginx with our module and a configuration of its own, for tests of the
// gateway alone: the app's data is written by the test, no app file is run.

import assert from 'node:assert/strict';
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
	assertCleanLog,
	folderOf,
	freePort,
	processesIn,
	RawConnection,
	request,
	Service,
	tree,
	until,
} from './lib.mjs';

export const peer = join(tree, 'build/tests/gateway_peer');

const MODULE =
	process.env.SELKIE_MODULE ?? join(tree, 'build/lib/selkie/ngx_http_selkie_module.so');
const NOBODY = 65534;

/** By its path, since nginx runs itself by it at a binary upgrade. */
export const nginx =
	(process.env.PATH ?? '')
		.split(':')
		.map((folder) => join(folder, 'nginx'))
		.find(existsSync) ?? '/usr/sbin/nginx';

/** App data as `selkie compile` would print it. */
export function appData(folder, { routes = [], statics = [], host = null, limits = {} } = {}) {
	return {
		version: 1,
		app: `${folder}/app.js`,
		root: folder,
		host,
		routes: routes.map((route) => ({
			worker: `${folder}/worker.js`,
			bundle: `${folder}/bundle.js`,
			map: null,
			error: null,
			identity: `${route.method} ${route.pattern}`,
			policy: {},
			limits: { wall: 20_000, body: 2 ** 31, concurrency: 1000, ...limits },
			processes: 1,
			...route,
		})),
		statics: statics.map((item) => ({ index: 'index.html', cleanUrls: false, ...item })),
		inputs: [],
	};
}

/** Every method on every path: what the peer does is in the path. */
export const anyRoute = ['GET', 'POST', 'HEAD', 'PUT'].map((method) => ({
	method,
	pattern: '/**',
}));

/**
 * @typedef {object} GatewayOptions
 * @property {object | ((folder: string) => object)} [app]  for appData
 * @property {boolean} [usePeer]  the hostile peer in place of the supervisor
 * @property {string} [main]  directives outside http { }
 * @property {string} [http]  inside http { }, before the server
 * @property {(app: string) => string} [server]  the server's block, given the directive
 * @property {boolean} [plainUser]
 * @property {RegExp} [allow]
 * @property {Record<string, string>} [files]
 * @property {number} [workers]
 */

export class Gateway extends Service {
	/** @param {string} folder @param {number[]} ports @param {GatewayOptions} options */
	constructor(folder, ports, options) {
		const command = options.plainUser
			? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', nginx]
			: [nginx];
		super(
			command[0],
			[...command.slice(1), '-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'],
			{
				cwd: folder,
				env: {
					PATH: process.env.PATH,
					SELKIE_CACHE: join(folder, 'cache'),
					ASAN_OPTIONS: 'detect_leaks=0',
					...(process.env.SELKIE_PRELOAD && { LD_PRELOAD: process.env.SELKIE_PRELOAD }),
				},
			},
		);
		this.folder = folder;
		this.port = ports[0];
		this.port2 = ports[1];
		this.allow = options.allow;
	}

	request(path, options = {}) {
		return request(`http://127.0.0.1:${this.port}${path}`, options);
	}

	connect() {
		return RawConnection.open(this.port);
	}

	/** The supervisor is no child of nginx's: what it runs is known by its folder. */
	processes() {
		const tree = new Map(super.processes().map((process) => [process.pid, process]));
		for (const process of processesIn(this.folder)) tree.set(process.pid, process);
		return [...tree.values()];
	}

	/** The nginx worker processes that take requests. */
	workers() {
		return this.processesNamed('nginx').filter(({ pid }) => pid !== this.pid);
	}

	async stop(expected = {}) {
		await super.stop({ signal: 'SIGQUIT', ...expected });
		assertCleanLog(this.stderr, this.allow);
	}
}

/** @param {string} folder @param {GatewayOptions} options */
function configuration(folder, ports, options) {
	const app = `selkie_app ${folder}/app.js data=${folder}/app.json;`;
	const server = options.server ?? ((directive) => directive);
	const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
		.map((name) => `${name}_temp_path ${folder}/temp/${name};`)
		.join('\n');
	return `
daemon off;
worker_processes ${options.workers ?? 1};
pid ${folder}/nginx.pid;
error_log stderr info;
load_module ${MODULE};
${options.main ?? ''}
events { worker_connections 1024; }
http {
	${options.http?.includes('access_log') ? '' : 'access_log off;'}
	${temp}
	${options.usePeer === false ? '' : `selkie_supervisor_path ${peer};`}
	${options.http ?? ''}
	types { text/html html; text/css css; text/plain txt; }
	server {
		listen 127.0.0.1:${ports[0]};
		listen 127.0.0.1:${ports[1]} http2;
		${server(app)}
	}
}
`;
}

/**
 * A folder with the configuration; gateway() runs nginx on it.
 * @param {import('node:test').TestContext} t
 * @param {GatewayOptions} [options]
 */
export async function prepare(t, options = {}) {
	const folder = folderOf(undefined, options.files ?? {});
	const ports = [await freePort(), await freePort()];
	while (ports[0] === ports[1]) ports[1] = await freePort();
	/** @param {GatewayOptions} [changes] */
	const write = (changes = {}) => {
		const now = { ...options, ...changes };
		writeFileSync(join(folder, 'nginx.conf'), configuration(folder, ports, now));
		writeFileSync(
			join(folder, 'app.json'),
			JSON.stringify(appData(folder, typeof now.app === 'function' ? now.app(folder) : now.app)),
		);
	};
	write();
	mkdirSync(join(folder, 'temp'));
	if (options.plainUser)
		for (const name of [folder, join(folder, 'temp')]) chownSync(name, NOBODY, NOBODY);
	/** @type {{folder: string, ports: number[], write: typeof write, service?: Gateway}} */
	const gateway = { folder, ports, write };
	t.after(async () => {
		try {
			await gateway.service?.stop();
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	});
	return gateway;
}

/**
 * nginx with the module, until the test ends.
 * @param {import('node:test').TestContext} t
 * @param {GatewayOptions} [options]
 */
export async function gateway(t, options = {}) {
	const prepared = await prepare(t, options);
	const service = new Gateway(prepared.folder, prepared.ports, options);
	prepared.service = service;
	await until(async () => {
		assert.equal(service.exit, undefined, service.output);
		try {
			(await service.connect()).close();
			return true;
		} catch {
			return false;
		}
	}, 'nginx');
	await service.prints(/start worker process \d+/);
	return Object.assign(service, { rewrite: prepared.write });
}
