#!/usr/bin/env selkie
// SPDX-License-Identifier: BSD-2-Clause
// The app file: what is served, and what each part of it may do.

app.port = 8080;

// A string is sent as text, an object as JSON.
app.get('/', './front.js');
app.get('/hello/:name', './hello.js');
app.get('/sum/:a/:b', './sum.js');

// Sends back what it gets, piece by piece.
app.post('/echo', './echo.js');

// A form, in TypeScript.
app.post('/guestbook', './guestbook.ts', (policy) => {
	policy.limits({ body: '16K', wall: '2s' });
});

// Files, sent by nginx itself.
app.static('/files', './public', { cleanUrls: true });
