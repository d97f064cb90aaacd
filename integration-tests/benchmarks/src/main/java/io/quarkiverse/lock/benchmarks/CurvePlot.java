package io.quarkiverse.lock.benchmarks;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A curve as a picture in SVG. Both axes are logarithmic, so proportional growth is a slope of one. */
final class CurvePlot {

    private static final int WIDTH = 720;
    private static final int HEIGHT = 400;
    private static final int LEFT = 80;
    private static final int RIGHT = 560;
    private static final int TOP = 50;
    private static final int BOTTOM = 340;
    /** Distinguishable for colour-blind readers, too. */
    private static final List<String> COLOURS = List.of("#0072b2", "#d55e00", "#009e73", "#cc79a7");

    private final Curve curve;
    private final Map<String, Map<Integer, Double>> points;
    private final StringBuilder svg = new StringBuilder();
    private final Axis across;
    private final Axis up;

    /** @param points by side and size */
    CurvePlot(Curve curve, Map<String, Map<Integer, Double>> points) {
        this.curve = curve;
        this.points = points;
        across = Axis.over(points.values().stream().flatMap(line -> line.keySet().stream()).map(Integer::doubleValue).toList(),
                LEFT, RIGHT);
        up = Axis.over(points.values().stream().flatMap(line -> line.values().stream()).toList(), BOTTOM, TOP);
    }

    String svg() {
        add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">",
                WIDTH, HEIGHT);
        add("<title>%s</title>", escape(curve.title()));
        add("<rect width=\"%d\" height=\"%d\" fill=\"white\"/>", WIDTH, HEIGHT);
        text(LEFT, 28, "start", "#000", curve.title());
        for (double power : across.powers()) {
            line(across.at(power), TOP, across.at(power), BOTTOM, "#ddd", 1);
            text(across.at(power), BOTTOM + 20, "middle", "#333", number(power));
        }
        for (double power : up.powers()) {
            line(LEFT, up.at(power), RIGHT, up.at(power), "#ddd", 1);
            text(LEFT - 8, up.at(power) + 4, "end", "#333", number(power));
        }
        text((LEFT + RIGHT) / 2.0, BOTTOM + 44, "middle", "#000", curve.across());
        add("<text x=\"20\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 20 %d)\">%s</text>", (TOP + BOTTOM) / 2,
                (TOP + BOTTOM) / 2, escape(curve.up()));
        int side = 0;
        for (var each : points.entrySet()) {
            line(each.getKey(), each.getValue(), COLOURS.get(side % COLOURS.size()), TOP + 20 * side);
            side++;
        }
        return svg.append("</svg>\n").toString();
    }

    private void line(String label, Map<Integer, Double> line, String colour, int labelAt) {
        var path = new StringBuilder();
        line.forEach((size, cost) -> {
            path.append(String.format(Locale.ROOT, "%.1f,%.1f ", across.at(size), up.at(cost)));
            add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>", across.at(size), up.at(cost), colour);
        });
        add("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>", path.toString().strip(), colour);
        line(RIGHT + 16, labelAt + 6, RIGHT + 36, labelAt + 6, colour, 2);
        text(RIGHT + 42, labelAt + 10, "start", "#000", label);
    }

    private void line(double x1, double y1, double x2, double y2, String colour, int width) {
        add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%d\"/>", x1, y1, x2, y2, colour,
                width);
    }

    private void text(double x, double y, String anchor, String colour, String text) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>", x, y, anchor, colour, escape(text));
    }

    private void add(String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }

    private static String number(double power) {
        return power >= 1 ? String.format(Locale.ROOT, "%,.0f", power) : String.valueOf(power);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /**
     * From one power of ten to another.
     *
     * @param from the pixel of the first
     * @param to that of the last
     */
    private record Axis(int first, int last, int from, int to) {

        static Axis over(Collection<Double> values, int from, int to) {
            double least = values.stream().mapToDouble(Double::doubleValue).min().orElse(1);
            double most = values.stream().mapToDouble(Double::doubleValue).max().orElse(1);
            int first = (int) Math.floor(Math.log10(least));
            return new Axis(first, Math.max(first + 1, (int) Math.ceil(Math.log10(most))), from, to);
        }

        double at(double value) {
            return from + (Math.log10(value) - first) / (last - first) * (to - from);
        }

        double[] powers() {
            double[] powers = new double[last - first + 1];
            for (int i = 0; i < powers.length; i++) {
                powers[i] = Math.pow(10, first + i);
            }
            return powers;
        }
    }
}
