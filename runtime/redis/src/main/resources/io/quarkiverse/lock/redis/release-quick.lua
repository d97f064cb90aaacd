-- The quick beginning of release.lua, in front of all functions because defining them takes time. It handles a name that has
-- this holder and nothing else, and a holder that excludes all others and hands the name to another of its kind. In any other
-- case it changes nothing, and the script goes on behind it.
--
-- ARGV[3] claim  [4] for how many ms later requests of the claim are to be refused
if ARGV[4] == '0' then
  local own, shorter = 'h:' .. ARGV[3], 'm:' .. ARGV[3]
  local known = redis.call('HMGET', key, own, 'v', 'q', 'f', 'e')
  local live = known[1] and tonumber(string.match(known[1], '^%d+')) > now
  if known[1] and not known[2] and not known[3] and not known[5] then
    redis.call('HDEL', key, own, shorter)
    local last = (known[4] or 0) / 1000
    redis.call('PEXPIREAT', key, string.format('%.0f', (last > now and math.floor(last) or now) + retention))
    return { live and 'RELEASED' or 'ABSENT', 0 }
  end
  local waiters, ticket, first, last, who
  if live and known[2] and known[4] and known[5] then
    waiters, ticket, first, last, who =
        string.match(known[2], '^2|(%d+)|(%d+)|1|X|([^|]+)|([^|]+)|%d+|%d+||%d+|([^|]+)$')
  end
  if who == ARGV[3] then
    local next = redis.call('HMGET', key, 'w:' .. first, 'a:' .. first)
    local mode, limit, channel, seen, lease, owner =
        string.match(next[1] or '', '^%d+|(X)|(%d+)|([^|]*)|(%d+)|(%d+)|(.*)$')
    if mode and tonumber(seen) > now and (first == last) == not next[2]
        and (cluster or channel == '' or redis.pcall('PUBLISH', channel, 'P|0') ~= 0) then
      waiters = waiters - 1
      local fence = string.format('%.0f', math.max(known[4] + 1, us))
      local lives = now + math.min(CLAIM_LEASE, tonumber(lease))
      local expiry = string.format('%.0f', lives)
      if next[2] then
        redis.call('HDEL', key, own, shorter, 'w:' .. first, 'a:' .. first, 'b:' .. next[2])
      else
        redis.call('HDEL', key, own, shorter, 'w:' .. first)
        last = ''
      end
      redis.call('HSET', key, 'f', fence, 'h:' .. first, expiry .. '|X|' .. limit .. '|' .. channel .. '|' .. fence .. '|'
          .. string.format('%.0f', now) .. '|' .. owner, 'v', '2|' .. waiters .. '|' .. ticket .. '|1|X|' .. (next[2] or '') .. '|'
          .. last .. '|0|1||' .. expiry .. '|' .. first)
      local latest = math.max(lives, math.floor(fence / 1000))
      if latest > tonumber(known[5]) then
        redis.call('HSET', key, 'e', string.format('%.0f', latest))
        redis.call('PEXPIREAT', key, string.format('%.0f', latest + retention))
      end
      if channel ~= '' then
        redis.pcall('PUBLISH', channel, 'G|' .. first .. '|' .. fence .. '|' .. waiters)
      end
      return { 'RELEASED', waiters }
    end
  end
end
