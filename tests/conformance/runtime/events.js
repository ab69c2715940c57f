// SPDX-License-Identifier: BSD-2-Clause
test('listeners run in order, once each', () => {
	const target = new EventTarget();
	const seen = [];
	const one = () => seen.push(1);
	target.addEventListener('x', one);
	target.addEventListener('x', one);
	target.addEventListener('x', () => seen.push(2), { once: true });
	target.addEventListener('x', {
		handleEvent(event) {
			seen.push(event.type);
		},
	});
	ok(target.dispatchEvent(new Event('x')));
	target.dispatchEvent(new Event('x'));
	same(seen, [1, 2, 'x', 1, 'x']);
	target.removeEventListener('x', one);
	target.dispatchEvent(new Event('x'));
	same(seen, [1, 2, 'x', 1, 'x', 'x']);
});
test('capturing listeners come first', () => {
	const target = new EventTarget();
	const seen = [];
	target.addEventListener('x', () => seen.push('b'));
	target.addEventListener('x', () => seen.push('a'), true);
	target.dispatchEvent(new Event('x'));
	same(seen, ['a', 'b']);
});
test('an event tells where it is', () => {
	const target = new EventTarget();
	const event = new Event('x', { cancelable: true, bubbles: true });
	same(
		[event.type, event.bubbles, event.cancelable, event.eventPhase, event.isTrusted, event.target],
		['x', true, true, 0, false, null],
	);
	target.addEventListener('x', function (given) {
		ok(this === target);
		ok(given.target === target && given.currentTarget === target);
		equal(given.eventPhase, 2);
		same(given.composedPath(), [target]);
		given.preventDefault();
	});
	equal(target.dispatchEvent(event), false);
	ok(event.defaultPrevented);
	equal(event.currentTarget, null);
	same(event.composedPath(), []);
	ok(typeof event.timeStamp === 'number');
});
test('stopping and prevention', () => {
	const target = new EventTarget();
	let count = 0;
	target.addEventListener('x', (event) => {
		count++;
		event.stopImmediatePropagation();
	});
	target.addEventListener('x', () => {
		count++;
	});
	target.dispatchEvent(new Event('x'));
	equal(count, 1);
	const plain = new Event('y');
	plain.preventDefault();
	equal(plain.defaultPrevented, false);
	target.addEventListener('z', (event) => event.preventDefault(), { passive: true });
	ok(target.dispatchEvent(new Event('z', { cancelable: true })));
});
test('a signal removes a listener', () => {
	const target = new EventTarget();
	const controller = new AbortController();
	let count = 0;
	target.addEventListener(
		'x',
		() => {
			count++;
		},
		{ signal: controller.signal },
	);
	target.dispatchEvent(new Event('x'));
	controller.abort();
	target.dispatchEvent(new Event('x'));
	target.addEventListener(
		'x',
		() => {
			count++;
		},
		{ signal: controller.signal },
	);
	target.dispatchEvent(new Event('x'));
	equal(count, 1);
	throws(() => target.addEventListener('x', () => {}, { signal: {} }));
});
test('misuse', () => {
	const target = new EventTarget();
	throws(() => new Event());
	throws(() => target.dispatchEvent({}));
	throws(() => target.addEventListener('x'));
	throws(() => target.addEventListener('x', 1));
	target.addEventListener('x', null);
	const event = new Event('x');
	target.addEventListener('x', () =>
		throws(() => target.dispatchEvent(event), 'InvalidStateError'),
	);
	target.dispatchEvent(event);
	throws(() => EventTarget.prototype.dispatchEvent.call({}, event));
	equal(new CustomEvent('x', { detail: 5 }).detail, 5);
	equal(new CustomEvent('x').detail, null);
	class Mine extends EventTarget {}
	ok(new Mine().dispatchEvent(new Event('x')));
	equal(Event.AT_TARGET, 2);
});
test('AbortController', () => {
	const controller = new AbortController();
	const seen = [];
	controller.signal.onabort = (event) => seen.push(`on${event.type}${event.isTrusted}`);
	controller.signal.addEventListener('abort', () => seen.push('listener'));
	equal(controller.signal.aborted, false);
	equal(controller.signal.reason, undefined);
	controller.signal.throwIfAborted();
	controller.abort();
	controller.abort('again');
	same(seen, ['onaborttrue', 'listener']);
	equal(controller.signal.reason.name, 'AbortError');
	equal(controller.signal.reason.code, 20);
	throws(() => controller.signal.throwIfAborted(), 'AbortError');
	throws(() => new AbortSignal());
	equal(controller.signal, controller.signal);
	ok(controller.signal instanceof EventTarget);
	equal(new AbortController().signal.onabort, null);
});
test('AbortSignal.abort, timeout and any', async () => {
	equal(AbortSignal.abort(7).reason, 7);
	equal(AbortSignal.abort().reason.name, 'AbortError');
	const signal = AbortSignal.timeout(1);
	equal(signal.aborted, false);
	await new Promise((resolve) => signal.addEventListener('abort', resolve));
	equal(signal.reason.name, 'TimeoutError');
	throws(() => AbortSignal.timeout(-1));
	throws(() => AbortSignal.timeout());
	const [a, b] = [new AbortController(), new AbortController()];
	const any = AbortSignal.any([a.signal, b.signal]);
	const nested = AbortSignal.any([any]);
	let order = '';
	b.signal.onabort = () => {
		order += `source ${any.aborted} `;
	};
	any.onabort = () => {
		order += 'any';
	};
	b.abort('b');
	a.abort('a');
	same([any.reason, nested.reason, order], ['b', 'b', 'source true any']);
	equal(AbortSignal.any([AbortSignal.abort(1), AbortSignal.abort(2)]).reason, 1);
	equal(AbortSignal.any([]).aborted, false);
	throws(() => AbortSignal.any([{}]));
});
test('DOMException', () => {
	const error = new DOMException('m', 'NotFoundError');
	same(
		[error.name, error.message, error.code, error instanceof Error],
		['NotFoundError', 'm', 8, true],
	);
	equal(new DOMException('m').name, 'Error');
	equal(new DOMException('m', 'Other').code, 0);
	equal(`${error}`, 'NotFoundError: m');
	equal(DOMException.NOT_FOUND_ERR, 8);
	equal(error.DATA_CLONE_ERR, 25);
	equal(Object.prototype.toString.call(error), '[object DOMException]');
	equal(typeof error.stack, 'string');
	throws(() => DOMException.prototype.name);
});
