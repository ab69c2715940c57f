// SPDX-License-Identifier: BSD-2-Clause
const multipart = (text, boundary = 'X') =>
	new Response(text, { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } });

test('FormData: its methods', () => {
	const form = new FormData();
	form.append('a', '1');
	form.append('a', 2);
	form.append('b', '3');
	equal(form.get('a'), '1');
	equal(form.get('z'), null);
	same(form.getAll('a'), ['1', '2']);
	ok(form.has('b'));
	form.set('a', 'x');
	same(
		[...form],
		[
			['a', 'x'],
			['b', '3'],
		],
	);
	form.set('c', 'y');
	form.delete('a');
	same([...form.keys()], ['b', 'c']);
	same([...form.values()], ['3', 'y']);
	const seen = [];
	form.forEach((value, name) => {
		seen.push(name + value);
	});
	same(seen, ['b3', 'cy']);
	throws(() => form.append('x'));
	throws(() => form.append('x', 'y', 'z'));
	throws(() => new FormData({}));
	throws(() => FormData.prototype.get.call({}, 'x'));
});
test('FormData: files', () => {
	const form = new FormData();
	form.append('f', new Blob(['x'], { type: 'a/b' }));
	form.append('f', new Blob(['y']), 'n.txt');
	form.append('f', new File(['z'], 'own.txt', { lastModified: 7 }));
	form.append('f', new File(['z'], 'own.txt', { lastModified: 7 }), 'other.txt');
	same(
		form.getAll('f').map((file) => file.name),
		['blob', 'n.txt', 'own.txt', 'other.txt'],
	);
	equal(form.get('f').type, 'a/b');
	ok(form.get('f') instanceof File);
	equal(form.getAll('f')[3].lastModified, 7);
});
test('multipart there and back', async () => {
	const form = new FormData();
	form.append('text', 'line1\nline2\r\nü');
	form.append('we"ird\r\nname', 'v');
	form.append(
		'file',
		new File([new Uint8Array([0, 255, 13, 10, 45, 45])], 'a "b".bin', { type: 'x/y' }),
	);
	const back = await new Response(form).formData();
	equal(back.get('text'), 'line1\r\nline2\r\nü');
	equal(back.get('we"ird\r\nname'), 'v');
	const file = back.get('file');
	same([file.name, file.type, file.size], ['a "b".bin', 'x/y', 6]);
	same(await file.bytes(), [0, 255, 13, 10, 45, 45]);
	same([...(await new Response(new FormData()).formData())], []);
});
test('multipart from elsewhere', async () => {
	const form = await multipart(
		'--X\r\ncontent-disposition: form-data; name=a\r\n\r\n1\r\n--X\r\nContent-Disposition: form-data; name="f"; filename="C:\\\\dir\\\\x.txt"\r\nContent-Type: text/html\r\n\r\n<p>\r\n--X--\r\nepilogue',
	).formData();
	equal(form.get('a'), '1');
	equal(form.get('f').name, 'x.txt');
	equal(form.get('f').type, 'text/html');
	equal(await form.get('f').text(), '<p>');
	const empty = await multipart(
		'--X\r\nContent-Disposition: form-data; name="e"\r\n\r\n\r\n--X--',
	).formData();
	equal(empty.get('e'), '');
	const quoted = await new Response(
		'--a b\r\nContent-Disposition: form-data; name="q"\r\n\r\nv\r\n--a b--\r\n',
		{ headers: { 'content-type': 'multipart/form-data; boundary="a b"' } },
	).formData();
	equal(quoted.get('q'), 'v');
	const path = await multipart(
		'--X\r\nContent-Disposition: form-data; name="f"; filename="../../etc/passwd"\r\n\r\nx\r\n--X--',
	).formData();
	equal(path.get('f').name, 'passwd');
});
test('malformed multipart is a TypeError', async () => {
	for (const bad of [
		'',
		'x',
		'--Y\r\n',
		'--X',
		'--X\r\n',
		'--X\r\n\r\nx\r\n--X--',
		'--X\r\nContent-Disposition: form-data; name="a"\r\n\r\nno end',
		'--X\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n--X--',
		'--X\r\nnonsense\r\n\r\nx\r\n--X--',
		'--X junk\r\n',
	]) {
		await rejects(multipart(bad).formData());
	}
	await rejects(
		new Response('x', { headers: { 'content-type': 'multipart/form-data' } }).formData(),
	);
	await rejects(new Response('x', { headers: { 'content-type': 'text/plain' } }).formData());
	await rejects(new Response(new Uint8Array(1)).formData());
});
test('case 19: the number of parts is bounded', async () => {
	const part = '--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
	equal([...(await multipart(`${part.repeat(1000)}--X--`).formData())].length, 1000);
	await rejects(multipart(`${part.repeat(10001)}--X--`).formData());
	await rejects(multipart(`--X\r\nx: ${'y'.repeat(20000)}\r\n\r\n\r\n--X--`).formData());
});
test('case 18: urlencoded forms', async () => {
	const form = await new Response(
		new URLSearchParams([
			['__proto__', '1'],
			['a b', 'ü&'],
		]),
	).formData();
	same(
		[...form],
		[
			['__proto__', '1'],
			['a b', 'ü&'],
		],
	);
	equal({}[1], undefined);
});
test('Blob', async () => {
	const blob = new Blob(
		['aé', new Uint8Array([66, 67]), new Blob(['D']), new Uint16Array([0x4645]).buffer],
		{ type: 'Text/PLAIN' },
	);
	same([blob.size, blob.type, await blob.text()], [8, 'text/plain', 'aéBCDEF']);
	equal(await blob.slice(3, 5).text(), 'BC');
	equal(await blob.slice(-2).text(), 'EF');
	equal(blob.slice(0, 1, 'a/b').type, 'a/b');
	equal(blob.slice(5, 2).size, 0);
	equal(new Blob(['x'], { type: 'ä' }).type, '');
	equal(new Blob().size, 0);
	equal(await new Blob(['a\r\nb\rc'], { endings: 'native' }).text(), 'a\nb\nc');
	same(await blob.slice(0, 1).bytes(), [97]);
	equal((await blob.arrayBuffer()).byteLength, 8);
	throws(() => new Blob('x'));
	throws(() => new Blob([], { endings: 'x' }));
	throws(() => Blob.prototype.size);
	const chunks = [];
	for await (const chunk of blob.slice(0, 1).stream()) chunks.push(...chunk);
	same(chunks, [97]);
	equal(await new Blob([1, null, {}]).text(), '1null[object Object]');
});
test('File', () => {
	const file = new File(['x'], 'n\ud800', { lastModified: 5, type: 'a/b' });
	same(
		[file.name, file.lastModified, file.type, file.size, file instanceof Blob],
		['n\ufffd', 5, 'a/b', 1, true],
	);
	throws(() => new File(['x']));
	equal(Object.prototype.toString.call(file), '[object File]');
});
