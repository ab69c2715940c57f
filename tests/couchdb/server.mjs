// SPDX-License-Identifier: BSD-2-Clause
// node server.mjs [PORT]: PouchDB as a CouchDB on 127.0.0.1, its data in memory,
// with a database "people" and a user "selkie" with the password "herring".

import express from 'express';
import expressPouchDB from 'express-pouchdb';
import memory from 'pouchdb-adapter-memory';
import PouchDB from 'pouchdb-core';
import mapreduce from 'pouchdb-mapreduce';

const Database = PouchDB.plugin(memory).plugin(mapreduce).defaults({ adapter: 'memory' });
// Made before the database: it lists those that are made after it.
const couch = expressPouchDB(Database, { mode: 'minimumForPouchDB', inMemoryConfig: true });
await new Database('people').info();

const wanted = `Basic ${btoa('selkie:herring')}`;
const app = express();
app.use((request, reply, next) => {
	if (request.headers.authorization === wanted) return next();
	return reply.status(401).json({ error: 'unauthorized', reason: 'name or password is wrong' });
});
app.use(couch);

const server = app.listen(Number(process.argv[2] ?? 5984), '127.0.0.1', () => {
	const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
	console.log(`listening on http://127.0.0.1:${port}`);
});
