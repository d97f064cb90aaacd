package io.quarkiverse.lock.testkit.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** Each released jar can be used as a module: it has a unique name, and so has each of its packages. */
class ModuleNamesTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();
    private static final Pattern NAME = Pattern.compile("<module.name>(.*)</module.name>");

    @Test
    void moduleNamesMatchTheirPackages() throws IOException {
        List<Path> modules = modules();
        assertThat(modules).hasSizeGreaterThan(10);
        List<String> names = new ArrayList<>();
        for (Path module : modules) {
            Matcher name = NAME.matcher(Files.readString(module.resolve("pom.xml")));
            assertThat(name.find()).as("%s has a <module.name>", module).isTrue();
            assertThat(packages(module)).as("packages of %s", module)
                    .allMatch(each -> (each + ".").startsWith(name.group(1) + "."));
            names.add(name.group(1));
        }
        assertThat(names).doesNotHaveDuplicates();
    }

    @Test
    void noPackageIsSplit() throws IOException {
        Map<String, Path> owners = new HashMap<>();
        for (Path module : modules()) {
            for (String each : packages(module)) {
                assertThat(owners.put(each, module)).as("another module with %s of %s", each, module).isNull();
            }
        }
    }

    private static List<Path> modules() throws IOException {
        List<Path> modules = new ArrayList<>();
        for (String kind : List.of("runtime", "deployment")) {
            try (Stream<Path> all = Files.list(ROOT.resolve(kind))) {
                all.filter(module -> Files.exists(module.resolve("pom.xml"))).forEach(modules::add);
            }
        }
        return modules;
    }

    private static List<String> packages(Path module) throws IOException {
        Path sources = module.resolve("src/main/java");
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(file -> sources.relativize(file.getParent()).toString().replace('/', '.')).distinct().toList();
        }
    }
}
