-- In a grace, before keep: as in release-grace.
ARGV[5] = math.max(ARGV[5], graceLeft)
