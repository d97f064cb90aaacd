-- In a grace, before release.lua: a reclaim of this claim may still be on its way, and must find that the claim is over.
ARGV[4] = math.max(ARGV[4], graceLeft)
