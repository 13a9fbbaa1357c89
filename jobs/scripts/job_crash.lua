--[[
End an attempt whose horse ended without a word. It costs no attempt but is counted.

KEYS[1…13] the execution's keys (_flight)
ARGV[1…8]  the execution's words (_flight)
ARGV[9] most crashes a job may have
ARGV[10] what is known of the end
ARGV[11] the same, as RQ encodes a traceback

Returns 1 it is back on its queue; 2 it is a dead letter; 3 it gave way to a newer call (_unique); 0 the claim is
another's and nothing was changed.
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
-- include _crash
local ANSWERS = {crashed = 1, dead = 2, ["gave way"] = 3}
local flight = given_flight()
look_up(flight)
if flight.before then
  return ANSWERS[flight.before] or 0
end
if not leave_flight(flight) then
  return 0
end
return ANSWERS[crash(flight, tonumber(ARGV[9]), ARGV[10], ARGV[11], false, {})]
