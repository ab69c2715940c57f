# SPDX-License-Identifier: BSD-2-Clause
# workerd serve config.capnp CASE: one constant a case.
using Workerd = import "/workerd/workerd.capnp";

const hello :Workerd.Config = (
  services = [(name = "main", worker = .helloWorker)],
  sockets = [(name = "http", http = (), service = "main")],
);
const json :Workerd.Config = (
  services = [(name = "main", worker = .jsonWorker)],
  sockets = [(name = "http", http = (), service = "main")],
);
const echo :Workerd.Config = (
  services = [(name = "main", worker = .echoWorker)],
  sockets = [(name = "http", http = (), service = "main")],
);

const helloWorker :Workerd.Worker = (
  modules = [
    (name = "hello.js", esModule = embed "hello.js"),
    (name = "handlers.mjs", esModule = embed "../../lib/handlers.mjs"),
  ],
  compatibilityDate = "2026-01-01",
);
const jsonWorker :Workerd.Worker = (
  modules = [
    (name = "json.js", esModule = embed "json.js"),
    (name = "handlers.mjs", esModule = embed "../../lib/handlers.mjs"),
  ],
  compatibilityDate = "2026-01-01",
);
const echoWorker :Workerd.Worker = (
  modules = [
    (name = "echo.js", esModule = embed "echo.js"),
    (name = "handlers.mjs", esModule = embed "../../lib/handlers.mjs"),
  ],
  compatibilityDate = "2026-01-01",
);
