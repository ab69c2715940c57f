// SPDX-License-Identifier: BSD-2-Clause
// Compiles programs with selkie-cc and runs them on a host so small that what
// is tested is libc and the compiler alone: one process at a time (a child runs
// to its end inside its parent's fork), files of the machine, signals of one's
// own. The kernel itself is tested elsewhere, on its real hosts.

import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const tree = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const cc = join(tree, 'build/bin/selkie-cc');

/** Compiles C source text; answers the path of the program. */
export function compile(folder, name, source, ...options) {
	const file = join(folder, `${name}.c`);
	const out = join(folder, `${name}.wasm`);
	writeFileSync(file, source);
	const run = spawnSync(cc, [file, '-o', out, '-Wall', '-Werror', ...options], {
		encoding: 'utf8',
	});
	if (run.status !== 0) throw new Error(`selkie-cc: ${run.stderr}`);
	return out;
}

/** @returns {{imports: string[], exports: string[], sections: string[]}} */
export function inspect(path) {
	const module = new WebAssembly.Module(readFileSync(path));
	return {
		imports: WebAssembly.Module.imports(module).map((i) => `${i.module}.${i.name}`),
		exports: WebAssembly.Module.exports(module).map((e) => e.name),
		sections: ['name', '.debug_info'].filter(
			(name) => WebAssembly.Module.customSections(module, name).length > 0,
		),
	};
}

class Exit {
	constructor(status) {
		this.status = status;
	}
}
class Exec {
	constructor(path, args, env) {
		this.path = path;
		this.args = args;
		this.env = env;
	}
}

const E = { NOENT: 2, BADF: 9, CHILD: 10, AGAIN: 11, INVAL: 22, NOTTY: 25, SPIPE: 29, NOSYS: 38 };
const SIGNAL = 1n << 32n;
const SA_NODEFER = 0x40000000;

class Process {
	/** @type {any} */
	instance;
	/** @type {any} */
	memory;
	/** @type {any} */
	module;

	constructor(world, pid) {
		this.world = world;
		this.pid = pid;
		/** @type {string[]} */
		this.args = [];
		/** @type {string[]} */
		this.env = [];
		this.actions = new Map();
		this.mask = 0n;
		this.waiting = [];
		this.children = [];
		/** The pid of a child that runs on this one's memory, since vfork. */
		this.vforked = 0;
		/** Between the two halves of a fork: what the import answers. */
		/** @type {{answer: number | null} | null} */
		this.forked = null;
	}

	/** Copies all that fork copies but the memory. */
	child() {
		const p = new Process(this.world, this.world.nextPid++);
		Object.assign(p, { args: this.args, env: this.env, mask: this.mask });
		p.actions = new Map(this.actions);
		p.module = this.module;
		return p;
	}

	get view() {
		return new DataView(this.memory.buffer);
	}
	bytes(at, size) {
		return new Uint8Array(this.memory.buffer, at, size);
	}
	text(at) {
		const all = new Uint8Array(this.memory.buffer);
		return new TextDecoder().decode(all.slice(at, all.indexOf(0, at)));
	}
	texts(at) {
		const list = [];
		for (let p = at; this.view.getUint32(p, true); p += 4)
			list.push(this.text(this.view.getUint32(p, true)));
		return list;
	}

	startArgs(at, size) {
		const strings = [...this.args, ...this.env].map((s) => new TextEncoder().encode(`${s}\0`));
		const words = 1 + this.args.length + 1 + this.env.length + 1 + 6;
		const need = words * 4 + 16 + strings.reduce((n, s) => n + s.length, 0);
		if (!size) return need;
		let word = at;
		const put = (value) => {
			this.view.setUint32(word, value, true);
			word += 4;
		};
		const random = at + words * 4;
		let text = random + 16;
		put(this.args.length);
		strings.forEach((s, i) => {
			if (i === this.args.length) put(0);
			put(text);
			this.bytes(text, s.length).set(s);
			text += s.length;
		});
		if (!this.env.length) put(0);
		for (const value of [0, 6, 65536, 25, random, 0, 0]) put(value);
		return need;
	}

	raise(signo) {
		if (!this.waiting.includes(signo)) this.waiting.push(signo);
	}
	due() {
		return this.waiting.findIndex((s) => !(this.mask & (1n << BigInt(s - 1))));
	}
	nextsig(frame) {
		for (let at = this.due(); at >= 0; at = this.due()) {
			const [signo] = this.waiting.splice(at, 1);
			const action = this.actions.get(signo) ?? { handler: 0 };
			if (action.handler === 1 || (signo === 17 && !action.handler)) continue;
			if (!action.handler) throw new Exit(128 + signo);
			this.view.setInt32(frame, signo, true);
			this.view.setUint32(frame + 4, action.handler, true);
			this.view.setUint32(frame + 8, action.flags, true);
			this.view.setBigUint64(frame + 16, this.mask, true);
			this.view.setInt32(frame + 24, signo, true);
			this.mask |= action.mask;
			if (!(action.flags & SA_NODEFER)) this.mask |= 1n << BigInt(signo - 1);
			return 1;
		}
		return 0;
	}

	vector(at, count, move) {
		let total = 0;
		for (let i = 0; i < count; i++) {
			const size = this.view.getUint32(at + 8 * i + 4, true);
			if (!size) continue;
			const n = move(this.bytes(this.view.getUint32(at + 8 * i, true), size));
			if (n < 0) return total || n;
			total += n;
			if (n < size) break;
		}
		return total;
	}
	write(fd, bytes) {
		if (fd !== 1 && fd !== 2) return -E.BADF;
		this.world.output[fd] += Buffer.from(bytes).toString('latin1');
		return bytes.length;
	}
	read(fd, bytes) {
		if (fd === 0) return 0;
		if (this.vforked || !this.world.files.has(fd)) return -E.BADF;
		return readSync(fd, bytes);
	}
	open(path) {
		try {
			const fd = openSync(path, 'r');
			this.world.files.add(fd);
			return fd;
		} catch {
			return -E.NOENT;
		}
	}
	wait(status) {
		const dead = this.children.shift();
		if (!dead) return -E.CHILD;
		if (status) this.view.setInt32(status, dead.status << 8, true);
		return dead.pid;
	}
	action(signo, set, old) {
		const now = this.actions.get(signo) ?? { handler: 0, flags: 0, mask: 0n };
		if (set) {
			this.actions.set(signo, {
				handler: this.view.getUint32(set, true),
				flags: this.view.getUint32(set + 4, true),
				mask: this.view.getBigUint64(set + 12, true),
			});
		}
		if (old) {
			this.view.setUint32(old, now.handler, true);
			this.view.setUint32(old + 4, now.flags, true);
			this.view.setBigUint64(old + 12, now.mask, true);
		}
		return 0;
	}
	procmask(how, set, old) {
		const before = this.mask;
		if (set) {
			const given = this.view.getBigUint64(set, true);
			this.mask = [before | given, before & ~given, given][how];
		}
		if (old) this.view.setBigUint64(old, before, true);
		return 0;
	}

	exit(status) {
		if (!this.vforked) throw new Exit(status);
		const pid = this.vforked;
		this.vforked = 0;
		this.children.push({ pid, status });
		return pid;
	}
	exec(path, args, env) {
		const program = this.world.programs[path];
		if (!program) return -E.NOENT;
		if (!this.vforked) throw new Exec(program, args, env);
		const pid = this.vforked;
		this.vforked = 0;
		const p = this.child();
		p.pid = pid;
		this.children.push({ pid, status: p.run(program, args, env) });
		return pid;
	}
	spawn(path, args, env) {
		const program = this.world.programs[path];
		if (!program) return -E.NOENT;
		const p = this.child();
		this.children.push({ pid: p.pid, status: p.run(program, args, env) });
		return p.pid;
	}
	/** Called twice: to take the stack out, and when it was put back. */
	fork() {
		const x = this.instance.exports;
		if (this.forked) {
			x.asyncify_stop_rewind();
			const { answer } = this.forked;
			this.forked = null;
			return answer;
		}
		this.forked = { answer: null };
		x.asyncify_start_unwind(x.__sk_fork_buffer.value);
		return 0;
	}

	call(n, a, b, c, d, e, whole) {
		this.world.calls?.push(n);
		switch (n) {
			case 1000:
				return this.startArgs(a, b);
			case 1001:
				return this.spawn(this.text(a), this.texts(b), this.texts(c));
			case 29:
				return -E.NOTTY;
			case 56:
				return this.open(this.text(b));
			case 57:
				if (!this.world.files.delete(a)) return -E.BADF;
				closeSync(a);
				return 0;
			case 62:
				this.world.seeks.push(whole[1]);
				return -E.SPIPE;
			case 63:
				return this.read(a, this.bytes(b, c));
			case 64:
				return this.write(a, this.bytes(b, c));
			case 65:
				return this.vector(b, c, (bytes) => this.read(a, bytes));
			case 66:
				return this.vector(b, c, (bytes) => this.write(a, bytes));
			case 93:
			case 94:
				return this.exit(a);
			case 113:
				this.view.setBigInt64(b, 1234567890123n, true);
				this.view.setBigInt64(b + 8, 5n, true);
				return 0;
			case 129:
			case 130:
				this.raise(b);
				return 0;
			case 134:
				return this.action(a, b, c);
			case 135:
				return this.procmask(a, b, c);
			case 139:
				this.mask = BigInt.asUintN(64, whole[0]);
				return 0;
			case 96:
			case 172:
			case 178:
				return this.vforked || this.pid;
			case 222: {
				const { size } = fstatSync(e);
				readSync(e, this.bytes(a, Math.min(b, size)), 0, Math.min(b, size), 0);
				return 0;
			}
			case 260:
				return this.wait(b);
			default:
				return -E.NOSYS;
		}
	}

	imports() {
		return {
			syscall: (n, ...whole) => {
				const narrow = whole.map((x) => Number(BigInt.asIntN(32, x)));
				const result = BigInt.asUintN(32, BigInt(this.call(n, ...narrow.slice(0, 5), whole)));
				return this.due() >= 0 ? result | SIGNAL : result;
			},
			nextsig: (frame) => this.nextsig(frame),
			pending: () => {
				this.world.polls++;
				if (this.world.interruptAt === this.world.polls) this.raise(2);
				return this.due() >= 0 ? 1 : 0;
			},
			fork: () => this.fork(),
			vfork: () => {
				this.vforked = this.world.nextPid++;
				return 0;
			},
			exec: (path, args, env) => this.exec(this.text(path), this.texts(args), this.texts(env)),
		};
	}

	instantiate() {
		this.instance = new WebAssembly.Instance(this.module, { kernel: this.imports() });
		this.memory = this.instance.exports.memory;
	}

	/** The second half of fork, in parent and child, and what comes after. */
	goOn() {
		const x = this.instance.exports;
		x._start();
		while (this.forked) {
			x.asyncify_stop_unwind();
			const p = this.child();
			p.instantiate();
			const missing = this.memory.buffer.byteLength - p.memory.buffer.byteLength;
			if (missing > 0) p.memory.grow(missing / 65536);
			new Uint8Array(p.memory.buffer).set(new Uint8Array(this.memory.buffer));
			p.instance.exports.__stack_pointer.value = x.__stack_pointer.value;
			p.forked = { answer: 0 };
			p.instance.exports.asyncify_start_rewind(x.__sk_fork_buffer.value);
			this.children.push({ pid: p.pid, status: p.finish() });
			this.forked = { answer: p.pid };
			x.asyncify_start_rewind(x.__sk_fork_buffer.value);
			x._start();
		}
	}

	finish() {
		for (;;) {
			try {
				this.goOn();
				throw new Error('_start returned');
			} catch (e) {
				if (e instanceof Exit) return e.status;
				if (!(e instanceof Exec)) throw e;
				this.load(e.path, e.args, e.env);
			}
		}
	}
	load(path, args, env) {
		Object.assign(this, { args, env, forked: null });
		this.module = new WebAssembly.Module(readFileSync(path));
		this.instantiate();
	}
	run(path, args, env) {
		this.load(path, args, env);
		return this.finish();
	}
}

/**
 * Runs a program to its end. `interruptAt`: SIGINT comes at that poll.
 * `programs`: path in the program's world → file, for exec and spawn.
 */
export function run(path, args = [], options = {}) {
	/** @type {any} */
	const world = {
		nextPid: 2,
		polls: 0,
		files: new Set(),
		seeks: [],
		output: ['', '', ''],
		programs: {},
		...options,
	};
	const status = new Process(world, 1).run(path, [path, ...args], options.env ?? []);
	return { status, stdout: world.output[1], stderr: world.output[2], ...world };
}
