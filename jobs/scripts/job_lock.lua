--[[
Lock the resource of a job that is in flight already, as a job of another RQ client is whose record names none: or park it.

KEYS[1…13] the execution's keys (_flight)
ARGV[1…8]  the execution's words (_flight)
ARGV[9] resource
ARGV[10] cache entry it becomes, or empty
ARGV[11] visibility timeout, in milliseconds
ARGV[12] the job's timeout, in seconds; -1 for ever
ARGV[13] host
ARGV[14] process id

Returns the fencing token; "" when the job was parked or the claim is no longer this execution's.
]]
-- include _keys
-- include _now
-- include _rq_time
-- include _notes
-- include _push
-- include _locks
-- include _lock_ends
-- include _flight
-- include _park
-- include _cache_entries
local flight = given_flight()
local resource, cache, visibility_ms, timeout_s, host, pid = ARGV[9], ARGV[10], ARGV[11], ARGV[12], ARGV[13], ARGV[14]
local lock = prefix.lock .. resource

if redis.call("HGET", lock, "execution") == flight.execution_id then
  return redis.call("HGET", lock, "token")
end
if not redis.call("ZSCORE", flight.started, flight.member) then
  return ""
end
redis.call("HSET", flight.job, "m_resource", resource)
if not is_free(resource, flight.id) then
  leave_flight(flight)
  restore_retries(flight, redis.call("HGET", flight.job, "m_left") or "")
  park(flight.id, flight.queue_name, resource)
  return ""
end
local token = take_lock(resource, flight.id, visibility_ms, longest_ms(timeout_s),
  {"holder", flight.worker_name, "job", flight.id, "execution", flight.execution_id, "worker", flight.worker_name,
    "queue", flight.queue_name, "attempt", flight.attempt, "host", host, "pid", pid})
if cache ~= "" then
  local marker = prefix.refreshing .. cache
  local generation = begin_generation(cache)
  redis.call("HSET", flight.job, "m_cache", cache)
  redis.call("DEL", marker)
  redis.call("HSET", marker, "by", flight.id, "since", now_ms, "token", token, "generation", generation)
  redis.call("PEXPIRE", marker, visibility_ms)
  redis.call("HSET", flight.execution, "m_generation", generation)
end
redis.call("HSET", flight.execution, "m_resource", resource, "m_token", token)
return token
