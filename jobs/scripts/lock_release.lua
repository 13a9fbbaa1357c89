--[[
Release a lock by its holder, and wake its first waiter.

KEYS[1] lock     hash
KEYS[2] locks    zset
KEYS[3] revoked  hash, the last force release
ARGV[1] prefixes  JSON
ARGV[2] resource
ARGV[3] fencing token

Returns 1 released, or gone by itself with nobody after it (also when the answer was lost and this is the second try);
0 it was taken from this holder.
]]
-- include _keys
-- include _now
-- include _push
-- include _locks
if free_lock(ARGV[2], ARGV[3]) == 1 then
  return 1
end
local current = redis.call("GET", prefix.fence .. ARGV[2])
if redis.call("HGET", KEYS[3], "token") == ARGV[3] or current ~= ARGV[3] then
  return 0
end
redis.call("ZREM", KEYS[2], ARGV[2])
return 1
