package io.quarkiverse.lock.testkit.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The guide's Java code is compiled and can be pasted as printed, and the properties that it names exist. */
class ExamplesTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();
    private static final Path GUIDE = ROOT.resolve("docs/modules/ROOT");
    private static final Pattern JAVA = Pattern.compile("\\[source,java[^]]*]\n----\n(.*?)\n----\n", Pattern.DOTALL);
    private static final Pattern README_JAVA = Pattern.compile("```java\n(.*?)```\n", Pattern.DOTALL);
    private static final Pattern INCLUDE = Pattern
            .compile("include::\\{examples}([\\w/]+\\.java)\\[(?:tag=(\\w+),indent=0)?]");
    /** Explained step by step on pages that show excerpts and name the complete files. */
    private static final Set<String> WALKED_THROUGH = Set.of("io/quarkiverse/lock/memcached/MemcachedStore.java",
            "io/quarkiverse/lock/memcached/MemcachedEnvironment.java");
    /** For types of each package, an application needs one of these: a page that shows such types names it. */
    private static final Map<String, List<String>> EXTENSIONS = Map.of(
            "io.agroal", List.of("quarkus-agroal"),
            "io.quarkiverse.lock.rest", List.of("quarkus-lock-rest"),
            "io.quarkiverse.lock.test", List.of("quarkus-lock-test"),
            "io.quarkus.hibernate.reactive", List.of("quarkus-hibernate-reactive-panache"),
            "io.quarkus.scheduler", List.of("quarkus-scheduler"),
            "io.restassured", List.of("rest-assured"),
            "jakarta.transaction",
            List.of("quarkus-hibernate-orm", "quarkus-narayana-jta", "quarkus-lock-jpa", "quarkus-agroal"),
            "jakarta.ws.rs", List.of("`quarkus-rest`"),
            "org.eclipse.microprofile.faulttolerance", List.of("quarkus-smallrye-fault-tolerance"),
            "org.eclipse.microprofile.rest.client", List.of("quarkus-rest-client"));
    private static final Pattern TOP_LEVEL = Pattern.compile(
            "^(?:(?:public|final|abstract|sealed|non-sealed) )*(?:class|interface|record|enum|@interface) (\\w+)",
            Pattern.MULTILINE);
    private static final Pattern IMPORT = Pattern.compile("^import (?:static )?([\\w.]+);$", Pattern.MULTILINE);
    private static final Pattern NO_CODE = Pattern.compile("/\\*.*?\\*/|//[^\n]*|\"[^\"\n]*\"|^(?:package|import) .*?$",
            Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern TYPE = Pattern.compile("(?<!\\.)\\b[A-Z]\\w*");
    private static final Pattern CALLOUT = Pattern.compile("// <(\\d+)>|<(\\d+)>$", Pattern.MULTILINE);
    private static final Pattern EXPLAINED = Pattern.compile("\\G<(\\d+)> .*\n(?:(?!<\\d+> )\\S.*\n)*");
    private static final Pattern PROPERTY = Pattern
            .compile("quarkus\\.lock\\.(?:[\\w-]+|\"[^\"\n]*\"|<[\\w-]+>|\\.(?=[\\w\"<]))+");
    /** Names meters, attributes of spans and events, which another test compares with the existing ones. */
    private static final String OBSERVABILITY = "observability.adoc";
    private static final Pattern DOCUMENTED = Pattern.compile("link:#\\S+\\[`(quarkus\\.lock\\.[^`]+)`]");

    static Stream<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(GUIDE.resolve("pages"))) {
            return files.filter(file -> file.toString().endsWith(".adoc") && !file.toString().contains("/includes/"))
                    .sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void javaBlocksIncludeCompleteExamples(Path page) throws IOException {
        String text = Files.readString(page);
        for (Matcher block = JAVA.matcher(text); block.find();) {
            if (block.group(1).contains("@SchedulerLock")) { // an annotation of another library
                continue;
            }
            Matcher include = INCLUDE.matcher(block.group(1));
            assertThat(include.matches()).as("an include of a compiled example: %s", block.group(1)).isTrue();
            String path = include.group(1);
            String shown = shown(path, include.group(2));
            if (include.group(2) == null) {
                assertIsComplete(path, shown);
                assertThat(neighbours(path, shown)).as("what %s needs is on the page", path)
                        .allSatisfy(file -> assertThat(text).containsPattern("\\b" + Pattern.quote(file)));
            } else {
                assertThat(path).as("shown in part").isIn(WALKED_THROUGH);
                assertThat(text).as("where the whole class is").contains(ROOT.relativize(source(path)).toString());
            }
            EXTENSIONS.forEach((types, extensions) -> {
                if (shown.contains("import " + types + ".") || shown.contains("import static " + types + ".")) {
                    assertThat(extensions).as("what %s needs is named", path).anyMatch(text::contains);
                }
            });
            assertThat(explained(text, block.end())).as("explained callouts of %s", include.group())
                    .isEqualTo(callouts(shown));
        }
    }

    /** Some readers paste it from there and read no further. */
    @Test
    void readmeExamplesMatchTheGuide() throws IOException {
        Set<String> examples = new TreeSet<>();
        try (Stream<Path> files = Files.list(GUIDE.resolve("examples/org/acme"))) {
            for (Path example : files.toList()) {
                examples.add(Files.readString(example).replaceAll(" // <\\d+>", ""));
            }
        }
        List<String> printed = README_JAVA.matcher(Files.readString(ROOT.resolve("README.md"))).results()
                .map(block -> block.group(1)).toList();
        assertThat(printed).isNotEmpty().allSatisfy(java -> assertThat(examples).contains(java));
    }

    private static String shown(String path, String tag) throws IOException {
        Path example = GUIDE.resolve("examples").resolve(path);
        assertThat(example).exists();
        String source = Files.readString(example);
        if (tag == null) {
            return source;
        }
        Matcher part = Pattern.compile("(?ms)^ *// tag::" + tag + "\\[]\n(.*?)^ *// end::" + tag + "\\[]$").matcher(source);
        assertThat(part.find()).as("tag %s in %s", tag, path).isTrue();
        return part.group(1);
    }

    /** Pasted into a file of its name, it compiles. */
    private static void assertIsComplete(String path, String source) {
        String name = path.substring(path.lastIndexOf('/') + 1, path.lastIndexOf('.'));
        assertThat(source).startsWith("package " + path.substring(0, path.lastIndexOf('/')).replace('/', '.') + ";\n")
                .doesNotContain("tag::", "end::");
        assertThat(TOP_LEVEL.matcher(source).results().map(type -> type.group(1))).as("top-level types of %s", path)
                .containsExactly(name);
    }

    /** The files of the classes that it uses from its module: its page shows or names them, too. */
    private static List<String> neighbours(String path, String source) throws IOException {
        Path module = module(source(path));
        String folder = path.substring(0, path.lastIndexOf('/') + 1);
        Set<String> files = new TreeSet<>();
        TYPE.matcher(NO_CODE.matcher(source).replaceAll(" ")).results()
                .forEach(type -> files.add(folder + type.group() + ".java"));
        if (module.startsWith(ROOT.resolve("integration-tests"))) { // what other modules import is available to everybody
            IMPORT.matcher(source).results().forEach(type -> files.add(type.group(1).replace('.', '/') + ".java"));
        }
        files.remove(path);
        return files.stream().filter(file -> compiledIn(module, file)).map(file -> file.substring(file.lastIndexOf('/') + 1))
                .toList();
    }

    private static Path module(Path source) {
        return ROOT.resolve(source.subpath(ROOT.getNameCount(), ROOT.getNameCount() + 2));
    }

    private static boolean compiledIn(Path module, String file) {
        return Files.exists(module.resolve("src/main/java").resolve(file))
                || Files.exists(module.resolve("src/test/java").resolve(file));
    }

    private static Path source(String path) throws IOException {
        return sourceFolders().stream().map(folder -> folder.resolve(path)).filter(Files::exists).findFirst().orElseThrow();
    }

    private static List<String> callouts(String source) {
        return CALLOUT.matcher(source).results().map(each -> each.group(1) != null ? each.group(1) : each.group(2)).toList();
    }

    private static List<String> explained(String page, int from) {
        List<String> numbers = new ArrayList<>();
        Matcher each = EXPLAINED.matcher(page).region(from, page.length());
        while (each.find()) {
            numbers.add(each.group(1));
        }
        return numbers;
    }

    /** The build of the guide copies them: {@code mvn process-resources -pl docs}. */
    @Test
    void examplesMatchTheCompiledSources() throws IOException {
        List<Path> examples;
        try (Stream<Path> files = Files.walk(GUIDE.resolve("examples"))) {
            examples = files.filter(Files::isRegularFile).toList();
        }
        assertThat(examples).isNotEmpty();
        List<Path> sources = sourceFolders();
        for (Path example : examples) {
            Path name = GUIDE.resolve("examples").relativize(example);
            assertThat(sources.stream().map(folder -> folder.resolve(name)).filter(Files::exists).toList())
                    .as("where %s is compiled", name)
                    .singleElement().satisfies(source -> assertThat(source).hasSameTextualContentAs(example));
        }
    }

    private static List<Path> sourceFolders() throws IOException {
        List<Path> folders = new ArrayList<>();
        for (String group : List.of("runtime", "deployment", "integration-tests")) {
            try (Stream<Path> modules = Files.list(ROOT.resolve(group))) {
                modules.forEach(module -> {
                    folders.add(module.resolve("src/main/java"));
                    folders.add(module.resolve("src/test/java"));
                });
            }
        }
        return folders;
    }

    @ParameterizedTest
    @MethodSource("pages")
    void propertiesNamedOnAPageExist(Path page) throws IOException {
        assumeFalse(page.endsWith(OBSERVABILITY));
        Set<String> documented = documented();
        assertThat(documented).hasSizeGreaterThan(20);
        Set<String> named = PROPERTY.matcher(Files.readString(page)).results().map(MatchResult::group)
                .map(ExamplesTest::withoutKeys).collect(Collectors.toCollection(TreeSet::new));
        assertThat(named).allSatisfy(property -> assertThat(documented)
                .anyMatch(each -> each.equals(property) || each.startsWith(property + ".")));
    }

    private static Set<String> documented() throws IOException {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.list(GUIDE.resolve("pages/includes"))) {
            for (Path file : files.filter(file -> file.getFileName().toString().startsWith("quarkus-lock")).toList()) {
                DOCUMENTED.matcher(Files.readString(file)).results().map(each -> withoutKeys(each.group(1)))
                        .forEach(names::add);
            }
        }
        return names;
    }

    /** The application chooses the manager and the method. */
    private static String withoutKeys(String property) {
        return property.replaceAll("(quarkus\\.lock\\.(?:managers|overrides))\\.(?:\"[^\"]*\"|<[^>]*>|[\\w-]+)", "$1.*");
    }
}
