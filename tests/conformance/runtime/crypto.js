// SPDX-License-Identifier: BSD-2-Clause
test('getRandomValues fills the view it is given', () => {
	const bytes = new Uint8Array(64);
	equal(crypto.getRandomValues(bytes), bytes);
	ok(bytes.some((byte) => byte !== 0));
	const whole = new Uint8Array(64);
	crypto.getRandomValues(new Uint32Array(whole.buffer, 32, 4));
	ok(whole.subarray(0, 32).every((byte) => byte === 0));
	ok(whole.subarray(48).every((byte) => byte === 0));
	crypto.getRandomValues(new BigInt64Array(2));
	crypto.getRandomValues(new Uint8ClampedArray(2));
});
test('getRandomValues refuses the rest', () => {
	throws(() => crypto.getRandomValues(new Float32Array(1)), 'TypeMismatchError');
	throws(() => crypto.getRandomValues(new DataView(new ArrayBuffer(1))), 'TypeMismatchError');
	throws(() => crypto.getRandomValues(new Uint8Array(65537)), 'QuotaExceededError');
	throws(() => crypto.getRandomValues([]));
	throws(() => crypto.getRandomValues());
	throws(() => Crypto.prototype.getRandomValues.call({}, new Uint8Array(1)));
	throws(() => new Crypto());
});
test('randomUUID is a version 4 UUID', () => {
	const seen = new Set();
	for (let i = 0; i < 100; i++) {
		const id = crypto.randomUUID();
		ok(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id), id);
		seen.add(id);
	}
	equal(seen.size, 100);
});
