// SPDX-License-Identifier: BSD-2-Clause

function hello(r) {
	r.headersOut['Content-Type'] = 'text/plain;charset=UTF-8';
	r.return(200, 'Hello from the sea\n');
}

function json(r) {
	r.headersOut['Content-Type'] = 'application/json';
	r.return(
		200,
		JSON.stringify({
			method: r.method,
			url: `http://${r.headersIn.Host}${r.variables.request_uri}`,
			header: r.headersIn['X-Bench'],
		}),
	);
}

function echo(r) {
	r.headersOut['Content-Type'] = 'application/octet-stream';
	r.return(200, r.requestBuffer);
}

export default { hello, json, echo };
