-- Needs: _keys, _now, _notes, _locks. One execution in flight: its keys, its right to speak, its end.
-- KEYS[1..13] and ARGV[1..8] of every script about an execution of the caller's own are these, in this order.
local FLIGHT_KEYS = {"job", "started", "execution", "executions", "worker", "worker_executions", "timeline", "attempts",
  "counts", "events", "queue", "wake", "results"}
local FLIGHT_ARGS = {"id", "execution_id", "queue_name", "worker_name", "name", "attempt", "resource", "token"}

local function given_flight()
  local flight = {}
  for i, key in ipairs(FLIGHT_KEYS) do
    flight[key] = KEYS[i]
  end
  for i, argument in ipairs(FLIGHT_ARGS) do
    flight[argument] = ARGV[i]
  end
  flight.member = flight.id .. ":" .. flight.execution_id
  return flight
end

-- The keys of an execution that the script found by itself.
local function found_flight(queue_name, member)
  local id, execution_id = string.match(member, "^(.*):([^:]*)$")
  id = id or member
  local execution = prefix.execution .. member
  local known = redis.pcall("HMGET", execution, "worker_name", "m_resource", "m_token", "m_attempt", "m_name")
  local worker_name = known[1] or ""
  return {
    member = member, id = id, execution_id = execution_id or "", queue_name = queue_name, worker_name = worker_name,
    resource = known[2] or "", token = known[3] or "", attempt = known[4] or "1", name = known[5] or "",
    job = prefix.job .. id, started = prefix.started .. queue_name, execution = execution,
    executions = prefix.executions .. id, worker = prefix.worker .. worker_name,
    worker_executions = prefix.worker .. worker_name .. ":executions", timeline = prefix.timeline .. id,
    attempts = prefix.attempts .. id, counts = prefix.counts .. queue_name, events = prefix.events,
    queue = prefix.queue .. queue_name, wake = prefix.wake .. queue_name, results = prefix.results .. id,
  }
end

-- Reads what the job's record says of this execution: when it began, what it must give back, and in `before` its
-- outcome, if that was written already and only the answer was lost.
local function look_up(flight)
  local known = redis.call("HMGET", flight.job, "m_committed", "m_started", "m_left", "m_cache", "m_error", "m_failures",
    "m_crashes", "failure_ttl", "m_latest")
  local execution_id, outcome = string.match(known[1] or "", "^(.*):(.*)$")
  flight.before = execution_id == flight.execution_id and outcome or nil
  flight.began = tonumber(known[2]) or now_ms
  flight.took = math.max(0, now_ms - flight.began)
  flight.left, flight.cache, flight.error = known[3] or "", known[4], known[5]
  flight.failures, flight.crashes = tonumber(known[6]) or 0, tonumber(known[7]) or 0
  flight.failure_ttl = tonumber(known[8]) or 31536000
  flight.latest = known[9]
end

-- False when another took over: this execution may then change nothing but what its own worker holds of it.
local function leave_flight(flight)
  redis.pcall("SREM", flight.worker_executions, flight.member)
  if redis.call("ZREM", flight.started, flight.member) == 0 then
    return false
  end
  redis.call("DEL", flight.execution)
  redis.call("ZREM", flight.executions, flight.execution_id)
  return true
end

local function commit(flight, outcome)
  redis.call("HSET", flight.job, "m_committed", flight.execution_id .. ":" .. outcome)
end

-- While in flight, RQ's retries_left is one higher than what is left (so that a stock cleaner requeues).
local function restore_retries(flight, left)
  if left ~= "" then
    redis.call("HSET", flight.job, "retries_left", left)
  else
    redis.call("HDEL", flight.job, "retries_left")
  end
end

-- The timeline of an attempt is written at its end, in one step: taken, locked, and then `steps`. While it runs its
-- beginning stands in the records of job and execution.
local function note_end(flight, steps, kept_s)
  local story = {{"taken", {at = flight.began, worker = flight.worker_name, attempt = tonumber(flight.attempt)}}}
  if flight.resource ~= "" then
    story[2] = {"lock acquired", {at = flight.began, resource = flight.resource, token = flight.token}}
  end
  for _, step in ipairs(steps) do
    story[#story + 1] = step
  end
  note_all(flight.timeline, story, kept_s)
end

local function record_attempt(flight, outcome, text, traceback)
  note_attempt(flight.attempts, {number = tonumber(flight.attempt), worker = flight.worker_name, started = flight.began,
    ended = now_ms, outcome = outcome, error = text, traceback = traceback})
end

local function free_marker(flight)
  if flight.cache and redis.call("HGET", prefix.refreshing .. flight.cache, "token") == flight.token then
    redis.call("DEL", prefix.refreshing .. flight.cache)
  end
end

-- False when it had a lock and another has taken it since.
local function free_resource(flight)
  if flight.resource == "" or free_lock(flight.resource, flight.token) == 1 then
    return true
  end
  local lapsed = has_lapsed(flight.resource, flight.token)
  if lapsed then
    wake_waiter(flight.resource)
  end
  return lapsed
end

local function let_go(flight)
  free_marker(flight)
  return free_resource(flight)
end

local function requeue(flight, at_front)
  redis.call("HSET", flight.job, "status", "queued")
  redis.call("HDEL", flight.job, "started_at", "ended_at", "worker_name")
  push(flight.queue, flight.wake, flight.id, at_front)
end
