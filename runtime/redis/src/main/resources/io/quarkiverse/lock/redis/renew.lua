-- Extends holds, each under its own key: in a cluster one at a time, otherwise up to 250. Reads only the hold and what finish()
-- has left for it, so it needs no other file. A hold that is gone is never recreated.
--
-- ARGV[1] retention in ms  [2] channel, '' for none, then for each key: claim, lease in ms; with a minus if the hold is to end
-- no later than that; and if requests that said so got no reply, # and how many: those may still come late
-- Replies for each key: how many wait for it, or -1 if the hold is gone; if somebody asks for its release, -2 if nobody waits,
-- -3 if one does, and so on. Then the last ticket, or the time if nobody waits, since the next ticket is not behind it: this
-- tells the holder which of two pieces of news about waiters is the newer one
local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]
local now = math.floor(us / 1000)
local retention, channel = tonumber(ARGV[1]), ARGV[2]
-- Most of the cost of a hold is its three commands and the calls to them, so the script does little else.
local match, sub, byte = string.match, string.sub, string.byte

-- Most holds in a call end at the same time, so each time is formatted once.
local printed = {}
local function text(ms)
  local known = printed[ms]
  if not known then
    known = string.format('%.0f', ms)
    printed[ms] = known
  end
  return known
end

local reply = {}
for i, key in ipairs(KEYS) do
  local claim = ARGV[2 * i + 1]
  local field = 'h:' .. claim
  local state = redis.call('HMGET', key, field, 'v', 'e', 'f')
  local record = state[1] or ''
  -- The second and third result say where its mode and its channel are
  local expiry, mode, from = match(record, '^(%d+)|()%a!?|%d+|()')
  expiry = tonumber(expiry)
  local waiters, ticket = 0, us
  if expiry and expiry > now then
    local lease, lost, known = tonumber(ARGV[2 * i + 2]), 0, 0
    if not lease or lease < 0 then
      local ms, count = match(ARGV[2 * i + 2], '^(-?%d+)#?(%d*)$')
      lease, lost = tonumber(ms), tonumber(count) or 0
      known = tonumber(redis.call('HGET', key, 'm:' .. claim) or 0)
    end
    -- Without a minus, a hold never gets shorter: a renewal delayed in a buffer must not undo a longer one after it.
    local lives = lease < 0 and lost >= known and now - lease or math.max(expiry, now + lease)
    local last = math.max(lives, tonumber(state[3] or 0))
    local given = (state[4] or 0) / 1000 -- when the last fence was given
    if given > last then
      last = math.floor(given)
    end
    -- First, because a script that has written may go on when the memory is full, and no lock may be lost over that.
    redis.call('PEXPIREAT', key, text(last + retention))
    if lost > known then
      redis.call('HSET', key, 'm:' .. claim, lost)
    end
    -- A hold that was granted before its JVM had subscribed gets its channel here.
    local to = from + #channel
    local rest
    if channel == '' or sub(record, from, to - 1) == channel and byte(record, to) == 124 then -- a |
      rest = sub(record, mode - 1)
    else
      rest = sub(record, mode - 1, from - 1) .. channel .. match(record, '|.*$', from)
    end
    local ends = text(lives)
    local asked = byte(record, mode + 1) == 33 -- a !
    if state[2] then
      local wait, newest, holders = string.match(state[2], '^2|(%d+)|(%d+)|(%d+)|')
      waiters, ticket = tonumber(wait or 0), tonumber(newest or 0)
      if waiters == 0 then
        ticket = math.max(ticket, us)
      end
      if tonumber(state[3] or 0) < last then
        redis.call('HSET', key, field, ends .. rest, 'e', text(last))
      else
        redis.call('HSET', key, field, ends .. rest)
      end
      -- The heap is ordered by lower bounds of the expiries, so a holder that now ends before its bound moves up.
      if lives < expiry and tonumber(holders or 0) > 1 then
        local root = string.match(state[2], '%d+|[^|]+$')
        local function bound(item)
          return tonumber(string.match(item or '', '^%d+') or 0)
        end
        local function item(at)
          return at == 1 and root or redis.call('HGET', key, 'p:' .. at)
        end
        local at = tonumber(redis.call('HGET', key, 'i:' .. claim) or 1)
        if bound(item(at)) > lives then
          while at > 1 do
            local up = math.floor((at - 2) / 4) + 1
            local above = item(up)
            if bound(above) <= lives then
              break
            end
            redis.call('HSET', key, 'p:' .. at, above, 'i:' .. string.match(above, '|(.*)$'), at)
            at = up
          end
          if at == 1 then
            redis.call('HDEL', key, 'i:' .. claim)
            redis.call('HSET', key, 'v', string.sub(state[2], 1, #state[2] - #root) .. ends .. '|' .. claim)
          else
            redis.call('HSET', key, 'p:' .. at, ends .. '|' .. claim, 'i:' .. claim, at)
          end
        end
      end
    elseif state[3] and tonumber(state[3]) < last then
      -- A hash of format 1, whose renewals rely on this field
      redis.call('HSET', key, field, ends .. rest, 'e', text(last))
    else
      redis.call('HSET', key, field, ends .. rest)
    end
    reply[2 * i - 1] = asked and -2 - waiters or waiters
  else
    reply[2 * i - 1] = -1
  end
  reply[2 * i] = ticket
end
return reply
