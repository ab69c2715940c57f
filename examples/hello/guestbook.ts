// SPDX-License-Identifier: BSD-2-Clause

// A route's module state lives in its own process, for as long as that lives.
const names: string[] = [];

export default async (request: Request): Promise<object> => {
	const form = await request.formData();
	const name = String(form.get('name') ?? '').trim();
	if (name) names.push(name);
	return { visitors: names.length, latest: names.slice(-10) };
};
