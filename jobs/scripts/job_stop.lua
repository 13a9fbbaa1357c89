--[[
Ask the worker of one execution to stop it, by RQ's own channel of commands. The worker then files the job as stopped.

KEYS[1] started    zset, RQ's registry
KEYS[2] execution  hash
KEYS[3] timeline   list
KEYS[4] events     stream
ARGV[1] job id
ARGV[2] execution id
ARGV[3] who asks
ARGV[4] queue name

Returns 1 asked; 0 this execution is over; -1 no worker listens for it.
]]
-- include _keys
-- include _now
-- include _notes
local started, execution, timeline, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, execution_id, by, queue = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

if not redis.call("ZSCORE", started, id .. ":" .. execution_id) then
  return 0
end
local known = redis.call("HMGET", execution, "worker_name", "m_name")
local command = cjson.encode({command = "stop-execution", job_id = id, execution_id = execution_id})
if not known[1] or redis.call("PUBLISH", prefix.commands .. known[1], command) == 0 then
  return -1
end
if redis.call("HSETNX", execution, "m_stop", by) == 1 then
  note(timeline, "stop asked", {by = by, worker = known[1]})
  tell(events, "stop asked", id, known[2] or "", queue, by)
end
return 1
