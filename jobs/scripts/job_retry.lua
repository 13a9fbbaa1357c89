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
ARGV[3] what the person saw of it (_seen); empty to retry whatever is there
ARGV[4] request; the same one repeated gets the same answer

Returns 1 retried; 0 it is no dead letter; -1 it died again since it was seen; -2 its record is gone.
]]
-- include _keys
-- include _now
-- include _rq_time
-- include _notes
-- include _push
-- include _seen
local job, timeline, attempts, results, queues, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local id, by, seen, request = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local record = look_at(job)
local status, queue = record.status, record.origin
if status == "" or queue == "" then
  return -2
end
local known = redis.call("HMGET", job, "m_retried", "m_retries")
if known[1] == request then
  return 1
end
local failed = prefix.failed .. queue
if not redis.call("ZSCORE", failed, id) or (status ~= "failed" and status ~= "stopped") then
  return 0
end
if seen ~= "" and seen ~= seen_token(record) then
  return -1
end
redis.call("ZREM", failed, id)
redis.call("HSET", job, "status", "queued", "enqueued_at", rq_time(), "m_failures", 0, "m_crashes", 0, "m_retried", request)
if known[2] then
  redis.call("HSET", job, "retries_left", known[2])
end
redis.call("HDEL", job, "m_died", "m_ended", "m_error", "m_state", "m_parked", "m_parks", "m_woken", "started_at", "ended_at", "worker_name")
redis.call("PERSIST", job)
redis.call("PERSIST", results)
note(timeline, "retried by hand", {by = by})
redis.call("EXPIRE", attempts, WEEK_S)
redis.call("SADD", queues, prefix.queue .. queue)
push(prefix.queue .. queue, prefix.wake .. queue, id, false)
tell(events, "retried by hand", id, record.name, queue, by)
return 1
