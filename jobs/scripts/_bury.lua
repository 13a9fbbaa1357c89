-- Needs: _flight, _rq_time. Makes a job a dead letter: failed, in RQ's failed registry, with RQ's own result record.
-- why: failed, crashed, refused, stopped; exc: RQ's encoded traceback; steps: what happened before, for the timeline.
local function bury(flight, failed, why, text, exc, steps)
  local ttl, stopped = flight.failure_ttl, why == "stopped"
  redis.call("HSET", flight.job, "status", stopped and "stopped" or "failed", "ended_at", rq_time(),
    "m_died", now_ms, "m_ended", why, "m_error", text)
  redis.pcall("XADD", flight.results, "MAXLEN", 10, "*", "type", 2, "worker_name", flight.worker_name,
    "exc_string", exc, "execution_id", flight.execution_id)
  steps[#steps + 1] = {stopped and "stopped" or "dead", {text = text}}
  note_end(flight, steps)
  for _, key in ipairs({flight.job, flight.results, flight.timeline, flight.attempts}) do
    if ttl > 0 then
      redis.call("EXPIRE", key, ttl)
    else
      redis.call("PERSIST", key)
    end
  end
  redis.call("ZADD", failed, ttl > 0 and now_s + ttl or "+inf", flight.id)
  if not stopped then
    redis.call("HINCRBY", flight.counts, "dead", 1)
    tell(flight.events, "dead", flight.id, flight.name, flight.queue_name, text)
  end
end
