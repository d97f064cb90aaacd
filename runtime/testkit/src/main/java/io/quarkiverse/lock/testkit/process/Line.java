package io.quarkiverse.lock.testkit.process;

/**
 * One line between parent and child: a kind, a number and a text without line breaks.
 *
 * @param kind {@code ?} request, {@code =} result, {@code !} failure, {@code *} event
 * @param number the request's number; for an event, its time
 */
record Line(char kind, long number, String text) {

    static final char REQUEST = '?';
    static final char RESULT = '=';
    static final char FAILURE = '!';
    static final char EVENT = '*';

    static Line parse(String line) {
        int space = line.indexOf(' ');
        return new Line(line.charAt(0), Long.parseLong(line.substring(1, space)),
                line.substring(space + 1).translateEscapes());
    }

    @Override
    public String toString() {
        return kind + Long.toString(number) + ' '
                + text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
    }
}
