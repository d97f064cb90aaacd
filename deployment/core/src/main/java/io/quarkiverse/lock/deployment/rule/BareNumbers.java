package io.quarkiverse.lock.deployment.rule;

import java.util.regex.Pattern;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.deployment.method.LockedMethodBuildItem;
import io.quarkiverse.lock.runtime.config.Durations;
import io.quarkiverse.lock.spi.PrintableDuration;

/** Warns about long durations without a unit: they are seconds, and were perhaps meant as the milliseconds of ShedLock. */
public final class BareNumbers {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    private static final Pattern LARGE = Pattern.compile("[1-9]\\d{3,12}");

    private BareNumbers() {
    }

    public static void warn(LockedMethodBuildItem locked) {
        warn(locked, "maxHold", locked.definition().maxHold());
        warn(locked, "holdAtLeast", locked.definition().holdAtLeast());
    }

    private static void warn(LockedMethodBuildItem locked, String member, String text) {
        if (LARGE.matcher(text).matches()) {
            LOG.warnf("[%s] @Locked(%s = \"%s\") is %s: a number without a unit is one of seconds. Write \"%3$sms\" if it "
                    + "should be milliseconds, or \"%3$ss\"", locked.definition().description(), member, text,
                    PrintableDuration.of(Durations.parse(text)));
        }
    }
}
