-- Puts a note beside a waiting claim. Notes have a separate hash, by claim. Nothing that decides who gets the name reads it,
-- and it expires once nobody writes to it any more.
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
-- There may always be somebody who writes, so notes of claims that no longer wait are removed once they are the majority
if redis.call('HLEN', KEYS[2]) > 2 * s.waiters + 16 then
  local notes = redis.call('HGETALL', KEYS[2])
  for i = 1, #notes, 2 do
    if not redis.call('HGET', key, 'w:' .. notes[i]) then
      redis.call('HDEL', KEYS[2], notes[i])
    end
  end
end
return { 'NOTED', 1 }
