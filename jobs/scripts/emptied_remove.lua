--[[
Remove some of the jobs that were put aside when a queue was emptied, with all that is kept about them. A job that no
longer waits, such as one that was pushed twice and is in flight, keeps its record.

KEYS[1] emptied    list
KEYS[2] emptyings  hash
ARGV[1] emptying id
ARGV[2] most jobs to remove

Returns how many are left.
]]
-- include _keys
-- include _now
-- include _push
-- include _locks
-- include _lock_ends
-- include _forget
local emptied, emptyings = KEYS[1], KEYS[2]
local emptying, limit = ARGV[1], ARGV[2]
local WAITS = {queued = true, scheduled = true, deferred = true, ready_to_enqueue = true}

for _, id in ipairs(redis.call("LPOP", emptied, limit) or {}) do
  local job = redis.pcall("HMGET", prefix.job .. id, "status", "m_resource")
  if job.err or not job[1] or WAITS[job[1]] then
    forget(id, job[2])
  end
end
local left = redis.call("LLEN", emptied)
if left == 0 then
  redis.call("HDEL", emptyings, emptying)
end
return left
