-- SPDX-License-Identifier: BSD-2-Clause
-- A mix for growth.mjs: of eight requests four hello, two JSON, one small and
-- one large echo.

local large = string.rep("0123456789abcdef", 4096)
local small = string.rep("0123456789abcdef", 64)
local mix, turn = {}, 0

function init(args)
	local hello = wrk.format("GET", "/hello")
	local json = wrk.format("GET", "/json?a=1", { ["X-Bench"] = "seal" })
	mix = {
		hello, json, hello, wrk.format("POST", "/echo", nil, small),
		hello, json, hello, wrk.format("POST", "/echo", nil, large),
	}
end

function request()
	turn = turn % #mix + 1
	return mix[turn]
end

function done(summary, latency, requests)
	local e = summary.errors
	io.write(string.format(
		'BENCH {"requests":%d,"errors":{"connect":%d,"read":%d,"write":%d,' ..
		'"status":%d,"timeout":%d}}\n',
		summary.requests, e.connect, e.read, e.write, e.status, e.timeout))
end
