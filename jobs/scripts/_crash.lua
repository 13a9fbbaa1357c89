-- Needs: _flight, _bury. An attempt ended without a word: it costs no attempt but is counted, and too many are the end.
-- steps: what happened before, for the timeline. Returns "crashed" (it is back on its queue), "dead" or
-- "gave way" (to a newer call).
-- include _unique
local function crash(flight, max_crashes, text, exc, at_front, steps)
  restore_retries(flight, flight.left)
  local crashes = redis.call("HINCRBY", flight.job, "m_crashes", 1)
  redis.call("HINCRBY", flight.counts, "crashed", 1)
  redis.call("HSET", flight.job, "m_error", text)
  record_attempt(flight, "crashed", text)
  tell(flight.events, "crashed", flight.id, flight.name, flight.queue_name, text)
  steps[#steps + 1] = {"crashed", {worker = flight.worker_name, text = text}}
  let_go(flight)
  if crashes >= max_crashes then
    commit(flight, "dead")
    bury(flight, prefix.failed .. flight.queue_name, "crashed", text, exc, steps)
    return "dead"
  end
  if gives_way(flight, steps) then
    return "gave way"
  end
  note_end(flight, steps)
  commit(flight, "crashed")
  requeue(flight, at_front)
  return "crashed"
end
