--[[
Write a new job and put it on its queue, or on the schedule, in one step. Repeated after a lost answer it changes nothing.

KEYS[1] job         hash
KEYS[2] queues      set
KEYS[3] queue       list
KEYS[4] wake        list
KEYS[5] scheduled   zset
KEYS[6] counts      hash
KEYS[7] unique      string, "<newest job of the key> <the one before it>"; only with ARGV[4]
KEYS[8] refreshing  hash; only with ARGV[4] refresh
ARGV[1] job id
ARGV[2] queue name
ARGV[3] delay, in milliseconds; 0 for now
ARGV[4] when another stands for the call: "" never; "queued" one that waits; "keep-latest" one that waits, and takes over
        these arguments; "refresh" one that waits, that is at the entry, or that died a moment ago
ARGV[5] how long a moment is, in milliseconds
ARGV[6…] fields and values of the job's hash

Returns {the id of the job that stands for the call, its status, its error if it died}.
]]
-- include _keys
-- include _now
-- include _rq_time
-- include _notes
-- include _push
-- include _upkeep_wake
-- include _waits
local job, queues, queue, wake, scheduled, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local unique, refreshing = KEYS[7], KEYS[8]
local id, queue_name, delay_ms, once, moment_ms = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local DAY_S, FIRST_FIELD = 86400, 6
local OF_ARGUMENTS = {data = true, description = true, m_from = true}

local function due_s()
  return string.format("%.3f", now_s + delay_ms / 1000)
end

local function put_on_queue(job_id)
  redis.call("HSET", prefix.job .. job_id, "status", "queued", "enqueued_at", rq_time())
  push(queue, wake, job_id, false)
end

-- A job of the key as its own record describes it. It is believed only as long as that says so.
local function look_at(job_id)
  local known = redis.call("HMGET", prefix.job .. job_id, "status", "m_state", "m_died", "m_error", "origin")
  local status = known[1] or ""
  local found = {id = job_id, status = status, state = known[2] or "", error = "",
    waits = waits(job_id, status, known[5] or ""), runs = status == "started"}
  found.stands = found.waits
  if once == "refresh" and found.runs then
    found.stands = redis.call("HGET", refreshing, "by") == job_id
  elseif once == "refresh" and status == "failed" then
    found.stands = now_ms - (tonumber(known[3]) or 0) < moment_ms
    found.error = known[4] or ""
  end
  return found
end

-- Returns the job that stands for the call, or nil, and the one that runs. The one before the newest counts again when
-- the newest was discarded while it waited.
local function find_standing()
  local running
  for job_id in string.gmatch(redis.call("GET", unique) or "", "%S+") do
    local found = look_at(job_id)
    if found.stands then
      return found
    end
    running = running or (found.runs and job_id)
  end
  return nil, running
end

-- The job that waits gets the newest arguments and keeps its id, its place, its attempts and its retry's time.
local function replace_arguments(standing)
  local record, from = prefix.job .. standing.id, nil
  redis.call("HDEL", record, "m_from")
  for i = FIRST_FIELD, #ARGV, 2 do
    if OF_ARGUMENTS[ARGV[i]] then
      redis.call("HSET", record, ARGV[i], ARGV[i + 1])
    end
    if ARGV[i] == "m_from" then
      from = ARGV[i + 1]
    end
  end
  note(prefix.timeline .. standing.id, "replaced", {from = from})
end

-- One that was scheduled for later is due when the sooner of both calls is. A foreign scheduler may be just moving it.
local function hasten(standing)
  local mover = redis.call("GET", prefix.scheduler_lock .. queue_name)
  if standing.status ~= "scheduled" or standing.state ~= "" or (mover and string.sub(mover, 1, 7) ~= "mandor:") then
    return
  end
  if delay_ms > 0 then
    redis.call("ZADD", scheduled, "XX", "LT", due_s(), standing.id)
    wake_upkeep(delay_ms)
  elseif redis.call("ZREM", scheduled, standing.id) == 1 then
    put_on_queue(standing.id)
    standing.status = "queued"
  end
end

local known = redis.call("HGET", job, "status")
if known then
  return {id, known, ""}
end
if once ~= "" then
  local standing, running = find_standing()
  if standing then
    if standing.waits then
      hasten(standing)
      if once == "keep-latest" then
        replace_arguments(standing)
      end
    end
    return {standing.id, standing.status, standing.error}
  end
  redis.call("SET", unique, id .. " " .. (running or ""), "EX", DAY_S + math.ceil(delay_ms / 1000))
end

redis.call("SADD", queues, queue)
redis.call("HSET", job, "created_at", rq_time(), "origin", queue_name, unpack(ARGV, FIRST_FIELD))
redis.call("HINCRBY", counts, "enqueued", 1)
if delay_ms == 0 then
  put_on_queue(id)
  return {id, "queued", ""}
end
redis.call("HSET", job, "status", "scheduled")
redis.call("ZADD", scheduled, due_s(), id)
wake_upkeep(delay_ms)
return {id, "scheduled", ""}
