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
look_up(flight)
if flight.before == why then
  return 1
end
if not leave_flight(flight) then
  return 0
end
restore_retries(flight, flight.left)
let_go(flight)
commit(flight, why)
record_attempt(flight, why, text)
bury(flight, KEYS[14], why, text, ARGV[11], {})
return 1
