package io.quarkiverse.lock.jpa.runtime;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The address of a database, for people. */
final class JdbcUrl {

    /** The parameters come after it. With other characters than these, there may be a user and a password in it. */
    private static final Pattern HARMLESS = Pattern.compile("(jdbc:[\\w:/.,~$\\[\\]-]+)(?:[?;].*)?");

    private JdbcUrl() {
    }

    /** Without its parameters; empty if credentials may be elsewhere in it. */
    static String printable(String url) {
        Matcher harmless = HARMLESS.matcher(url);
        return harmless.matches() ? harmless.group(1) : "";
    }
}
