--[[
Resume a paused queue and wake idle workers, one for each job that waits on it.

KEYS[1] paused  hash
KEYS[2] queue   list
KEYS[3] wake    list
KEYS[4] events  stream
ARGV[1] queue name
ARGV[2] who
ARGV[3] 0; 1 when it is sent again because its answer was lost

Returns 1 resumed; 0 it was not paused.
]]
-- include _now
-- include _notes
local paused, queue, wake, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local queue_name, by, again = ARGV[1], ARGV[2], ARGV[3]
local MOST_TOKENS, TOKEN_LIFE_MS = 1000, 2000

if redis.call("DEL", paused) == 0 then
  return tonumber(again)
end
for _ = 1, math.min(redis.call("LLEN", queue), MOST_TOKENS) do
  redis.call("LPUSH", wake, 1)
end
redis.call("LTRIM", wake, 0, MOST_TOKENS - 1)
redis.call("PEXPIRE", wake, TOKEN_LIFE_MS)
tell(events, "resumed", "", "", queue_name, queue_name .. " by " .. by)
return 1
