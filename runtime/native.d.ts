// SPDX-License-Identifier: BSD-2-Clause
// What C gives the runtime (docs/worker.md), and the loader of its modules.

type UrlParts = [string, ...number[]];

interface Native {
	log(level: number, text: string): void;
	now(): number;
	wake(ms: number): void;
	drain(): void;
	utf8Encode(text: string): Uint8Array<ArrayBuffer>;
	utf8Decode(bytes: Uint8Array, fatal: boolean, keepBom: boolean): string | undefined;
	latin1Encode(text: string): Uint8Array<ArrayBuffer> | undefined;
	latin1Decode(bytes: Uint8Array): string;
	bytesFind(bytes: Uint8Array, needle: Uint8Array, from: number): number;
	random(bytes: Uint8Array): void;
	urlParse(input: string, base: string | undefined): UrlParts | undefined;
	urlSet(href: string, part: number, value: string): UrlParts | undefined;
	urlOrigin(href: string): string;
	formParse(text: string): string[];
	formSerialize(list: string[]): string;
	requestMethod(id: number): string;
	requestUrl(id: number): string;
	requestHost(id: number): string;
	requestRemote(id: number): string;
	requestHeader(id: number, name: string): string | null;
	requestHeaders(id: number): string[];
	requestParams(id: number): string[];
	requestQuery(id: number): string;
	bodyRead(id: number): Uint8Array | null | undefined;
	bodyCancel(id: number): void;
	respond(
		id: number,
		status: number,
		headers: string[] | number,
		body: string | Uint8Array | null,
	): number;
	respondStream(id: number, status: number, headers: string[], length: number): number;
	bodyWrite(id: number, bytes: Uint8Array): number;
	bodyEnd(id: number): void;
	bodyAbort(id: number): void;
	fail(id: number, kind: number, text: string): void;
	sourceMap(): string | undefined;
	collect(): void;
	callStart(
		method: string,
		url: string,
		headers: string[],
		length: number,
		timeout: number,
	): number;
	callWrite(call: number, bytes: Uint8Array): number;
	callEnd(call: number): void;
	callReply(call: number): [number, string, ...string[]];
	callRead(call: number): Uint8Array<ArrayBuffer> | null | undefined;
	callRelay(call: number, id: number): void;
	callFailure(call: number): [number, string];
	callAbort(call: number): void;
}

declare const native: Native;
/** Put in by tools/bundle-runtime.mjs. */
declare const SELKIE_VERSION: string;
// biome-ignore lint/suspicious/noExplicitAny: what a module exports is its own affair
declare function require(name: string): any;
