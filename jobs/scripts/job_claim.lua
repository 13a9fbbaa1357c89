--[[
Take the first runnable job of a worker's queues: from the queue into flight, with its resource's lock, in one step.
Jobs whose resource is held are parked on the way; lapsed claims are taken back first, when the worker looks around.

KEYS[1] suspended          RQ's own switch: while it exists nobody takes anything
KEYS[2] worker             hash
KEYS[3] worker_executions  set
KEYS[4] events             stream
KEYS[5…] for each queue: queue list, started zset, paused hash, wake list
ARGV[1] worker name
ARGV[2] execution id       starts with m
ARGV[3] 1 when the same request was sent before and its answer may be lost
ARGV[4] memory of the worker, in bytes, when it also shows that it is alive and looks for lapsed claims; else 0
ARGV[5] the worker's state so far, idle or busy; empty when that is not known
ARGV[6] visibility timeout, in milliseconds
ARGV[7] life of the worker's record, in seconds
ARGV[8] most crashes a job may have
ARGV[9] host
ARGV[10] process id
ARGV[11…] queue names, in order of preference

Returns {lapsed claims taken back, jobs parked, claim, 0 if the worker's record was found gone}: of the first each {job id, queue, worker, "crashed" or "dead"}, of
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
local worker_name, execution_id, again, memory = ARGV[1], ARGV[2], ARGV[3] == "1", ARGV[4]
local state, visibility_ms, worker_ttl_s, max_crashes = ARGV[5], tonumber(ARGV[6]), ARGV[7], tonumber(ARGV[8])
local host, pid = ARGV[9], ARGV[10]
local FIRST_KEY, KEYS_EACH, FIRST_NAME, MOST_SKIPPED = 5, 4, 11, 20

local queues = {}
for i = FIRST_NAME, #ARGV do
  local at = FIRST_KEY + (i - FIRST_NAME) * KEYS_EACH
  queues[#queues + 1] = {name = ARGV[i], list = KEYS[at], started = KEYS[at + 1], paused = KEYS[at + 2], wake = KEYS[at + 3]}
end

-- An id may stand on a queue although its job cannot run: deleted, pushed twice, ended by somebody else. A record
-- without a status was pushed by a client that writes none.
local WAITING = {queued = true, scheduled = true, deferred = true, created = true}

local function runnable(id, known, started)
  local status = known.status or (known.data and "created")
  if status ~= "started" then
    return WAITING[status] or false
  end
  for _, execution in ipairs(redis.call("ZRANGE", prefix.executions .. id, 0, -1)) do
    if redis.call("ZSCORE", started, id .. ":" .. execution) then
      return false
    end
  end
  return true
end

local function begin_refresh(cache, id, token)
  local generation, marker = begin_generation(cache), prefix.refreshing .. cache
  redis.call("DEL", marker)
  redis.call("HSET", marker, "by", id, "since", now_ms, "token", token, "generation", generation)
  redis.call("PEXPIRE", marker, visibility_ms)
  return generation
end

local function lock_for(id, queue_name, attempt, known)
  return take_lock(known.m_resource, id, visibility_ms, longest_ms(known.timeout), {"holder", worker_name, "job", id,
    "execution", execution_id, "worker", worker_name, "queue", queue_name, "attempt", attempt, "host", host, "pid", pid})
end

-- What only some jobs have to lose: a parked job its place, a dead letter that runs again its end.
local function forget_past(id, known)
  if known.m_parks or known.m_state or known.m_died or known.ended_at then
    redis.call("HDEL", prefix.job .. id, "m_parked", "m_parks", "m_woken", "m_state", "ended_at", "m_died", "m_ended")
    redis.call("PERSIST", prefix.job .. id)
  elseif known.ttl then
    redis.call("PERSIST", prefix.job .. id)
  end
end

local function take(id, queue, known, record)
  local member = id .. ":" .. execution_id
  local execution, executions = prefix.execution .. member, prefix.executions .. id
  local attempt = (tonumber(known.m_failures) or 0) + 1
  local deadline_s, life_ms = now_s + visibility_ms / 1000 + 60, visibility_ms + 120000
  local token = known.m_resource and lock_for(id, queue.name, attempt, known) or ""
  local generation = known.m_cache and begin_refresh(known.m_cache, id, token) or ""
  redis.call("ZADD", queue.started, string.format("%.3f", deadline_s), member)
  redis.call("HSET", execution, "id", execution_id, "job_id", id, "created_at", string.format("%.6f", now_s),
    "last_heartbeat", string.format("%.6f", now_s), "worker_name", worker_name, "m_name", known.m_name or "",
    "m_attempt", attempt, "m_queue", queue.name, "m_resource", known.m_resource or "", "m_token", token,
    "m_generation", generation)
  redis.call("PEXPIRE", execution, life_ms)
  redis.call("ZADD", executions, string.format("%.3f", deadline_s + 60), execution_id)
  redis.call("PEXPIRE", executions, life_ms)
  redis.call("SADD", worker_executions, member)
  redis.call("EXPIRE", worker_executions, worker_ttl_s)
  local changes = {"status", "started", "started_at", rq_time(), "last_heartbeat", rq_time(), "worker_name", worker_name,
    "m_left", known.retries_left or "", "retries_left", (tonumber(known.retries_left) or 0) + 1,
    "m_started", string.format("%.0f", now_ms)}
  redis.call("HSET", prefix.job .. id, unpack(changes))
  forget_past(id, known)
  for _, part in ipairs(changes) do
    record[#record + 1] = tostring(part)
  end
  return {id, queue.name, token, generation, attempt, record}
end

-- One look at the first job of a queue: a claim, or nil when it was dropped or parked.
local function look(id, queue, busy)
  local record, known = redis.call("HGETALL", prefix.job .. id), {}
  for i = 1, #record, 2 do
    known[record[i]] = record[i + 1]
  end
  local resource = known.m_resource
  if not runnable(id, known, queue.started) then
    tell(events, "dropped", id, known.m_name or "", queue.name, "On the queue, but " .. (known.status or "without a record"))
  elseif resource and not is_free(resource, id) then
    park(id, queue.name, resource)
    busy[#busy + 1] = {id, queue.name, resource}
  else
    return take(id, queue, known, record)
  end
end

-- The claim that this very request made before, when only its answer was lost.
local function claimed_before()
  for _, member in ipairs(redis.call("SMEMBERS", worker_executions)) do
    local id, execution = string.match(member, "^(.*):([^:]*)$")
    if execution == execution_id then
      local known = redis.call("HMGET", prefix.execution .. member, "m_queue", "m_token", "m_generation", "m_attempt")
      return {id, known[1], known[2], known[3], tonumber(known[4]), redis.call("HGETALL", prefix.job .. id)}
    end
  end
  return nil
end

local function closed_queues()
  local switches = {suspended}
  for i, queue in ipairs(queues) do
    switches[i + 1] = queue.paused
  end
  local closed = {}
  if redis.call("EXISTS", unpack(switches)) > 0 then
    local all = redis.call("EXISTS", suspended) == 1
    for _, queue in ipairs(queues) do
      closed[queue.name] = all or redis.call("EXISTS", queue.paused) == 1
    end
  end
  return closed
end

local function first_runnable(busy)
  local closed, skipped = closed_queues(), 0
  for _, queue in ipairs(queues) do
    while not closed[queue.name] and skipped < MOST_SKIPPED do
      local id = redis.pcall("LPOP", queue.list)
      if type(id) ~= "string" then
        break
      end
      local claim = attempt(id, queue.name, function() return look(id, queue, busy) end)
      if claim then
        return claim
      end
      redis.call("ZREM", queue.started, id .. ":" .. execution_id)
      skipped = skipped + 1
    end
  end
  return nil, skipped < MOST_SKIPPED
end

-- A job that was pushed meanwhile wakes with a token of its own; those of jobs that were taken long ago wake nobody.
local function rest()
  for _, queue in ipairs(queues) do
    redis.call("DEL", queue.wake)
  end
end

local swept, busy = {}, {}
local known = 1
if memory ~= "0" then
  redis.call("EXPIRE", worker_executions, worker_ttl_s) -- allowed without memory; a script that has written may go on
  redis.call("HSET", worker, "last_heartbeat", rq_time(), "m_memory", memory)
  redis.call("EXPIRE", worker, worker_ttl_s)
  known = redis.call("HEXISTS", worker, "birth")
  if may_reclaim() then
    for _, queue in ipairs(queues) do
      reclaim(queue.name, max_crashes, swept)
    end
  end
end
local claim, drained = again and claimed_before() or nil, false
if not claim then
  claim, drained = first_runnable(busy)
end
if drained then
  rest()
end
local state_now = claim and "busy" or "idle"
if state ~= state_now then
  redis.call("HSET", worker, "state", state_now)
end
return {swept, busy, claim or {}, known}
