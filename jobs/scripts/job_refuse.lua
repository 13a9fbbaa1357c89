--[[
Bury a job that this worker will not run (not allowed, not decodable), or that was stopped by a person.

KEYS[1…13] the execution's keys (_flight)
KEYS[14] failed  zset, RQ's registry
ARGV[1…8]  the execution's words (_flight)
ARGV[9] why: refused, or stopped
ARGV[10] what to tell people
ARGV[11] the same, as RQ encodes a traceback

Returns 1 buried; 0 the claim is another's and nothing was changed.
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
local flight = given_flight()
local why, text = ARGV[9], ARGV[10]
if committed(flight) == why then
  return 1
end
if not leave_flight(flight) then
  return 0
end
local began = redis.call("HMGET", flight.job, "m_started", "m_left")
restore_retries(flight, began[2])
let_go(flight)
commit(flight, why)
note_attempt(flight.attempts, {number = tonumber(flight.attempt), worker = flight.worker_name,
  started = tonumber(began[1]), ended = now_ms, outcome = why, error = text})
redis.call("HINCRBY", flight.worker, "failed_job_count", 1)
bury(flight, KEYS[14], why == "stopped" and "stopped" or "failed", why, text, ARGV[11])
return 1
