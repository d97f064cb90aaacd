import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.xml.parsers.DocumentBuilderFactory;

import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * The licences of everything that the extensions bring into an application, according to the artifacts' own descriptions. Reads
 * only the local repository. Fails if an artifact has none, or one that does not go with the Apache License.
 */
class Licences {

    private static final Pattern ALLOWED = Pattern.compile("(?i).*(apache|\\bmit\\b|bsd|eclipse|\\bepl\\b|\\bedl\\b|cc0|public domain).*");

    /** @param arguments class paths */
    public static void main(String[] arguments) throws Exception {
        var all = new TreeMap<String, String>();
        for (String classPath : arguments) {
            for (String jar : classPath.split(File.pathSeparator)) {
                Path pom = Path.of(jar.replaceFirst("(-[a-z_]+)?\\.jar$", ".pom"));
                if (!Files.exists(pom)) {
                    pom = Path.of(jar.replaceFirst("\\.jar$", ".pom"));
                }
                if (jar.endsWith(".jar") && Files.exists(pom)) { // else it is one of ours
                    all.put(pom.getFileName().toString().replaceFirst("\\.pom$", ""), licences(pom));
                }
            }
        }
        all.forEach((artifact, licence) -> System.out.printf("%-60s %s%n", artifact, licence));
        List<String> refused = all.entrySet().stream().filter(each -> !ALLOWED.matcher(each.getValue()).matches())
                .map(each -> each.getKey()).toList();
        if (all.isEmpty() || !refused.isEmpty()) {
            System.err.println("Not allowed, or not known: " + refused);
            System.exit(1);
        }
    }

    /** The licences of this artifact, or else of its parent. */
    private static String licences(Path pom) throws Exception {
        Element project = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile()).getDocumentElement();
        Element licences = child(project, "licenses");
        if (licences != null) {
            List<String> names = new ArrayList<>();
            for (Node node = licences.getFirstChild(); node != null; node = node.getNextSibling()) {
                if (node instanceof Element licence && child(licence, "name") != null) {
                    names.add(child(licence, "name").getTextContent().strip());
                }
            }
            return names.stream().collect(Collectors.joining(" or "));
        }
        Element parent = child(project, "parent");
        if (parent == null) {
            return "";
        }
        String group = text(parent, "groupId");
        String artifact = text(parent, "artifactId");
        String version = text(parent, "version");
        Path file = repository(pom).resolve(group.replace('.', '/')).resolve(artifact).resolve(version)
                .resolve(artifact + "-" + version + ".pom");
        return Files.exists(file) ? licences(file) : "";
    }

    private static Path repository(Path pom) {
        Path path = pom;
        while (!path.getFileName().toString().equals("repository")) {
            path = path.getParent();
        }
        return path;
    }

    private static String text(Element of, String name) {
        return child(of, name).getTextContent().strip();
    }

    private static Element child(Element of, String name) {
        for (Node node = of.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element && element.getTagName().equals(name)) {
                return element;
            }
        }
        return null;
    }
}
