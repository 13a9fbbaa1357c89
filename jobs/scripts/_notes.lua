-- Needs: _now. What people read later: a job's timeline, its attempts, and the newest events of all jobs.
-- A note that cannot be written fails no step.
local WEEK_S, LONGEST_TIMELINE, MOST_ATTEMPTS = 604800, 100, 50

-- steps: each {what, fields}, and `at` among the fields when it was not now; kept for that many seconds.
local function note_all(timeline, steps, kept_s)
  local rows = {}
  for i, step in ipairs(steps) do
    step[2].what, step[2].at = step[1], step[2].at or now_ms
    rows[i] = cjson.encode(step[2])
  end
  local length = redis.pcall("RPUSH", timeline, unpack(rows))
  if type(length) == "number" and length > LONGEST_TIMELINE then
    redis.call("LTRIM", timeline, -LONGEST_TIMELINE, -1)
  end
  redis.pcall("EXPIRE", timeline, kept_s or WEEK_S)
end

local function note(timeline, what, fields)
  note_all(timeline, {{what, fields}})
end

local function note_attempt(attempts, fields)
  local length = redis.pcall("LPUSH", attempts, cjson.encode(fields))
  if type(length) == "number" and length > MOST_ATTEMPTS then
    redis.call("LTRIM", attempts, 0, MOST_ATTEMPTS - 1)
  end
  redis.pcall("EXPIRE", attempts, WEEK_S)
end

local function tell(events, what, job, name, queue, text)
  redis.pcall("XADD", events, "MAXLEN", "~", 1000, "*",
    "what", what, "job", job, "name", name, "queue", queue, "text", text)
end
