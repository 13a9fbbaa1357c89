-- Needs: _flight, _rq_time. Of calls that keep the latest one (m_latest names their key), an attempt that would run again
-- gives way to a newer call that waits or runs: its job is canceled, and its record ends as a result would.
-- steps: what happened before, for the timeline. Returns true if it gave way.
-- include _waits

local function gives_way(flight, steps)
  local newer = flight.latest and string.match(redis.call("GET", prefix.unique .. flight.latest) or "", "%S+")
  if not newer or newer == flight.id then
    return false
  end
  local known = redis.call("HMGET", prefix.job .. newer, "status", "origin")
  if known[1] ~= "started" and not waits(newer, known[1], known[2] or "") then
    return false
  end
  local kept_s = math.max(1, tonumber(redis.call("HGET", flight.job, "result_ttl")) or WEEK_S)
  redis.call("HSET", flight.job, "status", "canceled", "ended_at", rq_time(), "m_state", "")
  steps[#steps + 1] = {"gave way", {to = newer}}
  note_end(flight, steps, kept_s)
  commit(flight, "gave way")
  for _, record in ipairs({flight.job, flight.results, flight.attempts}) do
    redis.call("EXPIRE", record, kept_s)
  end
  return true
end
