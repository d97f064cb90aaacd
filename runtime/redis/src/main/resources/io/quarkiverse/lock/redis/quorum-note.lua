-- Puts a note beside a place in the line. Notes have a separate hash, by place. Nothing that decides who gets the name reads
-- it, and it expires once nobody writes to it any more.
--
-- KEYS[3] the notes of the name  ARGV[2] claim|channel|owner  [3] note  [4] how long it is kept, in ms
-- Replies 1, or 0 if the claim has no place here
if not redis.call('ZSCORE', waiting, ARGV[2]) then
  return 0
end
redis.call('HSET', KEYS[3], ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[3], ARGV[4])
-- There may always be somebody who writes, so notes of claims that no longer wait are removed once they are the majority
if redis.call('HLEN', KEYS[3]) > 2 * redis.call('ZCARD', waiting) + 16 then
  for _, place in ipairs(redis.call('HKEYS', KEYS[3])) do
    if not redis.call('ZSCORE', waiting, place) then
      redis.call('HDEL', KEYS[3], place)
    end
  end
end
return 1
