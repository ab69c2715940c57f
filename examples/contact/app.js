#!/usr/bin/env selkie
// SPDX-License-Identifier: BSD-2-Clause
// A static site, and a form that sends a mail.

import { messages } from './settings.js';

app.port = 8080;

app.post('/contact', './contact.js', (policy) => {
	policy.outboundHttp.allowPost(messages);
	policy.limits({ body: '2M', wall: '15s', subrequests: 1 });
});

app.static('/', './public', { cleanUrls: true });
