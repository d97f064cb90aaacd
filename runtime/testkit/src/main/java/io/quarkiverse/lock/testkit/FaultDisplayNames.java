package io.quarkiverse.lock.testkit;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayNameGenerator;

/** Shows {@code fault07_aGrantWhoseReplyIsLost} as "Fault 7: a grant whose reply is lost". Other tests keep their names. */
public final class FaultDisplayNames extends DisplayNameGenerator.Standard {

    private static final Pattern NUMBERED = Pattern.compile("fault(\\d+)_(.+)");

    @Override
    public String generateDisplayNameForMethod(List<Class<?>> enclosing, Class<?> testClass, Method method) {
        Matcher name = NUMBERED.matcher(method.getName());
        return name.matches() ? "Fault " + Integer.parseInt(name.group(1)) + ": " + words(name.group(2))
                : super.generateDisplayNameForMethod(enclosing, testClass, method);
    }

    private static String words(String name) {
        return name.replaceAll("(?<=[^_])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
    }
}
