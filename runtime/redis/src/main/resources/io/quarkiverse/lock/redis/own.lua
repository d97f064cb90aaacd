-- In a grace, before release.lua, keep.lua and downgrade.lua: these calls come from the holder, so its hold is put back if the
-- data lack it.
--
-- What follows the ARGV of the script: incarnation, owner, channel, fence, mode, limit, lease
-- Replies an error INCARNATION inc if the call was meant for another life of this server. It may have been under way since
-- then, and has changed nothing.
do
  local n = #ARGV
  if ARGV[n - 6] ~= incarnation then
    return redis.error_reply('INCARNATION ' .. incarnation)
  end
  s.speaks({ owner = ARGV[n - 5], channel = ARGV[n - 4], fence = ARGV[n - 3], mode = ARGV[n - 2], limit = ARGV[n - 1],
      lease = ARGV[n] })
end
