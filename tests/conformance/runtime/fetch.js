// SPDX-License-Identifier: BSD-2-Clause
test('a call that no policy allows is refused', async () => {
	const error = await rejects(fetch('http://h.test/a?b'), Error);
	equal(error.message, 'POLICY_VIOLATION [ GET http://h.test/a?b ]');
	equal(error.code, 'POLICY_VIOLATION');
	equal(
		(await rejects(fetch(new Request('http://h.test/', { method: 'post' })), Error)).message,
		'POLICY_VIOLATION [ POST http://h.test/ ]',
	);
});
test('arguments are checked as the standard has it', async () => {
	await rejects(fetch());
	await rejects(fetch('/relative'));
	await rejects(fetch('http://u:p@h.test/'));
	await rejects(fetch('http://h.test/', { method: 'TRACE' }));
	await rejects(fetch('http://h.test/', { headers: { 'a\n': 'b' } }));
	await rejects(fetch('http://h.test/', { body: 'x' }));
	equal(
		(await rejects(
			fetch('http://h.test/', { signal: AbortSignal.abort(new RangeError('r')) }),
			RangeError,
		)) instanceof RangeError,
		true,
	);
});
