--[[
Take all jobs that wait on a queue off it, at once: the list is put aside, and what is enqueued from now on stays.
Repeated it answers the same.

KEYS[1] queue      list
KEYS[2] emptied    list; where it is put aside
KEYS[3] emptyings  hash: what has been put aside, by id
KEYS[4] queues     set
KEYS[5] events     stream
ARGV[1] emptying id
ARGV[2] queue name
ARGV[3] who
ARGV[4] 1 if the settings name the queue

Returns {how many were on it, the time in milliseconds}; {-1, 0} when nobody knows of such a queue.
]]
-- include _now
-- include _notes
local queue, emptied, emptyings, queues, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local emptying, queue_name, by, in_settings = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

if in_settings ~= "1" and redis.call("SISMEMBER", queues, queue) == 0 then
  return {-1, 0}
end
local known = redis.call("HGET", emptyings, emptying)
if known then
  return cjson.decode(known)
end
local waiting = redis.call("LLEN", queue)
redis.call("HSET", emptyings, emptying, cjson.encode({waiting, now_ms}))
if waiting > 0 then
  redis.call("RENAME", queue, emptied)
end
tell(events, "emptied", "", "", queue_name, queue_name .. " by " .. by)
return {waiting, now_ms}
