--[[
End a job that ran to its end: result, cache entry, lock, counters and the job itself, in one step.

KEYS[1…13] the execution's keys (_flight)
KEYS[14] finished     zset, RQ's registry
KEYS[15] dependents   set
KEYS[16] cache entry  string   (16 to 20 only with a cache entry on this server)
KEYS[17] cache guard  hash
KEYS[18] refreshing   hash
KEYS[19] cache index  zset
KEYS[20] namespaces   set
ARGV[1…8]  the execution's words (_flight)
ARGV[9] return value, as RQ encodes it, or empty
ARGV[10] life of the result, in seconds; 0 none, -1 for ever
ARGV[11] cache key, or empty
ARGV[12] its namespace
ARGV[13] value, JSON
ARGV[14] generation the refresh began with
ARGV[15] fresh for, in milliseconds
ARGV[16] stale until, in milliseconds from now
ARGV[17] bytes that all entries may take; 0 any

Returns 1 finished; 2 finished, its cache entry refused; 0 the claim is another's and nothing was changed;
-1 other jobs depend on it and nothing was changed.
]]
-- include _keys
-- include _now
-- include _rq_time
-- include _notes
-- include _push
-- include _locks
-- include _lock_ends
-- include _flight
-- include _cache_entries
-- include _cache_fill
local flight = given_flight()
local finished, dependents = KEYS[14], KEYS[15]
local result, ttl_s = ARGV[9], tonumber(ARGV[10])

look_up(flight)
if flight.before then
  return flight.before == "finished" and 1 or flight.before == "refused" and 2 or 0
end
if redis.call("EXISTS", dependents) == 1 then
  return redis.call("ZSCORE", flight.started, flight.member) and -1 or 0
end
if not leave_flight(flight) then
  return 0
end

local steps, written, current = {}, 1, free_resource(flight)
if ARGV[11] ~= "" then
  written = current and fill_cache(
    {entry = KEYS[16], guard = KEYS[17], marker = KEYS[18], index = KEYS[19], namespaces = KEYS[20]},
    {key = ARGV[11], namespace = ARGV[12], value = ARGV[13], token = flight.token, generation = ARGV[14],
      fresh_ms = tonumber(ARGV[15]), stale_ms = tonumber(ARGV[16]), by = flight.id, took_ms = flight.took,
      now_ms = now_ms, limit = tonumber(ARGV[17])}
  ) or 0
  steps[1] = {written == 1 and "cache written" or "cache refused", {key = ARGV[11]}}
end
if ARGV[11] == "" or written == 0 then
  free_marker(flight)
end
redis.call("HINCRBY", flight.counts, "finished", 1)
if ttl_s == 0 then
  redis.call("DEL", flight.job, flight.results, flight.timeline, flight.attempts)
  return written == 1 and 1 or 2
end

-- RQ's retries_left says again what is left (see _flight), and what was wrong once is over.
redis.call("HSET", flight.job, "status", "finished", "ended_at", rq_time(), "retries_left", flight.left,
  "m_committed", flight.execution_id .. (written == 1 and ":finished" or ":refused"))
if flight.error then
  redis.call("HDEL", flight.job, "m_error")
end
if flight.left == "" then
  redis.call("HDEL", flight.job, "retries_left")
end
steps[#steps + 1] = {"finished", {took = flight.took}}
note_end(flight, steps, ttl_s > 0 and ttl_s or nil)
if flight.failures + flight.crashes > 0 then
  record_attempt(flight, "finished")
end
local record = {"type", 1, "worker_name", flight.worker_name, "execution_id", flight.execution_id,
  "execution_started_at", flight.began / 1000, "execution_ended_at", now_s}
if result ~= "" then
  record[#record + 1] = "return_value"
  record[#record + 1] = result
end
redis.pcall("XADD", flight.results, "MAXLEN", 10, "*", unpack(record))
if ttl_s > 0 then
  redis.call("EXPIRE", flight.job, ttl_s)
  redis.call("EXPIRE", flight.results, ttl_s)
end
redis.call("ZADD", finished, ttl_s > 0 and string.format("%.3f", now_s + ttl_s) or "+inf", flight.id)
return written == 1 and 1 or 2
