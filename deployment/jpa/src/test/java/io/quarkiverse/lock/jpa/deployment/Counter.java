package io.quarkiverse.lock.jpa.deployment;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.Transient;

/** An entity that two callers must not change at once. */
@Entity
public class Counter {

    @Id
    public long id;

    @Column(name = "amount")
    public int value;

    /** Run by the flush. */
    @Transient
    Runnable beforeUpdate;

    @PreUpdate
    void beforeUpdate() {
        if (beforeUpdate != null) {
            beforeUpdate.run();
        }
    }
}
