package io.quarkiverse.lock.spi;

import java.util.List;

/**
 * The outcome of renewing some grants. Each of them is in exactly one of the lists.
 *
 * @param renewed kept for their lease from the time the request was sent
 * @param lost not theirs any more: the backend has no live grant under their token
 * @param unknown no answer for these; they are neither extended nor lost
 */
public record Renewal(List<? extends Grant> renewed, List<? extends Grant> lost, List<? extends Grant> unknown) {
}
