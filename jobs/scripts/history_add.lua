--[[
Write one sample of a queue, or of the whole, and make the minutes and hours that are over by now from what is finer.

A bucket is a stream's entry whose id is its start, so that none can be written twice, whoever leads. The coarser
bucket of a gauge is its highest, that of a count the sum. What was counted between two samples is known only when the
one before is near enough and the counter did not begin anew; otherwise the fields are left out.

KEYS[1] sampled    string, JSON: the counters as of the last sample, and when that was
KEYS[2…4] figures    streams, the finest first
KEYS[5…7] durations  streams, the finest first
ARGV[1] start of the bucket, in milliseconds
ARGV[2] gauges, JSON by name
ARGV[3] counters since ever, JSON by name
ARGV[4] durations counted since ever, JSON by the place of their bucket
ARGV[5] the longest time between two samples whose difference counts, in milliseconds
ARGV[6] life of the keys, in milliseconds
ARGV[7…12] of each resolution, the finest first: its step in milliseconds, and how many buckets are kept

Returns 1 when the sample was written, 0 when there is one for that time already.
]]
-- include _now
local sampled, fine_figures, fine_durations = KEYS[1], KEYS[2], KEYS[5]
local at, gauges = tonumber(ARGV[1]), cjson.decode(ARGV[2])
local counters, durations = cjson.decode(ARGV[3]), cjson.decode(ARGV[4])
local longest_ms, life_ms = tonumber(ARGV[5]), ARGV[6]

local function start_of(entry)
  return tonumber(string.match(entry[1], "^%d+"))
end

local function newest(stream)
  local entry = redis.call("XREVRANGE", stream, "+", "-", "COUNT", 1)[1]
  return entry and start_of(entry)
end

-- Fields in order, since a stream spares the names that an entry shares with the one before.
local function add(stream, kept, start, amounts)
  local names, fields = {}, {}
  for name in pairs(amounts) do
    names[#names + 1] = name
  end
  table.sort(names)
  for _, name in ipairs(names) do
    fields[#fields + 1] = name
    fields[#fields + 1] = amounts[name]
  end
  if #fields > 0 then
    redis.call("XADD", stream, "MAXLEN", kept, string.format("%.0f-0", start), unpack(fields))
    redis.call("PEXPIRE", stream, life_ms)
  end
end

local function merge(bucket, fields)
  for i = 1, #fields, 2 do
    local name, amount = fields[i], tonumber(fields[i + 1]) or 0
    local known = bucket[name] or 0
    bucket[name] = gauges[name] and math.max(known, amount) or known + amount
  end
end

local function roll_up(finer, coarser, step_ms, kept)
  local last = newest(coarser)
  local from, till = last and last + step_ms or 0, at - at % step_ms - 1
  local starts, buckets = {}, {}
  for _, entry in ipairs(redis.call("XRANGE", finer, string.format("%.0f", from), string.format("%.0f", till))) do
    local start = start_of(entry) - start_of(entry) % step_ms
    if not buckets[start] then
      starts[#starts + 1], buckets[start] = start, {}
    end
    merge(buckets[start], entry[2])
  end
  for _, start in ipairs(starts) do
    add(coarser, kept, start, buckets[start])
  end
end

-- What each counter gained. One that was not counted before began at `unseen`, or is left out without it.
local function gains(now, before, unseen)
  local gained = {}
  for name, amount in pairs(now) do
    local known = before[name] or unseen
    if known and amount >= known then
      gained[name] = amount - known
    end
  end
  return gained
end

local function last_counters()
  local fine, before = pcall(cjson.decode, redis.call("GET", sampled) or "")
  return fine and type(before) == "table" and before.at and before or {at = 0}
end

local last = newest(fine_figures)
if last and last >= at then
  return 0
end

local figures, spans = {}, {}
for name, value in pairs(gauges) do
  figures[name] = value
end
local before = last_counters()
local over_ms = now_ms - before.at
if over_ms >= 0 and over_ms <= longest_ms then
  for name, amount in pairs(gains(counters, before.counters)) do
    figures[name] = amount
  end
  for place, amount in pairs(gains(durations, before.durations, 0)) do
    spans[place] = amount > 0 and amount or nil
  end
  figures.over = over_ms
end
redis.call("SET", sampled, cjson.encode({at = now_ms, counters = counters, durations = durations}), "PX", life_ms)
add(fine_figures, ARGV[8], at, figures)
add(fine_durations, ARGV[8], at, spans)
for coarser = 2, 3 do
  local step_ms, kept = tonumber(ARGV[5 + 2 * coarser]), ARGV[6 + 2 * coarser]
  roll_up(KEYS[coarser], KEYS[coarser + 1], step_ms, kept)
  roll_up(KEYS[coarser + 3], KEYS[coarser + 4], step_ms, kept)
end
return 1
