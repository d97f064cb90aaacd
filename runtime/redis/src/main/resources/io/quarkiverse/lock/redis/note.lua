-- Puts a note beside a claim that waits. Notes lie in a hash of their own, by claim: nothing that decides who gets the name reads
-- them, and what nobody writes again goes by itself.
--
-- KEYS[2] the notes of the name  ARGV[3] claim  [4] note  [5] how long it is kept, in ms
-- Replies NOTED 1 | NOTED 0 when the claim does not wait | FORMAT v
local format = s.load(nil)
if format then
  return { 'FORMAT', format }
end
local seen = string.match(redis.call('HGET', key, 'w:' .. ARGV[3]) or '', '^%d+|%a|%d+|[^|]*|(%d+)|')
if not seen or tonumber(seen) <= now then
  return { 'NOTED', 0 }
end
redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
redis.call('PEXPIREAT', KEYS[2], number(now + tonumber(ARGV[5])))
-- Somebody may always write one, so those of claims that wait no more are taken out when they are the most
if redis.call('HLEN', KEYS[2]) > 2 * s.waiters + 16 then
  local notes = redis.call('HGETALL', KEYS[2])
  for i = 1, #notes, 2 do
    if not redis.call('HGET', key, 'w:' .. notes[i]) then
      redis.call('HDEL', KEYS[2], notes[i])
    end
  end
end
return { 'NOTED', 1 }
