-- Needs: _now. What people read later: a job's timeline, its attempts, and the newest events of all jobs.
-- A note that cannot be written fails no step.
local WEEK_S = 604800

local function note(timeline, what, fields)
  fields.at = now_ms
  fields.what = what
  redis.pcall("RPUSH", timeline, cjson.encode(fields))
  redis.pcall("LTRIM", timeline, -100, -1)
  redis.pcall("EXPIRE", timeline, WEEK_S)
end

local function note_attempt(attempts, fields)
  redis.pcall("LPUSH", attempts, cjson.encode(fields))
  redis.pcall("LTRIM", attempts, 0, 49)
  redis.pcall("EXPIRE", attempts, WEEK_S)
end

local function tell(events, what, job, name, queue, text)
  redis.pcall("XADD", events, "MAXLEN", "~", 1000, "*",
    "what", what, "job", job, "name", name, "queue", queue, "text", text)
end
