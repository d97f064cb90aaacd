-- In a grace, before release: a reclaim of this claim may still be on its way, and must find that it is over.
ARGV[4] = math.max(ARGV[4], graceLeft)
