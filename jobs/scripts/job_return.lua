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
look_up(flight)
if flight.before == "returned" then
  return 1
end
if not leave_flight(flight) then
  return 0
end
restore_retries(flight, flight.left)
let_go(flight)
commit(flight, "returned")
note_end(flight, {{"returned", {worker = flight.worker_name}}})
record_attempt(flight, "returned")
requeue(flight, true)
return 1
