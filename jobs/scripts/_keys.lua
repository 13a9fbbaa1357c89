-- Prefixes of the keys whose last part only the script learns, from ARGV[1] (jobs/keys.py, PREFIXES).
local prefix = cjson.decode(ARGV[1])
