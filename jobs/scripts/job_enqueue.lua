--[[
Write a new job and put it on its queue, or on the schedule, in one step. Repeated after a lost answer it changes nothing.

KEYS[1] job        hash
KEYS[2] queues     set
KEYS[3] queue      list
KEYS[4] wake       list
KEYS[5] scheduled  zset
KEYS[6] counts     hash
KEYS[7] unique     string; only with ARGV[4]
ARGV[1] job id
ARGV[2] queue name
ARGV[3] delay, in milliseconds; 0 for now
ARGV[4] "" always; "queued" unless one for the same key waits; "active" unless one waits or runs
ARGV[5…] fields and values of the job's hash

Returns the id of the job that stands for the call: this one, or the one that is there already.
]]
-- include _keys
-- include _now
-- include _rq_time
-- include _push
local job, queues, queue, wake, scheduled, counts, unique = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local id, queue_name, delay_ms, once = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local DAY_S = 86400

if redis.call("EXISTS", job) == 1 then
  return id
end
if once ~= "" then
  local standing = redis.call("GET", unique)
  local status = standing and redis.call("HGET", prefix.job .. standing, "status")
  if status == "queued" or status == "scheduled" or (status == "started" and once == "active") then
    return standing
  end
  redis.call("SET", unique, id, "EX", DAY_S)
end

redis.call("SADD", queues, queue)
redis.call("HSET", job, "created_at", rq_time(), "origin", queue_name, unpack(ARGV, 5))
redis.call("HINCRBY", counts, "enqueued", 1)
if delay_ms > 0 then
  redis.call("HSET", job, "status", "scheduled")
  redis.call("ZADD", scheduled, string.format("%.3f", now_s + delay_ms / 1000), id)
else
  redis.call("HSET", job, "status", "queued", "enqueued_at", rq_time())
  push(queue, wake, id, false)
end
return id
