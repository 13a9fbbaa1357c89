--[[
End a refresh without a value, and wake who waits for it. Another may begin at once, or after a pause if it failed.

KEYS[1] refreshing  hash
ARGV[1] token the refresh began with
ARGV[2] key
ARGV[3] error, or empty
ARGV[4] pause before the next attempt, in milliseconds; 0 none

Returns 1 given up; 0 it is another's, or gone.
]]
-- include _keys
-- include _now
-- include _cache_entries
local marker, token, key, failed, pause_ms = KEYS[1], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])

if redis.call("HGET", marker, "token") ~= token then
  return 0
end
if pause_ms > 0 then
  redis.call("HSET", marker, "failed", failed)
  redis.call("PEXPIRE", marker, pause_ms)
else
  redis.call("DEL", marker)
end
wake_readers(key)
return 1
