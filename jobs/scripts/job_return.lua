--[[
Send a job back that its worker will not finish because it must end: first in its queue, with no attempt counted.

KEYS[1…13] the execution's keys (_flight)
ARGV[1…8]  the execution's words (_flight)

Returns 1 it is back on its queue; 3 it gave way to a newer call (_unique); 0 the claim is another's and nothing was changed.
]]
-- include _keys
-- include _now
-- include _rq_time
-- include _notes
-- include _push
-- include _locks
-- include _lock_ends
-- include _flight
-- include _unique
local flight = given_flight()
look_up(flight)
if flight.before then
  return flight.before == "returned" and 1 or flight.before == "gave way" and 3 or 0
end
if not leave_flight(flight) then
  return 0
end
restore_retries(flight, flight.left)
let_go(flight)
record_attempt(flight, "returned")
local steps = {{"returned", {worker = flight.worker_name}}}
if gives_way(flight, steps) then
  return 3
end
commit(flight, "returned")
note_end(flight, steps)
requeue(flight, true)
return 1
