package io.quarkiverse.lock.testkit.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** The main class of a {@link ChildJvm}. */
final class ChildLauncher implements ChildMain.Child {

    private static final long SHUTDOWN_SECONDS = 20;

    private final PrintStream toParent;

    private ChildLauncher(PrintStream toParent) {
        this.toParent = toParent;
    }

    public static void main(String[] arguments) throws Exception {
        // Nothing else that prints may get between the lines of the protocol
        var launcher = new ChildLauncher(new PrintStream(System.out, false, StandardCharsets.UTF_8));
        System.setOut(System.err);
        var main = (ChildMain) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        main.start(Arrays.copyOfRange(arguments, 1, arguments.length), launcher);
        launcher.event("ready");
        launcher.serve(main);
        end();
    }

    @Override
    public void event(String text) {
        send(new Line(Line.EVENT, System.nanoTime(), text));
    }

    private void serve(ChildMain main) throws IOException {
        var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            Line request = Line.parse(line);
            daemon("request-" + request.number(), () -> answer(main, request));
        }
    }

    private void answer(ChildMain main, Line request) {
        try {
            send(new Line(Line.RESULT, request.number(), main.handle(request.text(), this)));
        } catch (Throwable e) {
            send(new Line(Line.FAILURE, request.number(), e.toString()));
        }
    }

    private synchronized void send(Line line) {
        toParent.print(line + "\n");
        toParent.flush();
    }

    /** The parent has closed the input, or is gone: shut down in order, but within a limited time. */
    private static void end() {
        daemon("halt", () -> {
            try {
                TimeUnit.SECONDS.sleep(SHUTDOWN_SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Runtime.getRuntime().halt(3);
        });
        System.exit(0);
    }

    private static void daemon(String name, Runnable task) {
        var thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }
}
