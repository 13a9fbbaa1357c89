--[[
Send a job back that its worker will not finish because it must end: first in its queue, with no attempt counted.

KEYS[1…13] the execution's keys (_flight)
ARGV[1…8]  the execution's words (_flight)

Returns 1 it is back on its queue; 0 the claim is another's and nothing was changed.
]]
-- include _keys
-- include _now
-- include _notes
-- include _push
-- include _locks
-- include _lock_ends
-- include _flight
local flight = given_flight()
if committed(flight) == "returned" then
  return 1
end
if not leave_flight(flight) then
  return 0
end
local began = redis.call("HMGET", flight.job, "m_started", "m_left")
restore_retries(flight, began[2])
let_go(flight)
commit(flight, "returned")
note(flight.timeline, "returned", {worker = flight.worker_name})
note_attempt(flight.attempts, {number = tonumber(flight.attempt), worker = flight.worker_name,
  started = tonumber(began[1]), ended = now_ms, outcome = "returned"})
requeue(flight, true)
return 1
