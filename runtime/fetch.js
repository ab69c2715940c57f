// SPDX-License-Identifier: BSD-2-Clause
/*
 * fetch, after the Fetch standard as far as a server has a use for it. The
 * egress makes one call at a time of it and checks each; following redirects is
 * done here, so that every hop is a call of its own there.
 */
import { Body } from './body.js';
import { Call, CallBody, whenFree } from './calls.js';
import { lazy } from './lazy.js';
import { Request, requestParts } from './request.js';
import { fetchedResponse, hasNoBody, isRedirect } from './response.js';
import { needArguments } from './webidl.js';

const abort = lazy(() => require('./abort.js'));
const errors = lazy(() => require('./fetcherrors.js'));
const timers = lazy(() => require('./timers.js'));
const pumps = lazy(() => require('./pump.js'));
const uploads = lazy(() => require('./upload.js'));

const MOST_REDIRECTS = 20;
/** How often a call looks for a free number, once in a second or when one came free. */
const FREE_TRIES = 10;
/** How long it waits for a new egress: so often, so many ms. */
const RESTART_TRIES = 20,
	RESTART_PAUSE = 50;

/** What callStart says instead of a number. */
const NOTHING_GRANTED = -1,
	TOO_MANY = -2,
	OVER_LIMIT = -4;

/** How a message is framed and coded on the wire: not the caller's to say. */
const WIRE = new Set([
	'accept-encoding',
	'connection',
	'content-length',
	'expect',
	'host',
	'keep-alive',
	'proxy-connection',
	'te',
	'trailer',
	'transfer-encoding',
	'upgrade',
]);
/** Dropped with the body. */
const OF_BODY = new Set([
	'content-encoding',
	'content-language',
	'content-location',
	'content-type',
]);
/** Not for another origin. */
const OF_ORIGIN = new Set(['authorization', 'cookie', 'proxy-authorization']);

const DEFAULTS = [
	'accept',
	'*/*',
	'accept-language',
	'*',
	'user-agent',
	`selkie/${SELKIE_VERSION}`,
];

function without(list, names) {
	const kept = [];
	for (let i = 0; i < list.length; i += 2) {
		if (!names.has(list[i])) kept.push(list[i], list[i + 1]);
	}
	return kept;
}

/** The first value, or undefined. */
function firstOf(list, name) {
	for (let i = 0; i < list.length; i += 2) if (list[i] === name) return list[i + 1];
	return undefined;
}

function headersToSend(list) {
	const sent = without(list, WIRE);
	for (let i = 0; i < DEFAULTS.length; i += 2) {
		if (firstOf(list, DEFAULTS[i]) === undefined) sent.push(DEFAULTS[i], DEFAULTS[i + 1]);
	}
	return sent;
}

function withoutFragment(url) {
	const at = url.indexOf('#');
	return at < 0 ? url : url.slice(0, at);
}

/** One fetch: a call, or several when it is redirected. */
class Exchange {
	/** @type {Call | null} */
	#call = null;
	#over = false;
	#redirects = 0;
	#headers;
	/** @type {ReturnType<typeof import('./upload.js').bodySource> | null} */
	#body = null;
	/** @type {(() => void) | null} stops listening to the signal */
	#release = null;

	constructor(parts, place, resolve, reject) {
		const { method, url, list, redirect } = parts;
		this.method = method;
		this.url = withoutFragment(url);
		this.place = place;
		this.#headers = headersToSend(list);
		this.redirect = redirect;
		this.resolve = resolve;
		this.reject = reject;
	}

	/** @param {Body | null} body @param {import('./abort.js').AbortSignal | undefined} signal */
	begin(body, signal) {
		if (signal?.aborted) {
			if (body !== null) uploads().bodySource(body).source.cancel(signal.reason);
			this.reject(signal.reason);
			return;
		}
		if (!/^https?:/.test(this.url)) {
			this.#fail('EPROTO', `${this.url.split(':', 1)[0]}: is not a scheme to fetch from`);
			return;
		}
		if (signal !== undefined) {
			this.#release = abort().onAbort(signal, (reason) => this.#abort(reason));
		}
		if (body !== null) this.#body = uploads().bodySource(body);
		this.#send(0);
	}

	/** @param {number} tries how often it was tried before */
	#send(tries) {
		const body = this.#body;
		const length = body === null ? 0 : body.length;
		let number;
		try {
			number = native.callStart(this.method, this.url, this.#headers, length, 0);
		} catch (error) {
			this.#fail('ELIMIT', error.message);
			return;
		}
		if (number < 0) {
			this.#notStarted(number, tries);
			return;
		}
		const call = (this.#call = new Call(number, this));
		if (body === null || length === 0) return;
		const { Pump } = pumps();
		call.upload = new Pump(body.source, {
			write: (bytes) => call.write(bytes),
			end: () => call.end(),
			gone: () => {},
			failed: (error) => this.#bodyBroke(call, error),
		});
		call.upload.drain();
	}

	/** There was no number: it is tried again for a while. */
	#notStarted(number, tries) {
		const again = () => this.#over || this.#send(tries + 1);
		if (number === NOTHING_GRANTED) {
			const text = "the route's policy grants no outbound call";
			this.onFailure(errors().violation(this.method, this.url, text, this.place));
		} else if (number === OVER_LIMIT) {
			this.#fail('ELIMIT', 'the request is over its limit: subrequests');
		} else if (number === TOO_MANY) {
			if (tries < FREE_TRIES) whenFree(again);
			else this.#fail('ELIMIT', 'too many calls at a time');
		} else if (tries < RESTART_TRIES) {
			timers().setTimeout(again, RESTART_PAUSE);
		} else {
			this.#fail('ELOST', 'the egress is being restarted');
		}
	}

	#fail(code, text) {
		this.onFailure(errors().failure(code, text, this.place));
	}

	#bodyBroke(call, error) {
		const text = "the request's body broke off";
		call.abort(errors().failure('EBODY', text, this.place, error));
	}

	explain(kind, text) {
		return errors().explain(kind, text, this);
	}

	onFailure(error) {
		if (this.#over) return;
		this.#over = true;
		this.#release?.();
		if (this.#call === null) this.#body?.source.cancel(error);
		this.reject(error);
	}

	#abort(reason) {
		if (this.#call !== null) this.#call.abort(reason);
		this.onFailure(reason);
	}

	onReply(call, head) {
		const [status] = head;
		const list = head.slice(2);
		if (isRedirect(status) && this.redirect !== 'manual') {
			if (this.redirect === 'error') {
				this.#giveUp(call, `redirect mode is 'error', and the reply a ${status}`);
				return;
			}
			const location = firstOf(list, 'location');
			if (location !== undefined) {
				this.#follow(call, status, location);
				return;
			}
		}
		this.#deliver(call, status, head[1], list);
	}

	#giveUp(call, text) {
		this.#fail('EPROTO', text);
		leave(call);
	}

	#follow(call, status, location) {
		const target = native.urlParse(location, this.url);
		const problem =
			target === undefined
				? 'the Location of a redirect is not a URL'
				: this.#unfit(status, target);
		if (problem !== undefined) {
			this.#giveUp(call, problem);
			return;
		}
		leave(call);
		this.#call = null;
		this.#redirects++;
		this.#rewrite(status, target[0]);
		this.#send(0);
	}

	/** Why a redirect cannot be followed. @param {number} status @param {UrlParts} parts */
	#unfit(status, [href, schemeEnd, usernameEnd, hostStart]) {
		if (!/^https?:/.test(href)) return `a redirect to ${href.slice(0, schemeEnd)}`;
		if (usernameEnd > schemeEnd + 2 || hostStart > usernameEnd) {
			return 'a redirect to a URL with a user name or password in it';
		}
		if (this.#redirects >= MOST_REDIRECTS) return `more than ${MOST_REDIRECTS} redirects`;
		if (status !== 303 && this.#body !== null && this.#body.again === null) {
			return `a ${status} redirect of a stream, which cannot be sent again`;
		}
		return undefined;
	}

	/** What the next hop asks for. */
	#rewrite(status, href) {
		const url = withoutFragment(href);
		if (
			status === 303
				? this.method !== 'GET' && this.method !== 'HEAD'
				: status < 303 && this.method === 'POST'
		) {
			this.method = 'GET';
			this.#body = null;
			this.#headers = without(this.#headers, OF_BODY);
		}
		if (native.urlOrigin(url) !== native.urlOrigin(this.url)) {
			this.#headers = without(this.#headers, OF_ORIGIN);
		}
		if (this.#body !== null) {
			const { length, again } = this.#body;
			this.#body = { length, source: again(), again };
		}
		this.url = url;
	}

	#deliver(call, status, statusText, list) {
		const { resolve } = this;
		let body = null;
		this.#over = true;
		if (this.method === 'HEAD' || hasNoBody(status)) {
			call.discard();
		} else {
			call.length = lengthOf(list);
			body = new Body(new CallBody(call));
		}
		if (call.over) this.#release?.();
		else call.onOver = this.#release;
		/* The call must not keep alive who may read its body. */
		this.resolve = this.reject = null;
		this.#body = null;
		resolve(
			fetchedResponse({
				status,
				statusText,
				list,
				body,
				url: this.url,
				redirected: this.#redirects > 0,
			}),
		);
	}
}

/** Nobody will read this reply. */
function leave(call) {
	if (call.upload === null) call.discard();
	else call.abort(undefined);
}

function lengthOf(list) {
	const text = firstOf(list, 'content-length');
	return text !== undefined && /^[0-9]{1,15}$/.test(text) ? Number(text) : -1;
}

export function fetch(input, init = undefined) {
	return new Promise((resolve, reject) => {
		needArguments(arguments.length, 1, 'fetch');
		const parts = requestParts(new Request(input, init));
		if (parts.integrity !== '') throw new TypeError('fetch: integrity cannot be checked here');
		new Exchange(parts, new Error(), resolve, reject).begin(parts.body, parts.signal);
	});
}
