package io.quarkiverse.lock.jpa.deployment;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Something that two must not change at once. */
@Entity
public class Counter {

    @Id
    public long id;

    @Column(name = "amount")
    public int value;
}
