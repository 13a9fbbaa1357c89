-- Needs: _flight, _rq_time. Makes a job a dead letter: failed, in RQ's failed registry, with RQ's own result record.
-- why: failed, crashed, refused; status: failed or stopped; exc: RQ's encoded traceback.
local function bury(flight, failed, status, why, text, exc)
  local ttl = tonumber(redis.call("HGET", flight.job, "failure_ttl") or "31536000")
  redis.call("HSET", flight.job, "status", status, "ended_at", rq_time(),
    "m_died", now_ms, "m_ended", why, "m_error", text)
  redis.call("XADD", flight.results, "MAXLEN", 10, "*", "type", 2, "worker_name", flight.worker_name,
    "exc_string", exc, "execution_id", flight.execution_id)
  note(flight.timeline, why == "stopped" and "stopped" or "dead", {text = text})
  for _, key in ipairs({flight.job, flight.results, flight.timeline, flight.attempts}) do
    if ttl > 0 then
      redis.call("EXPIRE", key, ttl)
    else
      redis.call("PERSIST", key)
    end
  end
  redis.call("ZADD", failed, ttl > 0 and now_s + ttl or "+inf", flight.id)
  if why ~= "stopped" then
    redis.call("HINCRBY", flight.counts, "dead", 1)
    tell(flight.events, "dead", flight.id, flight.name, flight.queue_name, text)
  end
end
