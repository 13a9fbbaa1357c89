--[[
Remove the parked jobs of a queue that were parked up to a moment. Looks at a bounded stretch of a registry whose first
entries are the parked jobs.

KEYS[1] registry  zset: ids by their time, in seconds
ARGV[1] entries to pass over
ARGV[2] entries to look at
ARGV[3] how far ahead of now a parked job's time may be, in seconds
ARGV[4] the moment, in milliseconds

Returns {how many were removed, how many entries to pass over next or -1 when the end was reached}.
]]
-- include _keys
-- include _now
-- include _push
-- include _locks
-- include _lock_ends
-- include _forget
local registry, skipped, span = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local ahead_s, until_ms = tonumber(ARGV[3]), tonumber(ARGV[4])
local removed = 0

local ids = redis.call("ZRANGEBYSCORE", registry, "-inf", now_s + ahead_s, "LIMIT", skipped, span)
for _, id in ipairs(ids) do
  local job = redis.pcall("HMGET", prefix.job .. id, "m_state", "m_parked", "m_resource")
  if job[1] == "parked" and (tonumber(job[2]) or 0) < until_ms + 1 and redis.call("ZREM", registry, id) == 1 then
    forget(id, job[3])
    removed = removed + 1
  end
end
return {removed, #ids < span and -1 or skipped + #ids - removed}
