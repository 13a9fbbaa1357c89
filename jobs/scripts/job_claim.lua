--[[
Take the first runnable job of a worker's queues: from the queue into flight, with its resource's lock, in one step.
Jobs whose resource is held are parked on the way; lapsed claims are taken back first.

KEYS[1] suspended          RQ's own switch: while it exists nobody takes anything
KEYS[2] worker             hash
KEYS[3] worker_executions  set
KEYS[4] events             stream
KEYS[5…] for each queue: queue list, started zset, paused hash
ARGV[1] worker name
ARGV[2] execution id       starts with m
ARGV[3] visibility timeout, in milliseconds
ARGV[4] life of the worker's record, in seconds
ARGV[5] most crashes a job may have
ARGV[6] host
ARGV[7] process id
ARGV[8…] queue names, in order of preference

Returns {lapsed claims taken back, jobs parked, claim}: of the first each {job id, queue, worker, "crashed" or "dead"}, of
the second each {job id, queue, resource}; the claim is {job id, queue name, token, generation, attempt, the job's hash as
a flat list} or an empty list.
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
-- include _park
-- include _cache_entries
local suspended, worker, worker_executions, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local worker_name, execution_id = ARGV[1], ARGV[2]
local visibility_ms, worker_ttl_s, max_crashes = tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local host, pid = ARGV[6], ARGV[7]
local FIRST_QUEUE, MOST_SKIPPED, DAY_MS = 7, 20, 86400000

-- An id may stand on a queue although its job cannot run: deleted, pushed twice, ended by somebody else.
local function runnable(id, status, started)
  if status == "queued" or status == "scheduled" or status == "deferred" then
    return true
  end
  if status == "started" then
    for _, execution in ipairs(redis.call("ZRANGE", prefix.executions .. id, 0, -1)) do
      if redis.call("ZSCORE", started, id .. ":" .. execution) then
        return false
      end
    end
    return true
  end
  return false
end

local function begin_refresh(cache, token)
  local generation = begin_generation(cache)
  local marker = prefix.refreshing .. cache
  redis.call("DEL", marker)
  redis.call("HSET", marker, "by", "", "since", now_ms, "token", token, "generation", generation)
  redis.call("PEXPIRE", marker, visibility_ms)
  return generation
end

local function take(id, queue_name, started, known)
  local member = id .. ":" .. execution_id
  local execution = prefix.execution .. member
  local attempt = (tonumber(known.failures) or 0) + 1
  local deadline_s = now_s + visibility_ms / 1000 + 60
  local token, generation = "", ""
  if known.resource then
    local max_ms = (tonumber(known.timeout) or 180) * 1000
    if not (max_ms > 0 and max_ms < DAY_MS) then
      max_ms = DAY_MS -- RQ's -1 is for ever
    end
    token = take_lock(known.resource, id, visibility_ms, max_ms, {"holder", worker_name, "job", id, "execution", execution_id, "worker", worker_name,
        "queue", queue_name, "attempt", attempt, "host", host, "pid", pid})
  end
  if known.cache then
    generation = begin_refresh(known.cache, token)
    redis.call("HSET", prefix.refreshing .. known.cache, "by", id)
  end
  redis.call("ZADD", started, string.format("%.3f", deadline_s), member)
  redis.call("HSET", execution, "id", execution_id, "job_id", id, "created_at", string.format("%.6f", now_s),
    "last_heartbeat", string.format("%.6f", now_s), "worker_name", worker_name, "m_name", known.name or "",
    "m_attempt", attempt, "m_resource", known.resource or "", "m_token", token, "m_generation", generation)
  redis.call("PEXPIRE", execution, visibility_ms + 120000)
  redis.call("ZADD", prefix.executions .. id, string.format("%.3f", deadline_s + 60), execution_id)
  redis.call("PEXPIRE", prefix.executions .. id, visibility_ms + 120000)
  redis.call("SADD", worker_executions, member)
  redis.call("EXPIRE", worker_executions, worker_ttl_s)
  redis.call("HSET", prefix.job .. id, "status", "started", "started_at", rq_time(), "last_heartbeat", rq_time(),
    "worker_name", worker_name, "m_left", known.left or "", "retries_left", (tonumber(known.left) or 0) + 1,
    "m_started", now_ms)
  redis.call("HDEL", prefix.job .. id, "m_parked", "m_parks", "m_state", "ended_at", "m_died", "m_ended")
  redis.call("PERSIST", prefix.job .. id)
  redis.call("HSET", worker, "state", "busy", "last_heartbeat", rq_time(), "m_claim", queue_name .. " " .. member)
  redis.call("EXPIRE", worker, worker_ttl_s)
  note(prefix.timeline .. id, "taken", {worker = worker_name, attempt = attempt})
  if known.resource then
    note(prefix.timeline .. id, "lock acquired", {resource = known.resource, token = token})
  end
  return {id, queue_name, token, generation, attempt, redis.call("HGETALL", prefix.job .. id)}
end

-- The claim that this very request made before, when only its answer was lost.
local function repeated()
  local queue_name, member = string.match(redis.call("HGET", worker, "m_claim") or "", "^(.*) (.*)$")
  local known = member and redis.call("HMGET", prefix.execution .. member, "id", "job_id", "m_token", "m_generation", "m_attempt")
  if known and known[1] == execution_id then
    return {known[2], queue_name, known[3], known[4], tonumber(known[5]), redis.call("HGETALL", prefix.job .. known[2])}
  end
  return nil
end

local swept, busy = {}, {}
local again = repeated()
if again then
  return {swept, busy, again}
end
if redis.call("EXISTS", suspended) == 1 then
  return {swept, busy, {}}
end
if may_reclaim() then
  for i = FIRST_QUEUE + 1, #ARGV do
    reclaim(ARGV[i], max_crashes, swept)
  end
end

-- One look at the first job of a queue: a claim, or nil when it was dropped or parked.
local function look(id, queue_name, started)
  local fields = redis.call("HMGET", prefix.job .. id, "status", "m_resource", "m_cache", "timeout", "retries_left",
    "m_failures", "m_name")
  local known = {resource = fields[2], cache = fields[3], timeout = fields[4], left = fields[5],
    failures = fields[6], name = fields[7]}
  if not runnable(id, fields[1], started) then
    tell(events, "dropped", id, known.name or "", queue_name, "On the queue, but " .. (fields[1] or "without a record"))
  elseif known.resource and not is_free(known.resource, id) then
    park(id, queue_name, known.resource)
    busy[#busy + 1] = {id, queue_name, known.resource}
  else
    return take(id, queue_name, started, known)
  end
end

local skipped = 0
for i = FIRST_QUEUE + 1, #ARGV do
  local queue_name, at = ARGV[i], 5 + (i - FIRST_QUEUE - 1) * 3
  local queue, started, paused = KEYS[at], KEYS[at + 1], KEYS[at + 2]
  local closed = redis.call("EXISTS", paused) == 1
  while not closed and skipped < MOST_SKIPPED do
    local id = redis.pcall("LPOP", queue)
    if type(id) ~= "string" then
      break
    end
    local claim = attempt(id, queue_name, function() return look(id, queue_name, started) end)
    if claim then
      return {swept, busy, claim}
    end
    redis.call("ZREM", started, id .. ":" .. execution_id)
    skipped = skipped + 1
  end
end
return {swept, busy, {}}
