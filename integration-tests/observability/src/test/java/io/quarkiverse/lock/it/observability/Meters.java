package io.quarkiverse.lock.it.observability;

import static io.restassured.RestAssured.when;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What Prometheus would read. */
record Meters(Map<String, Double> samples) {

    private static final Pattern SAMPLE = Pattern.compile("(\\S+?\\{.*}|[^\\s{]+) (\\S+)");

    static Meters read() {
        Map<String, Double> samples = new LinkedHashMap<>();
        when().get("/q/metrics").then().statusCode(200).extract().asString().lines()
                .filter(line -> line.startsWith("quarkus_lock_"))
                .forEach(line -> {
                    Matcher sample = SAMPLE.matcher(line.replaceAll(" # \\{.*", "")); // without its exemplar
                    if (sample.matches()) {
                        samples.put(sample.group(1), Double.valueOf(sample.group(2)));
                    }
                });
        return new Meters(samples);
    }

    /** The sum of all samples of this name that have these tags, each as {@code name="value"}. */
    double sum(String name, String... tags) {
        return samples.entrySet().stream()
                .filter(sample -> name(sample.getKey()).equals(name) && hasAll(sample.getKey(), tags))
                .mapToDouble(Map.Entry::getValue).sum();
    }

    private static boolean hasAll(String sample, String... tags) {
        for (String tag : tags) {
            if (!sample.contains(tag)) {
                return false;
            }
        }
        return true;
    }

    private static String name(String sample) {
        int tags = sample.indexOf('{');
        return tags < 0 ? sample : sample.substring(0, tags);
    }

    Set<String> names() {
        Set<String> names = new TreeSet<>();
        samples.keySet().forEach(sample -> names.add(name(sample)));
        return names;
    }

    /** All values of a tag. */
    Set<String> values(String tag) {
        Set<String> values = new TreeSet<>();
        Pattern value = Pattern.compile("\\b" + tag + "=\"((?:[^\"\\\\]|\\\\.)*)\"");
        samples.keySet().forEach(sample -> {
            Matcher found = value.matcher(sample);
            while (found.find()) {
                values.add(found.group(1));
            }
        });
        return values;
    }
}
