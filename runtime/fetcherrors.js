// SPDX-License-Identifier: BSD-2-Clause
/*
 * Why a fetch did not work, as errors.
 */

/** By enum sk_fail, lib/ring/fetch.h. */
const CODES = [
	'EPROTO',
	'POLICY_VIOLATION',
	'ENOTFOUND',
	'ECONNREFUSED',
	'CERT',
	'ETIMEDOUT',
	'EPROTO',
	'ELIMIT',
	'EBODY',
	'ELOST',
];
const POLICY = 1;

function coded(code, text, cause = undefined) {
	const error = new Error(text, cause === undefined ? undefined : { cause });
	return Object.assign(error, { code });
}

/** The place in the sources is where fetch was called, not where C called back. */
function at(place, error) {
	error.stack = place.stack;
	return error;
}

/**
 * @param {string} method
 * @param {string} url
 * @param {string} text what the egress says
 * @param {Error} place
 */
export function violation(method, url, text, place) {
	const error = new Error(`POLICY_VIOLATION [ ${method} ${url} ]`, { cause: new Error(text) });
	return at(place, Object.assign(error, { code: 'POLICY_VIOLATION' }));
}

/**
 * A network error of the Fetch standard, with what is known of it.
 * @param {string} code
 * @param {string} text
 * @param {Error} place
 * @param {unknown} [cause]
 */
export function failure(code, text, place, cause = undefined) {
	return at(place, new TypeError(`fetch failed: ${text}`, { cause: coded(code, text, cause) }));
}

/**
 * What callFailure says.
 * @param {number} kind
 * @param {string} text
 * @param {{method: string, url: string, place: Error}} call
 */
export function explain(kind, text, { method, url, place }) {
	return kind === POLICY
		? violation(method, url, text, place)
		: failure(CODES[kind] ?? CODES[0], text, place);
}

/** For who reads a body on that was cancelled. */
export function cancelled() {
	return new TypeError('The body of this response was cancelled');
}
