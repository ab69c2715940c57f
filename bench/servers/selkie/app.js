// SPDX-License-Identifier: BSD-2-Clause
import { upstream } from './upstream.js';

app.get('/hello', './hello.js');
app.get('/json', './json.js');
app.post('/echo', './echo.js');
app.get('/fetch', './fetch.js', (policy) => policy.outboundHttp.allowGet(`${upstream}/hello`));
app.get('/stream', './stream.js', (policy) => policy.outboundHttp.allowGet(`${upstream}/stream`));
