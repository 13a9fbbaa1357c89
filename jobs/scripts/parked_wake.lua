--[[
Wake the first waiter of every resource that is free and that a parked job of one queue waits for: while the queue was
paused its jobs were passed over. Looks at a bounded stretch of a registry whose first entries are the parked jobs.

KEYS[1] registry  zset: ids by their time, in seconds
ARGV[1] entries to pass over
ARGV[2] entries to look at
ARGV[3] how far ahead of now a parked job's time may be, in seconds

Returns how many entries to pass over next; -1 when the end was reached.
]]
-- include _keys
-- include _now
-- include _push
-- include _locks
-- include _lock_ends
local registry, skipped, span, ahead_s = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local ids = redis.call("ZRANGEBYSCORE", registry, "-inf", now_s + ahead_s, "LIMIT", skipped, span)
for _, id in ipairs(ids) do
  local job = redis.pcall("HMGET", prefix.job .. id, "m_state", "m_resource")
  if job[1] == "parked" and job[2] and is_free(job[2], "") then
    wake_waiter(job[2])
  end
end
for _, id in ipairs(ids) do
  if redis.call("ZSCORE", registry, id) then
    skipped = skipped + 1
  end
end
return #ids < span and -1 or skipped
