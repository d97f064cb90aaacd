package io.quarkiverse.lock.sale;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;

/** Sells one item to one buyer, with the lock or without. */
@ApplicationScoped
public class Shop {

    private final Stock stock;

    Shop(Stock stock) {
        this.stock = stock;
    }

    /** One buyer at a time, in the whole cluster. */
    @Locked("sale-{sale.id}")
    public boolean sell(Sale sale, String buyer) {
        return sellUnlocked(sale, buyer);
    }

    /** Reads, decides, writes. A buyer that comes in between decides on the same number. */
    public boolean sellUnlocked(Sale sale, String buyer) {
        int left = stock.left(sale.id());
        if (left == 0) {
            return false;
        }
        stock.write(sale.id(), left - 1);
        stock.order(sale.id(), buyer);
        return true;
    }
}
