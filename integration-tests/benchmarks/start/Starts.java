import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How much later the application with a lock starts than the plain one, and its cost. The two take turns. Figures are medians;
 * those of the difference are medians of the differences within each turn.
 */
public class Starts {

    private static final boolean NATIVE = Boolean.getBoolean("start.native");
    private static final int TURNS = Integer.getInteger("start.turns", 20);
    private static final int CALLS = 1_000;
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /**
     * Times in ms, memory in MiB.
     *
     * @param started when the application says that it has started
     * @param startedCpu how long its threads have run until then
     * @param answered when the first call has been answered
     * @param answeredCpu how long its threads have run until then
     * @param memory resident, after a thousand calls
     * @param wakeUps how often its threads have gone to sleep in a second without calls
     */
    record Start(double started, double startedCpu, double answered, double answeredCpu, double memory, double wakeUps) {
    }

    private final String redis;
    private int worse;

    Starts(String redis) {
        this.redis = redis;
    }

    public static void main(String[] arguments) throws Exception {
        int port = freePort();
        Process redis = new ProcessBuilder("redis-server", "--port", "" + port, "--bind", "127.0.0.1", "--save", "",
                "--appendonly", "no").redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        boolean failed;
        try {
            awaitListening(port);
            var starts = new Starts("redis://127.0.0.1:" + port);
            starts.measure(Path.of(arguments[0]), Path.of(arguments[1]));
            failed = starts.worse > 0;
        } finally {
            redis.destroyForcibly();
        }
        System.exit(failed ? 1 : 0);
    }

    private void measure(Path plain, Path locked) throws Exception {
        List<Start> plains = new ArrayList<>();
        List<Start> lockeds = new ArrayList<>();
        start(plain); // loads the files from the disk
        start(locked);
        for (int turn = 0; turn < TURNS; turn++) {
            plains.add(start(plain));
            lockeds.add(start(locked));
        }
        System.out.println("Medians of " + TURNS + (NATIVE ? " native" : "") + " starts in turn, one each.\n");
        System.out.println("| | plain | with a lock | difference | bar | |");
        System.out.println("|---|--:|--:|--:|--:|---|");
        row("started, ms", plains, lockeds, Start::started, NATIVE ? 5 : 60);
        row("CPU until then, ms", plains, lockeds, Start::startedCpu, -1);
        row("first answer, ms", plains, lockeds, Start::answered, -1);
        row("CPU until then, ms", plains, lockeds, Start::answeredCpu, -1);
        row("resident after " + CALLS + " calls, MiB", plains, lockeds, Start::memory, NATIVE ? 3 : -1);
        row("wake-ups in an idle second", plains, lockeds, Start::wakeUps, -1);
        if (!NATIVE) {
            System.out.println("| classes loaded at the first answer | " + classes(plain) + " | " + classes(locked) + " | "
                    + (classes(locked) - classes(plain)) + " | | |");
        }
    }

    private void row(String what, List<Start> plains, List<Start> lockeds, ToDoubleFunction<Start> figure, double bar) {
        double[] differences = new double[plains.size()];
        for (int i = 0; i < differences.length; i++) {
            differences[i] = figure.applyAsDouble(lockeds.get(i)) - figure.applyAsDouble(plains.get(i));
        }
        double difference = median(differences);
        boolean passed = difference <= bar;
        if (bar >= 0 && !passed) {
            worse++;
        }
        System.out.printf("| %s | %.1f | %.1f | %.1f | %s | %s |%n", what,
                median(plains.stream().mapToDouble(figure).toArray()), median(lockeds.stream().mapToDouble(figure).toArray()),
                difference, bar < 0 ? "" : "%.0f".formatted(bar), bar < 0 ? "" : passed ? "PASS" : "FAIL");
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        int half = values.length / 2;
        return values.length % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    }

    private Start start(Path application) throws Exception {
        int port = freePort();
        long begun = System.nanoTime();
        Process process = launch(application, port);
        try (BufferedReader lines = output(process)) {
            awaitStarted(lines);
            double started = millisSince(begun);
            double startedCpu = cpu(process);
            call(port);
            double answered = millisSince(begun);
            double answeredCpu = cpu(process);
            for (int i = 1; i < CALLS; i++) {
                call(port);
            }
            double memory = memory(process);
            Thread.sleep(1_000); // the aftermath of the calls is over
            long before = sleeps(process);
            Thread.sleep(2_000);
            double wakeUps = (sleeps(process) - before) / 2.0;
            return new Start(started, startedCpu, answered, answeredCpu, memory, wakeUps);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private Process launch(Path application, int port, String... options) throws IOException {
        List<String> command = new ArrayList<>();
        if (!NATIVE) {
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of(options));
        } else {
            command.add(application.toString());
        }
        command.addAll(List.of("-Xmx64m", "-Dquarkus.http.port=" + port, "-Dquarkus.redis.hosts=" + redis));
        if (!NATIVE) {
            command.addAll(List.of("-jar", application.toString()));
        }
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static BufferedReader output(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream()));
    }

    private static void awaitStarted(BufferedReader lines) throws IOException {
        StringBuilder all = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            all.append(line).append('\n');
            if (line.contains("Installed features")) {
                return;
            }
        }
        throw new IllegalStateException("It has not started:\n" + all);
    }

    private int classes(Path application) throws Exception {
        int port = freePort();
        Path log = Files.createTempFile("classes-", ".log");
        Process process = launch(application, port, "-Xlog:class+load:file=" + log);
        try (BufferedReader lines = output(process)) {
            awaitStarted(lines);
            call(port);
        } finally {
            process.destroyForcibly().waitFor();
        }
        try (var loaded = Files.lines(log)) {
            return (int) loaded.filter(line -> line.contains("source:")).count();
        } finally {
            Files.delete(log);
        }
    }

    private static void call(int port) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/stock/7"))
                .POST(BodyPublishers.noBody()).build();
        var answer = HTTP.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.statusCode() + ": " + answer.body());
        }
    }

    private static double millisSince(long begun) {
        return (System.nanoTime() - begun) / 1e6;
    }

    /** Of all existing threads, in ms. */
    private static double cpu(Process process) throws IOException {
        double sum = 0;
        for (Path thread : threads(process)) {
            sum += Double.parseDouble(read(thread.resolve("schedstat"), "0 0 0").split(" ")[0]) / 1e6;
        }
        return sum;
    }

    private static long sleeps(Process process) throws IOException {
        long sum = 0;
        for (Path thread : threads(process)) {
            sum += number(read(thread.resolve("status"), ""), "voluntary_ctxt_switches:");
        }
        return sum;
    }

    private static double memory(Process process) throws IOException {
        return number(Files.readString(Path.of("/proc", "" + process.pid(), "status")), "VmRSS:") / 1024.0;
    }

    private static long number(String status, String field) {
        return status.lines().filter(line -> line.startsWith(field))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", ""))).sum();
    }

    private static List<Path> threads(Process process) throws IOException {
        try (var threads = Files.list(Path.of("/proc", "" + process.pid(), "task"))) {
            return threads.toList();
        }
    }

    /** A thread may end meanwhile. */
    private static String read(Path file, String otherwise) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return otherwise;
        }
    }

    private static int freePort() {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitListening(int port) throws InterruptedException {
        for (int i = 0;; i++) {
            try (var socket = new Socket("127.0.0.1", port)) {
                return;
            } catch (IOException e) {
                if (i == 200) {
                    throw new UncheckedIOException(e);
                }
                Thread.sleep(50);
            }
        }
    }
}
