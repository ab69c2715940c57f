// SPDX-License-Identifier: BSD-2-Clause
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test('timers run in the order of their times', async () => {
	const seen = [];
	setTimeout(() => seen.push('c'), 20);
	setTimeout(() => seen.push('a'), 1);
	setTimeout((...args) => seen.push(...args), 10, 'b', 'B');
	setTimeout(() => seen.push('never'), 5).valueOf();
	await sleep(30);
	same(seen, ['a', 'never', 'b', 'B', 'c']);
});
test('equal times keep their order', async () => {
	const seen = [];
	for (let i = 0; i < 20; i++) setTimeout(() => seen.push(i), 3);
	await sleep(10);
	same(
		seen,
		Array.from({ length: 20 }, (_, i) => i),
	);
});
test('a cleared timer does not run', async () => {
	let ran = 0;
	const id = setTimeout(() => ran++, 1);
	clearTimeout(id);
	clearTimeout(id);
	clearTimeout(undefined);
	clearTimeout(987654);
	clearTimeout('x');
	await sleep(5);
	equal(ran, 0);
	equal(typeof id, 'number');
	ok(id > 0);
});
test('an interval repeats until it is cleared, also from within', async () => {
	let ran = 0;
	await new Promise((resolve) => {
		const id = setInterval(() => {
			if (++ran < 3) return;
			clearInterval(id);
			resolve();
		}, 1);
	});
	await sleep(5);
	equal(ran, 3);
});
test('microtasks run between timers', async () => {
	const seen = [];
	setTimeout(() => {
		seen.push('timer1');
		queueMicrotask(() => seen.push('micro'));
	}, 1);
	setTimeout(() => seen.push('timer2'), 1);
	await sleep(10);
	same(seen, ['timer1', 'micro', 'timer2']);
});
test('timers that are made by a timer wait for the next turn', async () => {
	let depth = 0;
	const again = () => {
		if (++depth < 5) setTimeout(again, 0);
	};
	setTimeout(again, 0);
	await sleep(20);
	equal(depth, 5);
});
test('odd delays count as none', async () => {
	let ran = 0;
	for (const delay of [-5, NaN, undefined, 'x', 0, 2 ** 31, Infinity])
		setTimeout(() => ran++, delay);
	await sleep(10);
	equal(ran, 7);
});
test('misuse', () => {
	throws(() => setTimeout('alert(1)'));
	throws(() => setInterval());
	throws(() => queueMicrotask(1));
	equal(setTimeout.length, 1);
	equal(setTimeout.name, 'setTimeout');
});
test('many timers, most of them cleared', async () => {
	let ran = 0;
	const ids = Array.from({ length: 2000 }, (_, i) => setTimeout(() => ran++, 1 + ((i * 7) % 13)));
	ids.forEach((id, i) => {
		if (i % 10 !== 0) clearTimeout(id);
	});
	await sleep(30);
	equal(ran, 200);
});
test('performance.now goes forward', async () => {
	const start = performance.now();
	await sleep(2);
	ok(performance.now() > start);
	ok(performance.timeOrigin > 1.6e12);
	equal(Object.prototype.toString.call(performance), '[object Performance]');
});
