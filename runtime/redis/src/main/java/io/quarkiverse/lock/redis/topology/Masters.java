package io.quarkiverse.lock.redis.topology;

import java.util.List;

/**
 * The servers that have names, as of one moment.
 *
 * @param addresses in an order that stays the same
 * @param version changes when a slot has moved from one of them to another
 */
public record Masters(List<String> addresses, String version) {
}
