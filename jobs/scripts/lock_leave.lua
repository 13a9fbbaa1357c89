--[[
Leave the line before a lock. If it was this waiter's turn, the next is woken.

KEYS[1] waiters   zset
KEYS[2] beats     zset
KEYS[3] reserved  string
ARGV[1] resource
ARGV[2] the waiter's name

Returns 1 when it was in line.
]]
-- include _keys
-- include _now
-- include _push
-- include _locks
-- include _lock_ends
local waiters, beats, reserved = KEYS[1], KEYS[2], KEYS[3]
local resource, waiter = ARGV[1], ARGV[2]

local stood = redis.call("ZREM", waiters, waiter)
redis.call("ZREM", beats, waiter)
if redis.call("GET", reserved) == waiter then
  redis.call("DEL", reserved)
  if is_free(resource, waiter) then
    wake_waiter(resource)
  end
end
return stood
