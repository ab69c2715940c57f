// SPDX-License-Identifier: BSD-2-Clause

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Selkie</title>
<h1>Hello from Selkie</h1>
<ul>
<li><a href="/hello/world">/hello/world</a>: text
<li><a href="/sum/2/3">/sum/2/3</a>: JSON
<li><a href="/files/">/files/</a>: a static folder
</ul>
<form action="/guestbook" method="post">
<input name="name" placeholder="your name"> <button>Sign</button>
</form>
</html>
`;

export default () => new Response(page, { headers: { 'content-type': 'text/html;charset=utf-8' } });
