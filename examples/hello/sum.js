// SPDX-License-Identifier: BSD-2-Clause

export default (_request, { params }) => {
	const [a, b] = [Number(params.a), Number(params.b)];
	if (Number.isNaN(a + b)) return new Response('Two numbers, please.\n', { status: 400 });
	return { a, b, sum: a + b };
};
