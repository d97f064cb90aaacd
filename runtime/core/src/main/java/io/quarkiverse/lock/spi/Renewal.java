package io.quarkiverse.lock.spi;

import java.util.List;

/**
 * The outcome of renewing some grants. Each of them is in exactly one of the lists.
 *
 * @param renewed grants that are kept for their lease from the time the request was sent
 * @param lost grants that are gone: the backend has no live grant under their token
 * @param unknown grants without an answer; they count as neither extended nor lost
 */
public record Renewal(List<? extends Grant> renewed, List<? extends Grant> lost, List<? extends Grant> unknown) {
}
