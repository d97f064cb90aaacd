-- Ends a claim, whatever has become of it: gives back its grant, or takes it out of the queue. Touches only what carries
-- the claim, so it can be repeated until it is answered.
--
-- ARGV[3] claim  [4] for how many ms later requests of the claim are to be refused: 0 if all of them were answered, so
-- that none can still be on its way
-- Replies RELEASED waiters | WITHDRAWN waiters | ABSENT waiters | FORMAT v
local claim, refuse = ARGV[3], tonumber(ARGV[4])

-- The fence and this holder, and nothing else.
local all = redis.call('HGETALL', key)
if refuse == 0 and #all == 4 then
  local own = 'h:' .. claim
  local mine = all[1] == own and all[2] or all[3] == own and all[4]
  if mine then
    redis.call('HDEL', key, own)
    redis.call('PEXPIREAT', key, number(now + retention))
    return { tonumber(string.match(mine, '^(%d+)')) > now and 'RELEASED' or 'ABSENT', 0 }
  end
end

local format = load(nil, all)
if format then
  return { 'FORMAT', format }
end
sweep()
local status = 'ABSENT'
if hold[claim] then
  ungrant(claim)
  status = 'RELEASED'
elseif wait[claim] then
  redis.call('HDEL', key, 'w:' .. claim)
  wait[claim] = nil
  waiters = waiters - 1
  status = 'WITHDRAWN'
end
if refuse > 0 then
  tomb[claim] = now + refuse
  redis.call('HSET', key, 'x:' .. claim, number(tomb[claim]))
end
dispatch(nil)
finish()
return { status, waiters }
