--[[
Become or stay the one who does the upkeep, or step down.

KEYS[1] leader  string, who it is
KEYS[2…] scheduler locks of the queues whose due jobs it moves; let go of when it steps down
ARGV[1] candidate
ARGV[2] term, in milliseconds; 0 to step down

Returns 1 when the candidate leads now.
]]
local leader, candidate, term_ms = KEYS[1], ARGV[1], tonumber(ARGV[2])
local current = redis.call("GET", leader)

if term_ms == 0 then
  for i = 2, #KEYS do
    if redis.call("GET", KEYS[i]) == candidate then
      redis.call("DEL", KEYS[i])
    end
  end
end
if current and current ~= candidate then
  return 0
end
if term_ms == 0 then
  redis.call("DEL", leader)
  return 0
end
redis.call("SET", leader, candidate, "PX", term_ms)
return 1
