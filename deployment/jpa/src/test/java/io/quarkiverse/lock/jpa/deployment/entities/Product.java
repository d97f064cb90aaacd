package io.quarkiverse.lock.jpa.deployment.entities;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.PostLoad;
import jakarta.persistence.Transient;

/** Public fields, also inherited ones, as with Panache. */
@Entity
public class Product extends Numbered {

    public int shelf;
    public boolean sold;
    public String aisle;
    @Transient
    public String note = "none";
    @Transient
    public int noted;
    public transient int passing;
    @ManyToOne(fetch = FetchType.LAZY)
    public Product successor;
    public int written;

    @PostLoad
    void loaded() {
        noted = shelf;
        passing = shelf;
    }

    /** Wins over the field. */
    public int getWritten() {
        return written;
    }
}
