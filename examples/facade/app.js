#!/usr/bin/env selkie
// SPDX-License-Identifier: BSD-2-Clause
// A facade: one call for the client, two calls to an API behind it.

import { api } from './settings.js';

app.port = 8080;

app.get('/people/:name', './person.js', (policy) => {
	policy.outboundHttp.allowGet(`${api}/users/*`);
	policy.outboundHttp.allowGet(`${api}/users/*/repos`);
	policy.limits({ wall: '10s', subrequests: 2 });
});
