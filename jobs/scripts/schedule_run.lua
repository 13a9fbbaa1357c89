--[[
Put a scheduled job on its queue before its time: a compare and move, so that it runs once.

KEYS[1] job       hash; it names its queue
KEYS[2] timeline  list
KEYS[3] queues    set
KEYS[4] events    stream
ARGV[1] job id
ARGV[2] who
ARGV[3] when it was due, as the person saw it, in milliseconds
ARGV[4] 0; 1 when it is sent again because its answer was lost

Returns 1 it is on its queue; 0 it is not scheduled any more; -1 it was given another time since; -2 it has a rate limit,
which only RQ's own scheduler minds; -3 it is due, and RQ's own scheduler is about to move it.
]]
-- include _keys
-- include _now
-- include _rq_time
-- include _notes
-- include _push
local job, timeline, queues, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, by, due_ms, again = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]

local known = redis.call("HMGET", job, "origin", "m_state", "rate_limit_key", "enqueue_at_front", "m_name", "m_run_by")
local queue = known[1] or ""
local due_s = tonumber(redis.call("ZSCORE", prefix.scheduled .. queue, id))
if not due_s or known[2] == "parked" then
  return again == "1" and known[6] == by and 1 or 0
end
if math.abs(due_s * 1000 - due_ms) >= 2 then
  return -1
end
if known[3] and known[3] ~= "" then
  return -2
end
local mover = redis.call("GET", prefix.scheduler_lock .. queue)
if due_s <= now_s and mover and string.sub(mover, 1, 7) ~= "mandor:" then
  return -3
end
redis.call("ZREM", prefix.scheduled .. queue, id)
redis.call("HSET", job, "status", "queued", "enqueued_at", rq_time(), "m_state", "", "m_run_by", by)
redis.call("SADD", queues, prefix.queue .. queue)
note(timeline, "run by hand", {by = by})
push(prefix.queue .. queue, prefix.wake .. queue, id, known[4] == "1")
tell(events, "run by hand", id, known[5] or "", queue, by)
return 1
