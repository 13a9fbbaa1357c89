-- Needs: _keys, _now, _notes. A record that a script cannot work with (a key of another type, a field that is no number):
-- what was written before the error stays, so the job is made a dead letter that says why instead of being lost.
local YEAR_S = 31536000

local function attempt(id, queue_name, work)
  local worked, answer = pcall(work)
  if worked then
    return answer
  end
  local why = type(answer) == "table" and answer.err or tostring(answer)
  redis.pcall("HSET", prefix.job .. id, "status", "failed", "origin", queue_name, "m_ended", "refused",
    "m_died", now_ms, "m_error", "Broken record: " .. string.sub(why, 1, 180))
  redis.pcall("HDEL", prefix.job .. id, "m_state", "m_left")
  redis.pcall("ZADD", prefix.failed .. queue_name, string.format("%.3f", now_s + YEAR_S), id)
  redis.pcall("XADD", prefix.events, "MAXLEN", "~", 1000, "*",
    "what", "dropped", "job", id, "name", "", "queue", queue_name, "text", why)
  return nil
end
