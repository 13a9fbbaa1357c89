--[[
Release a lock by its holder, and wake its first waiter.

KEYS[1] fence  string, the last token
KEYS[2] locks  zset
ARGV[1] resource
ARGV[2] fencing token

Returns 1 released, also when this is the second try of a release whose answer was lost, or when the lease lapsed and
nobody came after it; 0 the lock was taken from this holder.
]]
-- include _keys
-- include _now
-- include _push
-- include _lock_ends
local fence, locks = KEYS[1], KEYS[2]
local resource, token = ARGV[1], ARGV[2]

if free_lock(resource, token) == 1 or was_released(resource, token) then
  return 1
end
if redis.call("GET", fence) ~= token then
  return 0
end
redis.call("ZREM", locks, resource)
wake_waiter(resource)
return 1
