-- SPDX-License-Identifier: BSD-2-Clause
-- Prints one line of JSON when the run is over. Times in microseconds.
-- There is no response() here on purpose: wrk would hand every reply to Lua.

local shape = os.getenv("BENCH_CASE")

if shape == "json" then
	wrk.headers["X-Bench"] = "seal"
elseif shape == "echo" then
	wrk.method = "POST"
	wrk.headers["Content-Type"] = "application/octet-stream"
	wrk.body = string.rep("0123456789abcdef", 4096)
end

function done(summary, latency, requests)
	local e = summary.errors
	io.write(string.format(
		'BENCH {"duration":%d,"requests":%d,"bytes":%d,' ..
		'"mean":%.3f,"stdev":%.3f,"p50":%d,"p99":%d,"max":%d,' ..
		'"errors":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}}\n',
		summary.duration, summary.requests, summary.bytes,
		latency.mean, latency.stdev, latency:percentile(50),
		latency:percentile(99), latency.max,
		e.connect, e.read, e.write, e.status, e.timeout))
end
