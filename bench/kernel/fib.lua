-- SPDX-License-Identifier: BSD-2-Clause
local function fib(n)
	if n < 2 then return n end
	return fib(n - 1) + fib(n - 2)
end

local start = os.clock()
fib(32)
print(string.format("%.4f s", os.clock() - start))
