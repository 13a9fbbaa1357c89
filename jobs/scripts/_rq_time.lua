-- Needs: _now. The time as RQ writes it: 2026-11-29T12:30:05.123456Z (days to date after Howard Hinnant's civil_from_days).
local function rq_time()
  local seconds = math.floor(now_us / 1000000)
  local days = math.floor(seconds / 86400)
  local of_day = seconds - days * 86400
  local shifted = days + 719468
  local era = math.floor(shifted / 146097)
  local day_of_era = shifted - era * 146097
  local year_of_era = math.floor((day_of_era - math.floor(day_of_era / 1460)
    + math.floor(day_of_era / 36524) - math.floor(day_of_era / 146096)) / 365)
  local day_of_year = day_of_era - (365 * year_of_era + math.floor(year_of_era / 4) - math.floor(year_of_era / 100))
  local shifted_month = math.floor((5 * day_of_year + 2) / 153)
  local day = day_of_year - math.floor((153 * shifted_month + 2) / 5) + 1
  local month = shifted_month < 10 and shifted_month + 3 or shifted_month - 9
  local year = year_of_era + era * 400 + (month <= 2 and 1 or 0)
  return string.format("%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", year, month, day, math.floor(of_day / 3600),
    math.floor(of_day / 60) % 60, of_day % 60, now_us - seconds * 1000000)
end
