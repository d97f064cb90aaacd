package io.quarkiverse.lock.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Measures how cost grows, prints the figures as Markdown and draws a plot of each curve.
 *
 * <ul>
 * <li>{@code -Dgrowth.rounds}: how often each point is measured, of which the median counts; default 3</li>
 * <li>{@code -Dgrowth.seconds}: how long a measurement lasts, default 2</li>
 * <li>{@code -Dgrowth.most}: no size beyond this one, default 100,000</li>
 * <li>{@code -Dgrowth.only}: a part of the names of the curves to measure</li>
 * <li>{@code -Dgrowth.plots}: the directory of the plots, default {@code target/growth}</li>
 * </ul>
 */
public final class Growth {

    private Growth() {
    }

    public static void main(String[] arguments) throws IOException {
        int rounds = Integer.getInteger("growth.rounds", 3);
        long nanos = (long) (Double.parseDouble(System.getProperty("growth.seconds", "2")) * TimeUnit.SECONDS.toNanos(1));
        int most = Integer.getInteger("growth.most", 100_000);
        String only = System.getProperty("growth.only", "");
        Path plots = Path.of(System.getProperty("growth.plots", "target/growth"));
        Files.createDirectories(plots);
        System.out.println("JDK " + Runtime.version() + ", " + Runtime.getRuntime().availableProcessors()
                + " processors, medians of " + rounds + " rounds of " + nanos / 1e9 + " s\n");
        for (Curve curve : curves()) {
            if (curve.name().contains(only)) {
                Map<String, Map<Integer, Double>> points = points(curve, rounds, nanos, most);
                System.out.println(table(curve, points));
                Files.writeString(plots.resolve("growth-" + curve.name() + ".svg"), new CurvePlot(curve, points).svg());
            }
        }
        System.exit(0); // libraries leave threads behind
    }

    static List<Curve> curves() {
        return List.of(new HandOverCurve(), new WaitingCurve(), new ReaderCurve(), new HeldNamesCurve(),
                new ZooKeeperHandOverCurve());
    }

    /** By side and size. The sides take turns in each round. */
    static Map<String, Map<Integer, Double>> points(Curve curve, int rounds, long nanos, int most) {
        Map<String, Map<Integer, Double>> medians = new LinkedHashMap<>();
        curve.sides().forEach(side -> medians.put(side, new LinkedHashMap<>()));
        for (int size : curve.sizes()) {
            if (size > most) {
                break;
            }
            Map<String, List<Double>> measured = new LinkedHashMap<>();
            for (int round = 0; round < rounds; round++) {
                for (String side : curve.sides()) {
                    System.err.println(curve.name() + ", " + side + ", " + size + " ...");
                    measured.computeIfAbsent(side, first -> new ArrayList<>()).add(curve.measure(side, size, nanos));
                }
            }
            measured.forEach((side, all) -> medians.get(side).put(size, median(all)));
        }
        return medians;
    }

    private static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static String table(Curve curve, Map<String, Map<Integer, Double>> points) {
        var text = new StringBuilder("**" + curve.title() + "** (" + curve.up() + ")\n\n| " + curve.across() + " |");
        points.keySet().forEach(side -> text.append(' ').append(side).append(" |"));
        text.append("\n| --- |").append(" --- |".repeat(points.size())).append('\n');
        for (int size : points.values().iterator().next().keySet()) {
            text.append(String.format(Locale.ROOT, "| %,d |", size));
            points.values().forEach(line -> text.append(String.format(Locale.ROOT, " %,.1f |", line.get(size))));
            text.append('\n');
        }
        return text.toString();
    }
}
