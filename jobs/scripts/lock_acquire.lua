--[[
Take a free lock and hand its new holder the next fencing token. The same request repeated gets the same token.
One that waits is put in line, and kept there by repeating the request.

KEYS[1] lock     hash; expires with the lease
KEYS[2] waiters  zset of who waits, by the time each came
KEYS[3] beats    zset of who waits here, by the end of its heartbeat
ARGV[1] resource
ARGV[2] holder
ARGV[3] request, unique to the hold
ARGV[4] lease, in milliseconds
ARGV[5] longest duration, in milliseconds
ARGV[6] host
ARGV[7] process id
ARGV[8] thread
ARGV[9] job id, or empty
ARGV[10] the waiter's name, which starts with hold:, or empty for one that does not wait

Returns the fencing token; or, while the lock is held, minus the milliseconds until it may be free by itself.
]]
-- include _keys
-- include _now
-- include _locks
local lock, waiters, beats = KEYS[1], KEYS[2], KEYS[3]
local resource, holder, request = ARGV[1], ARGV[2], ARGV[3]
local lease_ms, max_ms, host, pid, thread, job = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local waiter = ARGV[10]
local BEAT_MS = 1500

local held = redis.call("HMGET", lock, "execution", "token")
if held[1] == request then
  return held[2]
end
if not held[2] and not is_reserved(resource, waiter) then
  return take_lock(resource, waiter, lease_ms, max_ms,
    {"holder", holder, "execution", request, "job", job, "host", host, "pid", pid, "thread", thread})
end
if waiter ~= "" then
  redis.call("ZADD", waiters, "NX", string.format("%.3f", now_us / 1000), waiter)
  redis.call("ZADD", beats, now_ms + BEAT_MS, waiter)
  redis.call("EXPIRE", beats, 10)
end
local left_ms = math.max(redis.call("PTTL", lock), redis.call("PTTL", prefix.reserved .. resource))
return -math.max(1, left_ms)
