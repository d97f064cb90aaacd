package io.quarkiverse.lock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** Each curve can be measured and drawn, and the guide has a plot of each. */
class GrowthTest {

    private static final Path GUIDE = Path.of("../../docs/modules/ROOT");

    @ParameterizedTest
    @MethodSource("io.quarkiverse.lock.benchmarks.Growth#curves")
    @EnabledIfSystemProperty(named = "lock.test.full", matches = "(?!false).*", disabledReason = "starts many clients")
    void measuresEachSide(Curve curve) {
        Map<String, Map<Integer, Double>> points = Growth.points(curve, 1, TimeUnit.MILLISECONDS.toNanos(200), 10);
        assertThat(points.keySet()).containsExactlyElementsOf(curve.sides());
        assertThat(points.values()).allSatisfy(line -> assertThat(line.values()).isNotEmpty()
                .allSatisfy(cost -> assertThat(cost).isPositive()));
    }

    @ParameterizedTest
    @MethodSource("io.quarkiverse.lock.benchmarks.Growth#curves")
    void guideShowsEachCurve(Curve curve) throws Exception {
        String file = "growth-" + curve.name() + ".svg";
        assertThat(Files.readString(GUIDE.resolve("pages/growth.adoc"))).contains("image::" + file);
        assertThat(Files.readString(GUIDE.resolve("images").resolve(file))).contains(curve.title(), curve.across(), curve.up(),
                curve.sides().get(0), curve.sides().get(1));
    }

    @Test
    void plotAxesAreLogarithmic() throws Exception {
        String svg = new CurvePlot(new ReaderCurve(),
                Map.of("ours", new java.util.TreeMap<>(Map.of(1, 1.0, 10, 10.0, 100, 100.0))))
                .svg();
        Document picture = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new InputSource(new StringReader(svg)));
        assertThat(picture.getElementsByTagName("polyline").item(0).getAttributes().getNamedItem("points").getNodeValue())
                .isEqualTo("80.0,340.0 320.0,195.0 560.0,50.0");
    }
}
