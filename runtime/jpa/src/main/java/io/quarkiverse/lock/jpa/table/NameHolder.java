package io.quarkiverse.lock.jpa.table;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.PrintableDuration;

/** Who holds a name, and for how long already, by the database's clock. */
public record NameHolder(String owner, long micros) {

    /** {@code null} if the row does not name its holder. */
    public static @Nullable NameHolder of(@Nullable String owner, long micros) {
        return owner == null ? null : new NameHolder(owner, Math.max(0, micros));
    }

    /** @param holder if known */
    public static Busy busy(@Nullable NameHolder holder) {
        return new Busy(holder == null ? null : PrintableDuration.heldBy(holder.owner, holder.nanos()));
    }

    /**
     * Tells a waiting claim.
     *
     * @param holder if known
     * @param now by the clock of this JVM
     */
    public static void tell(Claim waiting, @Nullable NameHolder holder, long now) {
        if (holder == null) {
            waiting.heldBy(null);
        } else {
            waiting.heldBy(holder.owner, now - holder.nanos());
        }
    }

    private long nanos() {
        return TimeUnit.MICROSECONDS.toNanos(micros);
    }
}
