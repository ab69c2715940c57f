// SPDX-License-Identifier: BSD-2-Clause
/*
 * FormData: a list of names with strings or files.
 */
import { File, isBlob } from './blob.js';
import { INSPECT, idl, needArguments, pairIterable, toUSVString } from './webidl.js';

/** Of a body that is read; what a handler makes has no limit. */
export const MOST_FIELDS = 1000;

let entriesOf, brandOf;

export class FormData {
	/** @type {[string, string | File][]} */
	#entries = [];

	static {
		entriesOf = (form) => form.#entries;
		brandOf = (value) => #entries in value;
	}

	constructor(form = undefined) {
		if (form !== undefined) throw new TypeError('FormData: there are no form elements here');
	}

	append(name, value, filename = undefined) {
		needArguments(arguments.length, 2, 'FormData.append');
		this.#entries.push(entry(arguments, name, value, filename));
	}

	delete(name) {
		needArguments(arguments.length, 1, 'FormData.delete');
		const key = toUSVString(name);
		this.#entries = this.#entries.filter((pair) => pair[0] !== key);
	}

	get(name) {
		needArguments(arguments.length, 1, 'FormData.get');
		const key = toUSVString(name);
		const found = this.#entries.find((pair) => pair[0] === key);
		return found === undefined ? null : found[1];
	}

	getAll(name) {
		needArguments(arguments.length, 1, 'FormData.getAll');
		const key = toUSVString(name);
		return this.#entries.filter((pair) => pair[0] === key).map((pair) => pair[1]);
	}

	has(name) {
		needArguments(arguments.length, 1, 'FormData.has');
		const key = toUSVString(name);
		return this.#entries.some((pair) => pair[0] === key);
	}

	set(name, value, filename = undefined) {
		needArguments(arguments.length, 2, 'FormData.set');
		const made = entry(arguments, name, value, filename);
		const at = this.#entries.findIndex((pair) => pair[0] === made[0]);
		if (at < 0) {
			this.#entries.push(made);
			return;
		}
		this.#entries = this.#entries.filter((pair, i) => i <= at || pair[0] !== made[0]);
		this.#entries[at] = made;
	}

	[INSPECT](depth, options, inspect) {
		return `FormData ${inspect(this.#entries, options)}`;
	}
}

idl(FormData, 'FormData');
pairIterable(
	FormData,
	'FormData',
	(form) => entriesOf(form),
	(form, index) => entriesOf(form)[index],
);

/** @returns {[string, string | File]} */
function entry(given, name, value, filename) {
	const key = toUSVString(name);
	if (!isBlob(value)) {
		if (given.length > 2) throw new TypeError('FormData: a file name needs a Blob');
		return [key, toUSVString(value)];
	}
	if (value instanceof File && given.length < 3) return [key, value];
	const label = given.length > 2 ? toUSVString(filename) : 'blob';
	const options = { type: value.type };
	if (value instanceof File) options.lastModified = value.lastModified;
	return [key, new File([value], label, options)];
}

/** @param {unknown} value @returns {value is FormData} */
export function isFormData(value) {
	return typeof value === 'object' && value !== null && brandOf(value);
}

/** @param {FormData} form @returns {[string, string | File][]} */
export function formEntries(form) {
	return entriesOf(form);
}
