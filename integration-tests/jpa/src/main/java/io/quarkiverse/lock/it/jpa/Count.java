package io.quarkiverse.lock.it.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** How many calls an order has received. */
@Entity
@Table(name = "counts") // count is a reserved word in some of MariaDB's modes
public class Count {

    @Id
    public String id;

    @Column(name = "amount")
    public long value;
}
