--[[
Put a dead letter back on its queue with all its attempts before it: a compare and move, so that it runs once.

KEYS[1] job       hash
KEYS[2] failed    zset, RQ's registry
KEYS[3] queue     list
KEYS[4] wake      list
KEYS[5] timeline  list
KEYS[6] attempts  list
KEYS[7] events    stream
KEYS[8] results   stream
KEYS[9] queues    set
ARGV[1] job id
ARGV[2] queue name
ARGV[3] who retries it
ARGV[4] when it died, as the person saw it; empty to retry whatever is there

Returns 1 retried; 0 it is no dead letter; -1 it died again since; -2 its record is gone.
]]
-- include _now
-- include _rq_time
-- include _notes
-- include _push
local job, failed, queue, wake, timeline, attempts, events, results, queues =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local id, queue_name, by, died = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

if not redis.call("ZSCORE", failed, id) then
  return 0
end
local known = redis.call("HMGET", job, "status", "m_died", "ended_at", "m_retries", "m_name")
if not known[1] then
  return -2
end
if known[1] ~= "failed" and known[1] ~= "stopped" then
  return 0
end
if died ~= "" and died ~= (known[2] or known[3] or "") then
  return -1
end
redis.call("ZREM", failed, id)
redis.call("HSET", job, "status", "queued", "enqueued_at", rq_time(), "m_failures", 0, "m_crashes", 0)
if known[4] then
  redis.call("HSET", job, "retries_left", known[4])
end
redis.call("HDEL", job, "m_died", "m_ended", "m_error", "m_state", "m_parked", "m_parks", "started_at", "ended_at", "worker_name")
redis.call("PERSIST", job)
redis.call("PERSIST", results)
note(timeline, "retried by hand", {by = by})
redis.call("EXPIRE", attempts, WEEK_S)
redis.call("SADD", queues, queue)
push(queue, wake, id, false)
tell(events, "retried by hand", id, known[5] or "", queue_name, by)
return 1
