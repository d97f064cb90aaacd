package io.quarkiverse.lock.it.observability;

import static io.restassured.RestAssured.post;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.lock.it.RedisResource;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.path.json.JsonPath;

/** The guide's table and the dashboard name meters that exist; and the table names all of them. */
@QuarkusTest
@QuarkusTestResource(RedisResource.class)
@QuarkusTestResource(ZooKeeperResource.class)
@QuarkusTestResource(DatabaseResource.class)
class GuideTest {

    private static final Path GUIDE = Path.of("../../docs/modules/ROOT");
    private static final Pattern TABLE_ROW = Pattern.compile("^\\|`(quarkus\\.lock\\.[a-z.]+)`");
    private static final Pattern QUERIED = Pattern.compile("quarkus_lock_[a-z_]+");
    private static final Pattern LABELS = Pattern.compile("(?:by \\(([^)]*)\\)|(\\w+)=~)");

    @Inject
    MeterRegistry registry;

    @BeforeEach
    void lockOnce() {
        post("jobs/once/1").then().statusCode(204);
    }

    @Test
    void guideListsAllMeters() throws IOException {
        Set<String> documented = section("metrics").stream()
                .map(TABLE_ROW::matcher).filter(Matcher::find).map(row -> row.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> there = registry.getMeters().stream().map(meter -> meter.getId().getName())
                .filter(name -> name.startsWith("quarkus.lock.")).collect(Collectors.toCollection(TreeSet::new));

        assertThat(documented).isEqualTo(there);
    }

    private static List<String> section(String anchor) throws IOException {
        List<String> page = Files.readAllLines(GUIDE.resolve("pages/observability.adoc"));
        List<String> rest = page.subList(page.indexOf("[#" + anchor + "]") + 2, page.size());
        return rest.stream().takeWhile(line -> !line.startsWith("== ")).toList();
    }

    @Test
    void guideListsAllSpanAttributes() throws IOException {
        Set<String> documented = section("traces").stream().map(TABLE_ROW::matcher).filter(Matcher::find)
                .map(row -> row.group(1)).collect(Collectors.toCollection(TreeSet::new));

        assertThat(documented).isEqualTo(SpansTest.ATTRIBUTES);
    }

    @Test
    void dashboardQueriesExistingMeters() {
        Set<String> there = Meters.read().names();
        JsonPath dashboard = JsonPath.from(GUIDE.resolve("attachments/grafana-dashboard.json").toFile());
        List<String> queries = dashboard.getList("panels.targets.flatten().expr");
        assertThat(queries).hasSizeGreaterThan(10);

        List<String> choices = dashboard.getList("templating.list.findAll { it.type == 'query' }.query.query");
        assertThat(choices).hasSize(2).allSatisfy(choice -> assertThat(choice)
                .matches("label_values\\(quarkus_lock_acquired_total, (manager|template)\\)"));
        assertThat(there).contains("quarkus_lock_acquired_total");

        Set<String> queried = new TreeSet<>();
        for (String query : queries) {
            Matcher name = QUERIED.matcher(query);
            assertThat(name.find()).as(query).isTrue();
            do {
                queried.add(name.group());
            } while (name.find());
            Matcher labels = LABELS.matcher(query);
            while (labels.find()) {
                String found = labels.group(1) == null ? labels.group(2) : labels.group(1);
                assertThat(List.of(found.split(", *"))).as(query)
                        .isSubsetOf("manager", "backend", "template", "outcome", "le", "instance");
            }
        }
        assertThat(there).containsAll(queried);
        assertThat(families(queried)).as("all meters are on the dashboard").isEqualTo(families(there));
    }

    @ParameterizedTest
    @ValueSource(strings = { "observability", "production" })
    void alertsQueryExistingMeters(String page) throws IOException {
        Set<String> asked = QUERIED.matcher(Files.readString(GUIDE.resolve("pages/" + page + ".adoc"))).results()
                .map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
        assertThat(asked).hasSizeGreaterThanOrEqualTo(3);
        assertThat(Meters.read().names()).containsAll(asked);
    }

    /** Without the suffixes that Prometheus adds for each kind of meter. */
    private static Set<String> families(Set<String> names) {
        return names.stream().map(name -> name.replaceAll("_(bucket|count|sum|max)$", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
