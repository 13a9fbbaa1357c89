--[[
End an attempt that failed: the job waits for its retry, or is a dead letter when it has none left.

KEYS[1…13] the execution's keys (_flight)
KEYS[14] failed     zset, RQ's registry
KEYS[15] scheduled  zset
ARGV[1…8]  the execution's words (_flight)
ARGV[9] outcome: failed, or lost (the lease)
ARGV[10] error, as "Class: message"
ARGV[11] traceback
ARGV[12] traceback, as RQ encodes it
ARGV[13] delay before the retry, in milliseconds; 0 puts it back at once

Returns 1 it will be retried; 2 it is a dead letter; 3 it gave way to a newer call (_unique); 0 the claim is another's and nothing was changed.
]]
-- include _keys
-- include _now
-- include _rq_time
-- include _notes
-- include _push
-- include _locks
-- include _lock_ends
-- include _flight
-- include _bury
-- include _unique
-- include _upkeep_wake
local flight = given_flight()
local failed, scheduled = KEYS[14], KEYS[15]
local outcome, text, traceback, exc, delay_ms = ARGV[9], ARGV[10], ARGV[11], ARGV[12], tonumber(ARGV[13])

look_up(flight)
if flight.before then
  return flight.before == "retried" and 1 or flight.before == "dead" and 2 or flight.before == "gave way" and 3 or 0
end
if not leave_flight(flight) then
  return 0
end

local left = tonumber(flight.left) or 0
let_go(flight)
redis.call("HINCRBY", flight.counts, "failed", 1)
redis.call("HINCRBY", flight.job, "m_failures", 1)
record_attempt(flight, outcome, text, traceback)
local steps = {{"failed", {attempt = tonumber(flight.attempt), error = text}}}
if outcome == "lost" then
  table.insert(steps, 1, {"lease lost", {}})
end

if left < 1 then
  restore_retries(flight, flight.left)
  commit(flight, "dead")
  bury(flight, failed, "failed", text, exc, steps)
  return 2
end

restore_retries(flight, left - 1)
if gives_way(flight, steps) then
  return 3
end
commit(flight, "retried")
redis.call("HSET", flight.job, "m_error", text)
redis.call("HINCRBY", flight.counts, "retried", 1)
tell(flight.events, "retrying", flight.id, flight.name, flight.queue_name, text)
if delay_ms == 0 then
  requeue(flight, redis.call("HGET", flight.job, "enqueue_at_front_on_retry") == "1")
else
  redis.call("HSET", flight.job, "status", "scheduled", "m_state", "retrying", "ended_at", rq_time())
  redis.call("ZADD", scheduled, string.format("%.3f", now_s + delay_ms / 1000), flight.id)
  wake_upkeep(delay_ms)
  steps[#steps + 1] = {"retry due", {due = now_ms + delay_ms}}
end
note_end(flight, steps)
return 1
