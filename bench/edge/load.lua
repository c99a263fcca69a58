-- wrk script. Arguments: file of whole requests, and how many milliseconds a connection pauses on average (0: never).
local requests = {}
local at = 0
local pause = 0

function init(args)
  local file = assert(io.open(args[1], "rb"))
  local text = file:read("*a")
  file:close()
  local from = 1
  while true do
    local stop = text:find("\0", from, true)
    requests[#requests + 1] = text:sub(from, (stop or 0) - 1)
    if not stop then break end
    from = stop + 1
  end
  pause = tonumber(args[2] or "0")
  math.randomseed(20261121)
end

function request()
  at = at % #requests + 1
  return requests[at]
end

-- Exponential pauses: what comes is as good as independent.
function delay()
  if pause == 0 then return 0 end
  return math.floor(-pause * math.log(1 - math.random()) + 0.5)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"micros":%d,"p50_us":%d,"p99_us":%d,"max_us":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency.max,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
