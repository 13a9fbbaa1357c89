--[[
One round of the upkeep, for its leader: stand for election; if elected, move the jobs that are due onto their queues, and
take back jobs whose claims have lapsed, five at the most. What is wrong with one queue's keys keeps no other from its turn.

KEYS[1] leader     string, who it is
KEYS[2] emptyings  hash, the queues that were emptied and whose jobs' records are still there
ARGV[1] candidate; starts with mandor:, as what is written into RQ's scheduler locks
ARGV[2] term, in milliseconds
ARGV[3] most jobs to move
ARGV[4] most crashes a job may have
ARGV[5…] queue names; the first ones come first where there is more to move than may be

Returns nil when another leads; else {how many were moved, milliseconds until the next is due or -1, how many emptyings
there are, {id, queue} of jobs whose rate limit RQ's own code must mind, {job id, queue, worker, "crashed" or "dead"} of those taken back, {queue, error}
of queues that went wrong}.
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
-- include _broken
-- include _crash
-- include _reclaim
local leader, emptyings = KEYS[1], KEYS[2]
local candidate, term_ms, limit, max_crashes = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local FIRST_QUEUE, SCHEDULER_LOCK_S, MOST_TOKENS, TOKEN_MS = 5, 61, 1000, 2000
local moved, wait_ms, limited, swept, errors = 0, -1, {}, {}, {}
local now_text = rq_time()

-- Writes a due job's record, and puts its id among those for the front or the back of its queue. Returns true if it may
-- leave the registry.
local function ready(id, queue_name, front, back)
  local job = prefix.job .. id
  local known = redis.call("HMGET", job, "status", "enqueue_at_front", "m_state", "enqueue_at_front_on_retry", "ended_at",
    "rate_limit_key")
  if known[6] and known[6] ~= "" then
    limited[#limited + 1] = {id, queue_name}
    return false
  end
  if not known[1] then
    return true
  end
  local parked, has_run = known[3] == "parked", known[5] and known[5] ~= ""
  if parked then
    redis.call("HSET", job, "status", "queued", "m_state", "")
  else
    redis.call("HSET", job, "status", "queued", "m_state", "", "enqueued_at", now_text)
  end
  local first = parked or known[2] == "1" or (known[4] == "1" and has_run)
  table.insert(first and front or back, id)
  return true
end

-- The earliest of those for the front comes to stand first.
local function push_all(queue, front, back)
  if #back > 0 then
    redis.call("RPUSH", queue, unpack(back))
  end
  for i = #front, 1, -1 do
    redis.call("LPUSH", queue, front[i])
  end
end

local function wake_workers(wake, jobs)
  local tokens = {}
  for i = 1, math.min(jobs, MOST_TOKENS) do
    tokens[i] = 1
  end
  if jobs > 0 then
    redis.call("LPUSH", wake, unpack(tokens))
    redis.call("LTRIM", wake, 0, MOST_TOKENS - 1)
    redis.call("PEXPIRE", wake, TOKEN_MS)
  end
end

local function move(registry, queue_name)
  if limit <= 0 then
    wait_ms = 0
    return
  end
  local front, back, gone = {}, {}, {}
  for _, id in ipairs(redis.call("ZRANGEBYSCORE", registry, "-inf", now_s, "LIMIT", 0, limit)) do
    if attempt(id, queue_name, function() return ready(id, queue_name, front, back) end) ~= false then
      gone[#gone + 1] = id
    end
  end
  if #gone > 0 then
    push_all(prefix.queue .. queue_name, front, back)
    redis.call("ZREM", registry, unpack(gone))
    wake_workers(prefix.wake .. queue_name, #front + #back)
    moved, limit = moved + #gone, limit - #gone
  end
end

-- Only who holds RQ's scheduler lock may touch the scheduled registry.
local function move_due(queue_name)
  local scheduled, scheduler_lock = prefix.scheduled .. queue_name, prefix.scheduler_lock .. queue_name
  move(prefix.parked .. queue_name, queue_name)
  local holder = redis.call("GET", scheduler_lock)
  if holder and string.sub(holder, 1, 7) ~= "mandor:" then
    return
  end
  redis.call("SET", scheduler_lock, candidate, "EX", SCHEDULER_LOCK_S)
  move(scheduled, queue_name)
  local first = redis.call("ZRANGE", scheduled, 0, 0, "WITHSCORES")
  if first[2] then
    local first_ms = math.max(0, math.ceil((tonumber(first[2]) - now_s) * 1000))
    wait_ms = wait_ms < 0 and first_ms or math.min(wait_ms, first_ms)
  end
end

local function try(work, queue_name)
  local worked, error = pcall(work, queue_name)
  if not worked then
    errors[#errors + 1] = {queue_name, type(error) == "table" and error.err or tostring(error)}
  end
end

local current = redis.call("GET", leader)
if current and current ~= candidate then
  return nil
end
redis.call("SET", leader, candidate, "PX", term_ms)
local may = may_reclaim()
for i = FIRST_QUEUE, #ARGV do
  try(move_due, ARGV[i])
  if may then
    try(function(queue_name) reclaim(queue_name, max_crashes, swept) end, ARGV[i])
  end
end
return {moved, wait_ms, redis.call("HLEN", emptyings), limited, swept, errors}
