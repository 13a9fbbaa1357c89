--[[
Put a job that is not in flight into the bin: off its queue and out of every registry, its record kept for a while. The
jobs that depend on it go on waiting, as after RQ's own `cancel`. Of more jobs than the bin takes, the oldest end now.

KEYS[1…18] the job's keys (_bin)
ARGV[1] job id
ARGV[2] who discards it
ARGV[3] what the person saw of it (_seen); empty to discard whatever is there
ARGV[4] request; the same one repeated gets the same answer
ARGV[5] how long the bin keeps it, in milliseconds
ARGV[6] most jobs that the bin of a queue keeps

Returns {answer, jobs that depend on it}: 1 discarded; 0 it is in the bin already; -1 it is no longer what was seen;
-2 it is in flight; -3 nothing of it is left; -4 it has a place under one of RQ's rate limits.
]]
-- include _keys
-- include _now
-- include _notes
-- include _push
-- include _locks
-- include _lock_ends
-- include _forget
-- include _seen
-- include _bin
local at = bin_keys()
local id, by, seen, request, keep_ms, most = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
local MOST_DROPPED = 20

local function in_flight()
  for _, execution in ipairs(redis.call("ZRANGE", prefix.executions .. id, 0, -1)) do
    if redis.call("ZSCORE", at.started, id .. ":" .. execution) then
      return true
    end
  end
  return false
end

-- Takes it off its queue and remembers its neighbours, so that it can go back between them.
local function leave_queue(kept)
  local place = redis.pcall("LPOS", at.queue, id)
  if type(place) ~= "number" then
    return
  end
  kept[#kept + 1], kept[#kept + 2] = "queue_next", redis.call("LINDEX", at.queue, place + 1) or ""
  kept[#kept + 1], kept[#kept + 2] = "queue_before", place > 0 and redis.call("LINDEX", at.queue, place - 1) or ""
  redis.call("LREM", at.queue, 0, id)
end

local function leave_registries(kept)
  for _, name in ipairs(REGISTRIES) do
    local score = redis.pcall("ZSCORE", at[name], id)
    if type(score) == "string" then
      redis.call("ZREM", at[name], id)
      kept[#kept + 1], kept[#kept + 2] = name, score
    end
  end
end

local function make_room()
  redis.call("ZREMRANGEBYSCORE", at.bin, "-inf", now_s)
  local over = math.min(redis.call("ZCARD", at.bin) - most, MOST_DROPPED)
  if over > 0 then
    for _, oldest in ipairs(redis.call("ZRANGE", at.bin, 0, over - 1)) do
      redis.call("ZREM", at.bin, oldest)
      redis.call("UNLINK", prefix.binned .. oldest)
      forget(oldest)
    end
  end
end

local known = redis.call("HMGET", at.binned, "request", "dependents", "restored")
if known[1] == request then
  return {1, tonumber(known[2])}
end
if known[1] and not known[3] then
  return {0, 0}
end
local record = look_at(at.job)
if seen ~= "" and seen ~= seen_token(record) then
  return {-1, 0}
end
if in_flight() then
  return {-2, 0}
end
if record.limit ~= "" and (record.status == "queued" or record.status == "scheduled" or record.status == "rate_limited") then
  return {-4, 0}
end

local kept = {}
leave_queue(kept)
leave_registries(kept)
if #kept == 0 and record.origin ~= "" and prefix.queue .. record.origin ~= at.queue then
  return {-1, 0}
end
if #kept == 0 and redis.call("EXISTS", at.job) == 0 then
  return {-3, 0}
end
if record.marker == "parked" or record.status == "queued" then
  leave_line(record.resource, id)
end
local dependents = redis.pcall("SCARD", at.dependents)
dependents = type(dependents) == "number" and dependents or 0
redis.call("DEL", at.binned)
redis.call("HSET", at.binned, "request", request, "dependents", dependents, "by", by, "at", now_ms,
  "status", record.status, "m_state", record.marker, "ttl_ms", redis.call("PTTL", at.job), unpack(kept))
redis.call("PEXPIRE", at.binned, keep_ms)
redis.call("ZADD", at.bin, string.format("%.6f", now_s + keep_ms / 1000), id)
if record.exists then
  redis.call("HSET", at.job, "status", "canceled", "m_state", "discarded", "m_discarded", now_ms)
  note(at.timeline, "discarded", {by = by})
end
for _, name in ipairs(OF_THE_JOB) do
  redis.call("PEXPIRE", at[name], keep_ms)
end
make_room()
tell(at.events, "discarded", id, record.name, string.sub(at.queue, #prefix.queue + 1), by)
return {1, dependents}
