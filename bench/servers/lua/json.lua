-- SPDX-License-Identifier: BSD-2-Clause
local cjson = require("cjson.safe")

ngx.print(cjson.encode({
	method = ngx.req.get_method(),
	url = "http://" .. ngx.var.http_host .. ngx.var.request_uri,
	header = ngx.req.get_headers()["X-Bench"],
}))
