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
look_up(flight)
if flight.before then
  return status
end
let_go(flight)
if status ~= "" then
  commit(flight, "settled")
  note_end(flight, {status == "finished" and {"finished", {took = flight.took}}
    or {"failed", {attempt = tonumber(flight.attempt), error = flight.error}}})
end
local counted = status == "finished" and "finished" or "failed"
redis.call("HINCRBY", flight.counts, counted, 1)
if status == "failed" then
  redis.call("HINCRBY", flight.counts, "dead", 1)
end
return status
