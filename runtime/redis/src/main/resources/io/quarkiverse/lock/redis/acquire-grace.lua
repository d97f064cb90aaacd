-- In a grace, before acquire: the claim has a hold in the data whose reply it has never had. They may be older than what became of
-- that, so it is not confirmed: whoever waits goes on to, and one who does not has nothing left here.
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
