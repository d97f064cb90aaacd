package io.quarkiverse.lock.jpa.runtime;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The address of a database, for people. */
final class JdbcUrl {

    private static final String PLAIN = "[\\w:/.,~$\\[\\]\\\\-]+";

    /**
     * The parameters come after it: in Db2 after a colon, in some other databases after a semicolon, which elsewhere may be in
     * a password. With other characters than these, there may be a user and a password in it; in Oracle with any.
     */
    private static final Pattern HARMLESS = Pattern.compile("(?!jdbc:(?:[\\w-]+:)*(?i:oracle):)"
            + "(jdbc:db2://[\\w:.,-]+/\\w+(?=:)|jdbc:(?:[\\w-]+:)*(?:h2|derby|sqlserver|jtds|as400):" + PLAIN + "(?=;)"
            + "|jdbc:" + PLAIN + "(?=\\?|$))(.*)");

    /**
     * A user and a password may come before the at sign. Any character may be in them, so only one that is alone is the end,
     * and it may be in the parameters if there is a question mark before it.
     */
    private static final Pattern ORACLE = Pattern
            .compile("(jdbc:oracle:\\w+:)(?:/?|[^@?]*(?=@[^@]*$))(@[\\w:/.,$\\[\\]-]+)(?:\\?.*)?");

    /** A value in braces may contain semicolons, and closing braces twice. */
    private static final Pattern PROPERTY_OF_SQL_SERVER = Pattern
            .compile("\\G;\\s*([^;={}]*?)\\s*=\\s*(\\{(?:[^}]++|}})*+}|[^;{}]*)(?=;|$)");

    private static final Set<String> PLACES = Set.of("servername", "server", "instancename", "portnumber", "port",
            "databasename", "database");

    private JdbcUrl() {
    }

    /** Without its parameters, unless they say where the database is; empty if credentials may be elsewhere in it. */
    static String printable(String url) {
        Matcher oracle = ORACLE.matcher(url);
        if (oracle.matches()) {
            return oracle.group(1) + oracle.group(2);
        }
        Matcher harmless = HARMLESS.matcher(url);
        if (!harmless.matches()) {
            return "";
        }
        String address = harmless.group(1);
        return address.startsWith("jdbc:sqlserver:") ? address + places(harmless.group(2)) : address;
    }

    private static String places(String properties) {
        var places = new StringBuilder();
        Matcher property = PROPERTY_OF_SQL_SERVER.matcher(properties);
        while (property.find()) {
            if (PLACES.contains(property.group(1).toLowerCase(Locale.ROOT))) {
                places.append(';').append(property.group(1)).append('=').append(property.group(2));
            }
        }
        return places.toString();
    }
}
