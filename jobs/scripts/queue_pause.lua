--[[
Pause a queue: from now on no worker takes a job from it. Repeated by the same person it answers the same.

KEYS[1] paused  hash
KEYS[2] queues  set
KEYS[3] events  stream
ARGV[1] queue name
ARGV[2] queue key, as it stands in the set
ARGV[3] who
ARGV[4] 1 if the settings name the queue

Returns 1 paused; 0 somebody else had paused it already; -1 nobody knows of such a queue.
]]
-- include _now
-- include _notes
local paused, queues, events = KEYS[1], KEYS[2], KEYS[3]
local queue_name, queue, by, in_settings = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

if in_settings ~= "1" and redis.call("SISMEMBER", queues, queue) == 0 then
  return -1
end
if redis.call("EXISTS", paused) == 1 then
  return redis.call("HGET", paused, "by") == by and 1 or 0
end
redis.call("HSET", paused, "by", by, "at", now_ms)
tell(events, "paused", "", "", queue_name, queue_name .. " by " .. by)
return 1
