-- SPDX-License-Identifier: BSD-2-Clause
ngx.req.read_body()
local body = ngx.req.get_body_data()
ngx.header["Content-Length"] = #body
ngx.print(body)
