--[[
After RQ's own code ended an execution (callbacks, dependents, groups and the like): free what Mandor added to it.

KEYS[1…13] the execution's keys (_flight)
ARGV[1…8]  the execution's words (_flight)

Returns the job's status.
]]
-- include _keys
-- include _now
-- include _notes
-- include _push
-- include _locks
-- include _lock_ends
-- include _flight
local flight = given_flight()
local status = redis.call("HGET", flight.job, "status") or ""
if committed(flight) then
  return status
end
let_go(flight)
redis.call("HDEL", flight.job, "m_left")
if status ~= "" then
  commit(flight, "settled")
end
local counted = status == "finished" and "finished" or "failed"
redis.call("HINCRBY", flight.counts, counted, 1)
if status == "failed" then
  redis.call("HINCRBY", flight.counts, "dead", 1)
end
return status
