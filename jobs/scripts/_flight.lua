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

-- False when another took over: this execution may then change nothing.
local function leave_flight(flight)
  if redis.call("ZREM", flight.started, flight.member) == 0 then
    return false
  end
  redis.call("DEL", flight.execution)
  redis.call("ZREM", flight.executions, flight.execution_id)
  redis.call("SREM", flight.worker_executions, flight.member)
  return true
end

-- What this execution's outcome was, when it was written before and only the answer was lost.
local function committed(flight)
  local execution_id, outcome = string.match(redis.call("HGET", flight.job, "m_committed") or "", "^(.*):(.*)$")
  return execution_id == flight.execution_id and outcome or nil
end

local function commit(flight, outcome)
  redis.call("HSET", flight.job, "m_committed", flight.execution_id .. ":" .. outcome)
end

-- While in flight, RQ's retries_left is one higher than what is left (so that a stock cleaner requeues).
local function restore_retries(flight, left)
  if left and left ~= "" then
    redis.call("HSET", flight.job, "retries_left", left)
  else
    redis.call("HDEL", flight.job, "retries_left")
  end
  redis.call("HDEL", flight.job, "m_left")
end

local function let_go(flight)
  local cache = redis.call("HGET", flight.job, "m_cache")
  if cache and redis.call("HGET", prefix.refreshing .. cache, "token") == flight.token then
    redis.call("DEL", prefix.refreshing .. cache)
  end
  if flight.resource ~= "" then
    return free_lock(flight.resource, flight.token)
  end
  return 0
end

local function requeue(flight, at_front)
  redis.call("HSET", flight.job, "status", "queued")
  redis.call("HDEL", flight.job, "started_at", "ended_at", "worker_name")
  push(flight.queue, flight.wake, flight.id, at_front)
end
