--[[
Ask a worker to end after its current job, by RQ's own channel of commands, once: a second command would kill its job.

KEYS[1] worker    hash
KEYS[2] commands  channel
KEYS[3] events    stream
ARGV[1] worker name
ARGV[2] the command, as RQ writes it
ARGV[3] who
ARGV[4] 0; 1 when it is sent again because its answer was lost

Returns 1 it has been told; 0 it is stopping already; -1 it has ended, or never was; -2 it does not listen.
]]
-- include _now
-- include _notes
local worker, commands, events = KEYS[1], KEYS[2], KEYS[3]
local name, command, by, again = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local known = redis.call("HMGET", worker, "m_stopping", "m_stopper", "shutdown_requested_date", "death")
if redis.call("EXISTS", worker) == 0 or known[4] then
  return -1
end
if known[1] or known[3] then
  return again == "1" and known[2] == by and 1 or 0
end
if redis.call("PUBLISH", commands, command) == 0 then
  return -2
end
redis.call("HSET", worker, "m_stopping", now_ms, "m_stopper", by)
tell(events, "stopping", "", "", "", name .. " by " .. by)
return 1
