-- Needs: _flight, _bury. An attempt ended without a word: it costs no attempt but is counted, and too many are the end.
-- Returns "crashed" (it is back on its queue) or "dead".
local function crash(flight, max_crashes, text, exc, at_front)
  local left = redis.call("HGET", flight.job, "m_left")
  local started = redis.call("HGET", flight.job, "m_started")
  restore_retries(flight, left)
  local crashes = redis.call("HINCRBY", flight.job, "m_crashes", 1)
  redis.call("HINCRBY", flight.counts, "crashed", 1)
  redis.call("HSET", flight.job, "m_error", text)
  note(flight.timeline, "crashed", {worker = flight.worker_name, text = text})
  note_attempt(flight.attempts, {number = tonumber(flight.attempt), worker = flight.worker_name,
    started = tonumber(started), ended = now_ms, outcome = "crashed", error = text})
  tell(flight.events, "crashed", flight.id, flight.name, flight.queue_name, text)
  let_go(flight)
  if crashes >= max_crashes then
    commit(flight, "dead")
    bury(flight, prefix.failed .. flight.queue_name, "failed", "crashed", text, exc)
    return "dead"
  end
  commit(flight, "crashed")
  requeue(flight, at_front)
  return "crashed"
end
