// SPDX-License-Identifier: BSD-2-Clause
/*
 * Bundles runtime/ into the one script that selkie-worker embeds: an
 * expression whose value is a function of `native` that returns the hooks (docs/worker.md).
 * usage: node tools/bundle-runtime.mjs OUTFILE VERSION
 *
 * Parsing is what starting costs: about 1 ms for 25 KB of JavaScript, and
 * next to nothing for a string literal. So only what main.js imports is
 * in the script as code (the core). A module that is reached by `require` is
 * in it as a string, and becomes code when it is first required.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const runtime = join(dirname(fileURLToPath(import.meta.url)), '..', 'runtime');

const [out, version] = process.argv.slice(2);
if (version === undefined) {
	console.error('usage: node tools/bundle-runtime.mjs OUTFILE VERSION');
	process.exit(2);
}

/**
 * Leaves modules of the runtime out, to be had from our `require` by name.
 * @param {(kind: string) => boolean} isOutside by kind of import
 * @param {Set<string>} outside collects the names
 */
function externals(isOutside, outside) {
	return {
		name: 'runtime-modules',
		setup(builder) {
			builder.onResolve({ filter: /^\.\/[a-z0-9]+\.js$/ }, ({ path, kind, resolveDir }) => {
				if (resolveDir !== runtime || !isOutside(kind)) return undefined;
				const name = path.slice(2);
				outside.add(name);
				return { path: name, external: true };
			});
		},
	};
}

async function compile(entry, plugin) {
	/** @type {any} */
	const { outputFiles, metafile } = await build({
		...entry,
		bundle: true,
		write: false,
		metafile: true,
		format: 'cjs',
		platform: 'neutral',
		mainFields: ['module', 'main'],
		target: 'es2022',
		minify: true,
		legalComments: 'none',
		define: { SELKIE_VERSION: JSON.stringify(version) },
		logLevel: 'warning',
		absWorkingDir: runtime,
		plugins: [plugin],
	});
	return { text: outputFiles[0].text, inputs: Object.keys(metafile.inputs) };
}

/** What main.js imports, directly or not. */
async function coreModules() {
	const plugin = externals((kind) => kind === 'require-call', new Set());
	const { inputs } = await compile({ entryPoints: ['main.js'] }, plugin);
	return inputs.filter((name) => /^[a-z0-9]+\.js$/.test(name) && name !== 'main.js');
}

async function compileCore(names, wanted) {
	const lines = names.map((name, i) => `import * as core${i} from './${name}';`);
	lines.push("import hooks from './main.js';");
	lines.push(
		`export { hooks }; export const core = { ${names.map((name, i) => `'${name}': core${i}`).join(', ')} };`,
	);
	const stdin = { contents: lines.join('\n'), resolveDir: runtime, sourcefile: 'core.js' };
	return compile(
		{ stdin },
		externals((kind) => kind === 'require-call', wanted),
	);
}

async function compileLazy(wanted, core) {
	const sources = {};
	for (const name of wanted) {
		if (core.includes(name)) continue;
		const { text } = await compile(
			{ entryPoints: [name] },
			externals((kind) => kind !== 'entry-point', wanted),
		);
		sources[name] =
			`(function (module, exports, require, native) { "use strict";\n${text}\n})\n//# sourceURL=selkie:${name}`;
	}
	return sources;
}

/** A string literal with few escapes: each costs the engine's scanner time. */
function literal(text) {
	const escaped = text.replace(
		/[\\'\n\r]/g,
		(char) => ({ '\n': '\\n', '\r': '\\r' })[char] ?? `\\${char}`,
	);
	return `'${escaped}'`;
}

const core = await coreModules();
/** Grows while the modules in it are compiled. @type {Set<string>} */
const wanted = new Set();
const { text } = await compileCore(core, wanted);
const sources = await compileLazy(wanted, core);

mkdirSync(dirname(out), { recursive: true });
/* The strings stand outside the function, so that they are scanned once. */
writeFileSync(
	out,
	`(function (sources, native) { "use strict";
const evaluate = eval, loaded = Object.create(null), module = { exports: {} };
function require(name) {
	const known = loaded[name];
	if (known !== undefined) return known;
	const made = { exports: {} }, source = sources[name];
	loaded[name] = made.exports;
	delete sources[name];
	evaluate(source)(made, made.exports, require, native);
	return loaded[name] = made.exports;
}
${text}
Object.assign(loaded, module.exports.core);
return module.exports.hooks; }).bind(undefined, {
${Object.keys(sources)
	.map((name) => `'${name}': ${literal(sources[name])}`)
	.join(',\n')}
})
`,
);
