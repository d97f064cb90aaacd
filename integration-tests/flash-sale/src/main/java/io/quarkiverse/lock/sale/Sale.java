package io.quarkiverse.lock.sale;

/**
 * One flash sale.
 *
 * @param id the name of the sale in the stock and in its lock
 * @param items how many items are for sale
 * @param buyers how many buyers want one
 * @param locked whether a buyer needs the lock
 * @param masterDies whether the master of Redis is killed in the middle of it
 */
public record Sale(String id, int items, int buyers, boolean locked, boolean masterDies) {
}
