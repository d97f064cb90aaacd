package io.quarkiverse.lock.sale;

/**
 * One flash sale.
 *
 * @param id names it in the stock and in its lock
 * @param items how many there are to sell
 * @param buyers how many want one
 * @param locked whether a buyer needs the lock
 * @param masterDies whether the master of Redis is killed in the middle of it
 */
public record Sale(String id, int items, int buyers, boolean locked, boolean masterDies) {
}
