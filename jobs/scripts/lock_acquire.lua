--[[
Take a free lock and hand its new holder the next fencing token. The same request repeated gets the same token.

KEYS[1] lock    hash; expires with the lease
KEYS[2] fence   string, the last token
KEYS[3] locks   zset of resources by the time they become stuck
ARGV[1] prefixes  JSON
ARGV[2] resource
ARGV[3] holder
ARGV[4] request, unique to the call
ARGV[5] lease, in milliseconds
ARGV[6] longest duration, in milliseconds
ARGV[7] host
ARGV[8] process id
ARGV[9] job id, or empty

Returns the fencing token, or nil while the lock is held.
]]
-- include _keys
-- include _now
-- include _push
-- include _locks
local lock, fence, locks = KEYS[1], KEYS[2], KEYS[3]
local resource, holder, request = ARGV[2], ARGV[3], ARGV[4]
local lease_ms, max_ms, host, pid, job = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7], ARGV[8], ARGV[9]

local held = redis.call("HMGET", lock, "execution", "token")
if held[1] == request then
  return held[2]
end
if held[2] then
  return nil
end
return take_lock(lock, fence, locks, resource, lease_ms, max_ms,
  {"holder", holder, "execution", request, "job", job, "worker", "", "queue", "", "attempt", "",
    "host", host, "pid", pid})
