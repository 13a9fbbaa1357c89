--[[
Move the jobs of one queue that are due onto it. Only who holds RQ's scheduler lock may touch the scheduled registry.

KEYS[1] scheduled       zset, RQ's registry
KEYS[2] parked          zset
KEYS[3] queue           list
KEYS[4] wake            list
KEYS[5] scheduler_lock  string
ARGV[1] who moves, as written into the scheduler lock; starts with mandor:
ARGV[2] most jobs to move
ARGV[3] queue name

Returns {how many were moved, milliseconds until the next is due or -1, 1 when a foreign scheduler holds the lock,
ids whose rate limit RQ's own code must mind}.
]]
-- include _keys
-- include _now
-- include _rq_time
-- include _notes
-- include _push
-- include _broken
local scheduled, parked, queue, wake, scheduler_lock = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local mover, limit, queue_name = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local LOCK_S = 61
local moved, limited = 0, {}

local function move_one(registry, id)
  local job = prefix.job .. id
  local known = redis.call("HMGET", job, "status", "rate_limit_key", "enqueue_at_front", "m_state",
    "enqueue_at_front_on_retry", "ended_at")
  local has_run = known[6] and known[6] ~= ""
  local at_front = known[3] == "1" or known[4] == "parked" or (known[5] == "1" and has_run)
  if known[2] and known[2] ~= "" then
    limited[#limited + 1] = id
  elseif redis.call("ZREM", registry, id) == 1 and known[1] then
    redis.call("HSET", job, "status", "queued", "m_state", "")
    if known[4] ~= "parked" then
      redis.call("HSET", job, "enqueued_at", rq_time())
    end
    push(queue, wake, id, at_front)
    moved = moved + 1
  end
  return true
end

local function move(registry)
  for _, id in ipairs(redis.call("ZRANGEBYSCORE", registry, "-inf", now_s, "LIMIT", 0, limit)) do
    if not attempt(id, queue_name, function() return move_one(registry, id) end) then
      redis.call("ZREM", registry, id)
    end
  end
end

move(parked)
local holder = redis.call("GET", scheduler_lock)
if holder and string.sub(holder, 1, 7) ~= "mandor:" then
  return {moved, -1, 1, limited}
end
redis.call("SET", scheduler_lock, mover, "EX", LOCK_S)
move(scheduled)
local first = redis.call("ZRANGE", scheduled, 0, 0, "WITHSCORES")
local wait_ms = first[2] and math.max(0, math.ceil((tonumber(first[2]) - now_s) * 1000)) or -1
return {moved, wait_ms, 0, limited}
