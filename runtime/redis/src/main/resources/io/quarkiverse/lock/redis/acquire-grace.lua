-- In a grace, before acquire.lua: the data contain a grant of this claim, but the claim never got the reply. The data may be
-- older than the end of that grant, so it is not confirmed: a claim that waits goes on waiting, and one that does not wait
-- loses the grant here.
local all = nil -- what is read in front of it elsewhere
if not s.load(ARGV[3]) then
  local mine = s.live(ARGV[3])
  if mine and not mine.kept then
    if ARGV[8] ~= '1' then
      s.ungrant(ARGV[3], mine)
      s.finish()
    end
    return { ARGV[8] == '1' and 'QUEUED' or 'BUSY', number(s.fence), s.waiters, graceLeft, '', 0 }
  end
end
