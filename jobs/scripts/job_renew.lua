--[[
Renew a claim, and with it the job's lock and its refreshing marker: the heartbeat of a job in flight.

KEYS[1…13] the execution's keys (_flight)
ARGV[1…8]  the execution's words (_flight)
ARGV[9] visibility timeout, in milliseconds
ARGV[10] life of the worker's record, in seconds
ARGV[11] memory of the worker and its horse, in bytes

Returns 1 renewed, also a lock that had lapsed and that nobody has taken since; 0 the claim is another's; -1 the claim is
renewed but the lock is lost.
]]
-- include _keys
-- include _now
-- include _rq_time
-- include _notes
-- include _push
-- include _locks
-- include _lock_ends
-- include _flight
local flight = given_flight()
local visibility_ms, worker_ttl_s, memory = tonumber(ARGV[9]), ARGV[10], ARGV[11]

-- First what a server without memory allows: a script that has written may go on.
redis.call("EXPIRE", flight.worker_executions, worker_ttl_s)
redis.call("HSET", flight.worker, "last_heartbeat", rq_time(), "m_memory", memory)
redis.call("EXPIRE", flight.worker, worker_ttl_s)
if not redis.call("ZSCORE", flight.started, flight.member) then
  return 0
end
local deadline_s = now_s + visibility_ms / 1000 + 60
redis.call("ZADD", flight.started, "XX", string.format("%.3f", deadline_s), flight.member)
redis.call("HSET", flight.execution, "last_heartbeat", string.format("%.6f", now_s))
redis.call("PEXPIRE", flight.execution, visibility_ms + 120000)
redis.call("ZADD", flight.executions, "XX", string.format("%.3f", deadline_s + 60), flight.execution_id)
redis.call("PEXPIRE", flight.executions, visibility_ms + 120000)
redis.call("HSET", flight.job, "last_heartbeat", rq_time())
local cache = redis.call("HGET", flight.job, "m_cache")
if cache and redis.call("HGET", prefix.refreshing .. cache, "token") == flight.token then
  redis.call("PEXPIRE", prefix.refreshing .. cache, visibility_ms)
end
if flight.resource == "" or renew_lock(prefix.lock .. flight.resource, flight.token, visibility_ms) == 1 then
  return 1
end
if not has_lapsed(flight.resource, flight.token) then
  return -1
end
write_hold(flight.resource, flight.token, visibility_ms, longest_ms(redis.call("HGET", flight.job, "timeout")),
  {"holder", flight.worker_name, "job", flight.id, "execution", flight.execution_id, "worker", flight.worker_name,
    "queue", flight.queue_name, "attempt", flight.attempt})
return 1
