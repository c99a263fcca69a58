import { createHash } from 'node:crypto';
import type { Script } from './connection.js';

/**
 * One atomic write. Uses commands of Redis 6.2. Keys are not declared, so a cluster is not supported.
 *
 * ARGV: prefix, stamp, feed entries to keep, number of checks, {key, version that was read or ''}…, {operation, key, value}…
 * Operations: `S` set, `D` delete, `K` set with expiry (value: `<ms> <text>`), `V` set a value, which has no stamp
 * (`<ms, or nothing> <text>`), `Z` set in a sorted set, `R` remove from it, `F` append to the feed, `Q` add to the counts of
 * a quota (core's store/quota-ledger.ts). Returns {0, key
 * that has changed, or whose quota the write would exceed} or {1, first sequence number, last}.
 */
export const COMMIT: Script = script(`
local prefix, stamp, keep, checks = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local at = 5
for _ = 1, checks do
  local key, last = ARGV[at], 15
  if string.sub(key, 1, 2) == 'v/' then last = -1 end
  if redis.call('GETRANGE', prefix .. key, 0, last) ~= ARGV[at + 1] then return {0, key} end
  at = at + 2
end
local counts = {}
for place = at, #ARGV, 3 do
  if ARGV[place] == 'Q' then
    local more, had = {}, {}
    for number in string.gmatch(ARGV[place + 2], '%S+') do more[#more + 1] = tonumber(number) end
    local stored = string.sub(redis.call('GET', prefix .. ARGV[place + 1]) or '', 17)
    for number in string.gmatch(stored, '%S+') do had[#had + 1] = tonumber(number) end
    local hour, runs = more[2], had[1] or 0
    if hour == 0 or had[2] == hour + 1 then hour = had[2] or 0 end
    if had[2] ~= hour then runs = 0 end
    runs = runs + more[1]
    local open, bytes = (had[3] or 0) + more[3], (had[4] or 0) + more[4]
    if more[6] and (runs > more[6] or open > more[7] or bytes > more[8]) then return {0, ARGV[place + 1]} end
    counts[place] = string.format('%.0f %.0f %.0f %.0f %.0f', runs, hour, open, bytes, (had[5] or 0) + more[5])
  end
end
local feed, first, last = prefix .. 'f', 0, 0
while at < #ARGV do
  local operation, key, value = ARGV[at], prefix .. ARGV[at + 1], ARGV[at + 2]
  at = at + 3
  if operation == 'S' then redis.call('SET', key, stamp .. value)
  elseif operation == 'D' then redis.call('DEL', key)
  elseif operation == 'K' then
    local space = string.find(value, ' ', 1, true)
    redis.call('SET', key, stamp .. string.sub(value, space + 1), 'PX', string.sub(value, 1, space - 1))
  elseif operation == 'V' then
    local space = string.find(value, ' ', 1, true)
    if space == 1 then redis.call('SET', key, string.sub(value, 2))
    else redis.call('SET', key, string.sub(value, space + 1), 'PX', string.sub(value, 1, space - 1)) end
  elseif operation == 'Q' then redis.call('SET', key, stamp .. counts[at - 3])
  elseif operation == 'Z' or operation == 'R' then
    local space = string.find(value, ' ', 1, true)
    local name = string.sub(value, 1, space - 1)
    redis.call('ZREMRANGEBYLEX', key, '[' .. name .. ' ', '(' .. name .. '!')
    if operation == 'Z' then redis.call('ZADD', key, 0, value) end
  elseif operation == 'F' then
    last = redis.call('INCR', prefix .. 'm/feed')
    if first == 0 then first = last end
    local entry = string.format('{"sequence":%d,"run":', last) .. value .. '}'
    redis.call('ZADD', feed, 0, string.format('%016d ', last) .. entry)
  end
end
if last > 0 then
  redis.call('ZREMRANGEBYRANK', feed, 0, -(keep + 1))
  redis.call('PUBLISH', 'culprit:feed', last)
end
return {1, first, last}
`);

/**
 * Runs after every connect. A restarted Redis, or a replica that took over, may have lost the last writes. Its sequence
 * numbers cannot be continued, so a new epoch starts. ARGV: prefix, the server's run id, an epoch to use.
 */
export const JOIN: Script = script(`
local prefix = ARGV[1]
local epoch, server = redis.call('GET', prefix .. 'm/epoch'), redis.call('GET', prefix .. 'm/server')
if server ~= ARGV[2] then
  redis.call('SET', prefix .. 'm/server', ARGV[2])
  epoch = ARGV[3]
  redis.call('SET', prefix .. 'm/epoch', epoch)
end
return {epoch, redis.call('GET', prefix .. 'm/feed') or '0'}
`);

/** Reserves run numbers. ARGV: key, how many. Returns the first. The stamp stays the same, so that nobody collides at it. */
export const RESERVE: Script = script(`
local first = tonumber(string.sub(redis.call('GET', ARGV[1]) or '', 17)) or 0
redis.call('SET', ARGV[1], string.rep('0', 16) .. string.format('%.0f', first + tonumber(ARGV[2])))
return first
`);

/** Sets a value if it is absent, and returns the value. ARGV: key, value. */
export const SET_IF_ABSENT: Script = script(`
redis.call('SET', ARGV[1], ARGV[2], 'NX')
return redis.call('GET', ARGV[1])
`);

function script(lua: string): Script {
  return { lua, sha1: createHash('sha1').update(lua).digest('hex') };
}
