// SPDX-License-Identifier: BSD-2-Clause
/*
 * URL. The parser is lib/url, the one that every policy check uses; what it
 * gives is the serialisation and where the parts lie in it.
 */
import { bindUrl, URLSearchParams } from './searchparams.js';
import { INSPECT, idl, needArguments, toUSVString } from './webidl.js';

const SCHEME_END = 1,
	USERNAME_END = 2,
	HOST_START = 3,
	HOST_END = 4,
	PATH_START = 6,
	SEARCH_START = 7,
	HASH_START = 8;

const PART = {
	href: 0,
	protocol: 1,
	username: 2,
	password: 3,
	host: 4,
	hostname: 5,
	port: 6,
	pathname: 7,
	search: 8,
	hash: 9,
};

const PARSED = Symbol('parsed');

function parse(input, base) {
	const text = toUSVString(input);
	const against = base === undefined ? undefined : toUSVString(base);
	return native.urlParse(text, against);
}

export class URL {
	/** href, then indices; see lib/url/url.h. @type {any[]} */
	#parts;
	/** @type {URLSearchParams | null} */
	#params = null;

	constructor(url, base = undefined) {
		if (url === PARSED) {
			this.#parts = base;
			return;
		}
		needArguments(arguments.length, 1, 'URL');
		const parts = parse(url, base);
		if (parts === undefined) {
			const error = new TypeError(
				`${JSON.stringify(`${url}`)} is not a URL${base === undefined ? '' : ` against ${JSON.stringify(`${base}`)}`}`,
			);
			Object.assign(error, { code: 'ERR_INVALID_URL', input: `${url}` });
			throw error;
		}
		this.#parts = parts;
	}

	static parse(url, base = undefined) {
		needArguments(arguments.length, 1, 'URL.parse');
		const parts = parse(url, base);
		return parts === undefined ? null : new URL(PARSED, parts);
	}

	static canParse(url, base = undefined) {
		needArguments(arguments.length, 1, 'URL.canParse');
		return parse(url, base) !== undefined;
	}

	#slice(from, to) {
		return this.#parts[0].slice(from, to);
	}

	/** Where the path ends: at the search, the hash or the end. */
	#pathEnd() {
		return Math.min(this.#at(SEARCH_START), this.#at(HASH_START));
	}

	/** A start that may be missing; the end of the string then. */
	#at(index) {
		const { length } = this.#parts[0];
		const at = this.#parts[index];
		return at >= 0 && at < length ? at : length;
	}

	#hasCredentials() {
		const start = this.#parts[HOST_START];
		return start > this.#parts[SCHEME_END] && this.#parts[0][start] === '@';
	}

	#hostStart() {
		return this.#parts[HOST_START] + (this.#hasCredentials() ? 1 : 0);
	}

	#set(part, value) {
		const parts = native.urlSet(this.#parts[0], part, toUSVString(value));
		if (parts === undefined) return false;
		this.#parts = parts;
		return true;
	}

	/** The query changed: tells the URLSearchParams. */
	#refresh() {
		if (this.#params !== null)
			bindUrl(this.#params, this.search, (query) => this.#set(PART.search, query));
	}

	get href() {
		return this.#parts[0];
	}
	set href(value) {
		const parts = parse(value, undefined);
		if (parts === undefined) throw new TypeError(`${JSON.stringify(`${value}`)} is not a URL`);
		this.#parts = parts;
		this.#refresh();
	}

	get origin() {
		return native.urlOrigin(this.#parts[0]);
	}

	get protocol() {
		return this.#slice(0, this.#parts[SCHEME_END]);
	}
	set protocol(value) {
		this.#set(PART.protocol, value);
	}

	get username() {
		const start = this.#parts[SCHEME_END] + 2;
		return this.#parts[USERNAME_END] > start ? this.#slice(start, this.#parts[USERNAME_END]) : '';
	}
	set username(value) {
		this.#set(PART.username, value);
	}

	get password() {
		if (!this.#hasCredentials()) return '';
		return this.#slice(this.#parts[USERNAME_END] + 1, this.#parts[HOST_START]);
	}
	set password(value) {
		this.#set(PART.password, value);
	}

	get host() {
		const { port } = this;
		return port === '' ? this.hostname : `${this.hostname}:${port}`;
	}
	set host(value) {
		this.#set(PART.host, value);
	}

	get hostname() {
		return this.#slice(this.#hostStart(), this.#parts[HOST_END]);
	}
	set hostname(value) {
		this.#set(PART.hostname, value);
	}

	get port() {
		const between = this.#slice(this.#parts[HOST_END], this.#parts[PATH_START]);
		return between[0] === ':' ? between.slice(1) : '';
	}
	set port(value) {
		this.#set(PART.port, value);
	}

	get pathname() {
		return this.#slice(this.#parts[PATH_START], this.#pathEnd());
	}
	set pathname(value) {
		this.#set(PART.pathname, value);
	}

	get search() {
		const search = this.#slice(this.#at(SEARCH_START), this.#at(HASH_START));
		return search === '?' ? '' : search;
	}
	set search(value) {
		this.#set(PART.search, value);
		this.#refresh();
	}

	get searchParams() {
		if (this.#params === null) {
			this.#params = new URLSearchParams();
			this.#refresh();
		}
		return this.#params;
	}

	get hash() {
		const hash = this.#slice(this.#at(HASH_START));
		return hash === '#' ? '' : hash;
	}
	set hash(value) {
		this.#set(PART.hash, value);
	}

	toString() {
		return this.href;
	}
	toJSON() {
		return this.href;
	}

	[INSPECT](depth, options, inspect) {
		const {
			href,
			origin,
			protocol,
			username,
			password,
			host,
			hostname,
			port,
			pathname,
			search,
			hash,
		} = this;
		const shown = {
			href,
			origin,
			protocol,
			username,
			password,
			host,
			hostname,
			port,
			pathname,
			search,
			searchParams: this.searchParams,
			hash,
		};
		return `URL ${inspect(shown, options)}`;
	}
}

idl(URL, 'URL');
for (const name of ['parse', 'canParse']) {
	Object.defineProperty(URL, name, { enumerable: true });
}
