#!/usr/bin/env selkie
// SPDX-License-Identifier: BSD-2-Clause
// A REST service over a database of CouchDB. Each route may do the one thing
// that it is for: whoever breaks into list.js deletes nobody.

import { database } from './settings.js';

app.port = 8080;

app.get('/people', './list.js', (policy) => {
	policy.outboundHttp.allowGet(`${database}/_all_docs`);
});
app.get('/people/:id', './view.js', (policy) => {
	policy.outboundHttp.allowGet(`${database}/*`);
});
app.post('/people', './create.js', (policy) => {
	policy.outboundHttp.allowPost(database);
	policy.limits({ body: '16K' });
});
app.put('/people/:id', './update.js', (policy) => {
	policy.outboundHttp.allowPut(`${database}/*`);
	policy.limits({ body: '16K' });
});
app.delete('/people/:id', './delete.js', (policy) => {
	policy.outboundHttp.allowDelete(`${database}/*`);
});
