-- Needs: _keys. What a person saw of a job, and whether it still is so. `jobs/seen.py` makes the same token.
-- A parked job is a waiting one to people; a key of another type is as good as no record.
local function look_at(job)
  local known = redis.pcall("HMGET", job, "status", "m_state", "m_died", "ended_at", "origin", "m_name", "m_resource",
    "rate_limit_key")
  if known.err then
    known = {}
  end
  return {status = known[1] or "", marker = known[2] or "", ended = known[3] or known[4] or "", origin = known[5] or "",
    name = known[6] or "", resource = known[7] or "", limit = known[8] or "", exists = (known[1] or known[5]) and true}
end

local function seen_token(record)
  local status, marker = record.status, record.marker
  if marker == "parked" then
    status, marker = "queued", ""
  end
  return string.sub(redis.sha1hex(table.concat({status, marker, record.ended}, "|")), 1, 12)
end
