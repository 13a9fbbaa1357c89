-- The server's time, so that no two machines' clocks matter.
local clock = redis.call("TIME")
local now_us = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local now_ms = math.floor(now_us / 1000)
local now_s = now_us / 1000000
