package io.quarkiverse.lock.it.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** How many calls an order has had. */
@Entity
public class Count {

    @Id
    public String id;

    @Column(name = "amount")
    public long value;
}
