// SPDX-License-Identifier: BSD-2-Clause
// Runs the kernel's unit tests as WebAssembly: each exported "test NAME" in an
// instance of its own.
// usage: node tests/kernel/wasm/run.mjs PROGRAM.wasm [SUBSTRING]
import { readFileSync } from 'node:fs';

const [file, only = ''] = process.argv.slice(2);
const module = await WebAssembly.compile(readFileSync(file));
let passed = 0;
let failed = 0;

for (const { name } of WebAssembly.Module.exports(module)) {
	if (!name.startsWith('test ') || !name.includes(only)) continue;
	/** @type {WebAssembly.Instance} */
	let instance;
	const log = (at, size) => {
		const memory = /** @type {WebAssembly.Memory} */ (instance.exports.memory);
		console.log(`# ${Buffer.from(memory.buffer, at, size)}`);
	};
	try {
		instance = await WebAssembly.instantiate(module, { rig: { log } });
		/** @type {Function} */ (instance.exports[name])();
		passed++;
	} catch (error) {
		console.log(`FAILED ${name.slice(5)}: ${error.stack}`);
		failed++;
	}
}
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exitCode = failed || !passed ? 1 : 0;
