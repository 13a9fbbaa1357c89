"""Copies of jobs and of cache entries, made in the server, so that a million takes seconds: all fields, other names."""

from datetime import datetime

from jobs import keys
from jobs.connection import patient, store

BATCH = 500
OF_A_JOB = (keys.job, keys.attempts, keys.timeline, keys.results)

JOBS = """
-- KEYS: where they lie, the template's hash, its other keys
-- ARGV: the template's id, how the copies' ids begin, their queue, the first number, how many, which field of the
-- record is a time, that of the first in seconds, how long after it the sorted set lets go of each
local template, stem, queue, first, count = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local field, from_s, keep_s = ARGV[6], tonumber(ARGV[7]), tonumber(ARGV[8])
for number = first, first + count - 1 do
  local copy, at_s = string.format("%s%012d", stem, number), from_s + number - first
  for i = 2, #KEYS do
    redis.call("COPY", KEYS[i], string.sub(KEYS[i], 1, -#template - 1) .. copy)
  end
  local record = string.sub(KEYS[2], 1, -#template - 1) .. copy
  local at = string.gsub(ARGV[9], "MICROS", string.format("%06d", number % 1000000))
  redis.call("HSET", record, "origin", queue, field, at)
  if keep_s > 0 then
    redis.call("ZADD", KEYS[1], at_s + keep_s, copy)
  else
    redis.call("RPUSH", KEYS[1], copy)
  end
end
"""

ENTRIES = """
-- KEYS: the template's entry and guard, the index, the namespace's keys, sizes, their sum, times of writing
-- ARGV: the template's key, the namespace, how many
local template, namespace, count = ARGV[1], ARGV[2], tonumber(ARGV[3])
local ends, size = redis.call("ZSCORE", KEYS[3], template), redis.call("STRLEN", KEYS[1])
for number = 1, count do
  local copy = namespace .. ":" .. number
  for i = 1, 2 do
    redis.call("COPY", KEYS[i], string.sub(KEYS[i], 1, -#template - 1) .. copy)
  end
  for _, index in ipairs({KEYS[3], KEYS[4], KEYS[7]}) do
    redis.call("ZADD", index, ends - number, copy)
  end
  redis.call("HSET", KEYS[5], copy, size)
  redis.call("INCRBY", KEYS[6], size)
end
"""


def copy_jobs(
    template: str, to: str, queue: str, count: int, *, stem: str, field: str, since: datetime, keep_s: int = 0
) -> None:
    """Put `count` copies of a job on the list `to`, or into the sorted set where `keep_s` says for how long.

    Their ids begin with `stem`; `field` of their record is a time that began at `since`.
    """
    script = patient(store()).register_script(JOBS)
    at, pattern = int(since.timestamp()), since.strftime("%Y-%m-%dT%H:%M:%S.MICROSZ")
    for first in range(0, count, BATCH):
        of_the_template = [key(template) for key in OF_A_JOB]
        many = min(BATCH, count - first)
        script([to, *of_the_template], [template, stem, queue, first, many, field, at + first, keep_s, pattern])


def copy_entries(template: str, namespace: str, count: int) -> None:
    """Write `count` copies of a cache entry, named by their numbers."""
    places = [keys.CACHE_INDEX, keys.cache_keys(namespace), keys.CACHE_SIZES, keys.CACHE_BYTES, keys.CACHE_WRITTEN]
    of_the_template = [keys.cache(template), keys.cache_guard(template)]
    patient(store()).register_script(ENTRIES)([*of_the_template, *places], [template, namespace, count])
