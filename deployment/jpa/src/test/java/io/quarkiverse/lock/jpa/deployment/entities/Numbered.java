package io.quarkiverse.lock.jpa.deployment.entities;

import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;

/** The parent of entities. */
@MappedSuperclass
public abstract class Numbered {

    @Id
    public Long id;
    public int place;
}
