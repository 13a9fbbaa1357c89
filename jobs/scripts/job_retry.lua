--[[
Put a dead letter back on its queue with all its attempts before it: a compare and move, so that it runs once.

KEYS[1] job       hash; it names its queue
KEYS[2] timeline  list
KEYS[3] attempts  list
KEYS[4] results   stream
KEYS[5] queues    set
KEYS[6] events    stream
ARGV[1] job id
ARGV[2] who retries it
ARGV[3] when it died, as the person saw it; empty to retry whatever is there
ARGV[4] request; the same one repeated gets the same answer

Returns 1 retried; 0 it is no dead letter; -1 it died again since; -2 its record is gone.
]]
-- include _keys
-- include _now
-- include _rq_time
-- include _notes
-- include _push
local job, timeline, attempts, results, queues, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local id, by, died, request = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local known = redis.call("HMGET", job, "status", "m_died", "ended_at", "m_retries", "m_name", "origin", "m_retried")
local queue = known[6]
if not known[1] or not queue then
  return -2
end
if known[7] == request then
  return 1
end
local failed = prefix.failed .. queue
if not redis.call("ZSCORE", failed, id) or (known[1] ~= "failed" and known[1] ~= "stopped") then
  return 0
end
if died ~= "" and died ~= (known[2] or known[3] or "") then
  return -1
end
redis.call("ZREM", failed, id)
redis.call("HSET", job, "status", "queued", "enqueued_at", rq_time(), "m_failures", 0, "m_crashes", 0, "m_retried", request)
if known[4] then
  redis.call("HSET", job, "retries_left", known[4])
end
redis.call("HDEL", job, "m_died", "m_ended", "m_error", "m_state", "m_parked", "m_parks", "started_at", "ended_at", "worker_name")
redis.call("PERSIST", job)
redis.call("PERSIST", results)
note(timeline, "retried by hand", {by = by})
redis.call("EXPIRE", attempts, WEEK_S)
redis.call("SADD", queues, prefix.queue .. queue)
push(prefix.queue .. queue, prefix.wake .. queue, id, false)
tell(events, "retried by hand", id, known[5] or "", queue, by)
return 1
