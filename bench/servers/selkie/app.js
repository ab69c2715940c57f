// SPDX-License-Identifier: BSD-2-Clause
app.get('/hello', './hello.js');
app.get('/json', './json.js');
app.post('/echo', './echo.js');
