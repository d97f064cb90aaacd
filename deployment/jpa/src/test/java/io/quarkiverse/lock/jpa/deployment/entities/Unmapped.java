package io.quarkiverse.lock.jpa.deployment.entities;

import jakarta.persistence.Embeddable;

/** Annotated, but used by no entity. */
@Embeddable
public class Unmapped {

    public int shelf = 5;
}
