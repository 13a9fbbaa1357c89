--[[
Step down from the upkeep, so that another takes over before the term ends, here or by RQ's own scheduler.

KEYS[1] leader  string, who it is
KEYS[2…] scheduler locks of the queues whose due jobs it moved
ARGV[1] who steps down

Returns 1 if it led.
]]
local name, led = ARGV[1], 0
for i, key in ipairs(KEYS) do
  if redis.call("GET", key) == name then
    redis.call("DEL", key)
    led = i == 1 and 1 or led
  end
end
return led
