package io.quarkiverse.lock.it.jpa.pessimistic;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** How many calls have been counted. */
@Entity
public class Count {

    @Id
    public String id;

    @Column(name = "amount")
    public long value;
}
