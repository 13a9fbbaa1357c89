-- Needs: _now. What people read later: a job's timeline, its attempts, and the newest events of all jobs.
local WEEK_S = 604800

local function note(timeline, what, fields)
  fields.at = now_ms
  fields.what = what
  redis.call("RPUSH", timeline, cjson.encode(fields))
  redis.call("LTRIM", timeline, -100, -1)
  redis.call("EXPIRE", timeline, WEEK_S)
end

local function note_attempt(attempts, fields)
  redis.call("LPUSH", attempts, cjson.encode(fields))
  redis.call("LTRIM", attempts, 0, 49)
  redis.call("EXPIRE", attempts, WEEK_S)
end

local function tell(events, what, job, name, queue, text)
  redis.call("XADD", events, "MAXLEN", "~", 1000, "*",
    "what", what, "job", job, "name", name, "queue", queue, "text", text)
end
