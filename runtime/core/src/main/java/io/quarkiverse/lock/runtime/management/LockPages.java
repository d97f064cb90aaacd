package io.quarkiverse.lock.runtime.management;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.quarkiverse.lock.text.PrintableName;

/** Locks as a page, for people. All foreign text in it passes through {@link #text} or {@link Parameters#encoded}. */
final class LockPages {

    private static final String STYLE = """
            body { font-family: sans-serif; margin: 2em }
            table { border-collapse: collapse }
            td, th { border: 1px solid #bbb; padding: .3em .6em; text-align: left; vertical-align: top }
            td:first-child { overflow-wrap: anywhere; max-width: 40em }
            """;

    /** Changes need the header, so they are not forms. */
    private static final String SCRIPT = """
            document.addEventListener('click', async event => {
              const button = event.target.closest('button[data-action]');
              if (!button) return;
              const action = button.dataset.action, row = button.closest('tr');
              if (button.dataset.question && !confirm(button.dataset.question)) return;
              const said = document.getElementById('said');
              try {
                const answer = await fetch(document.body.dataset.base + action, {
                  method: 'POST',
                  headers: { 'X-Quarkus-Lock': 'page', 'Content-Type': 'application/x-www-form-urlencoded' },
                  body: 'manager=' + document.body.dataset.manager + '&' + row.dataset.name
                });
                const told = await answer.json();
                said.textContent = !answer.ok ? told.detail
                    : !told.held ? 'Nobody held it' : action === 'force-release' ? 'Taken away' : 'Asked to release it';
              } catch (e) {
                said.textContent = String(e);
              }
            });
            """;

    /** If a name were not escaped after all, the browser would still not run it. */
    static final String CONTENT_SECURITY_POLICY = "default-src 'none'; style-src '" + sha256(STYLE) + "'; script-src '"
            + sha256(SCRIPT) + "'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    private final Managers managers;

    LockPages(Managers managers) {
        this.managers = managers;
    }

    /** @param base the location of this endpoint's parts, relative to the address of the page */
    String of(String base, String manager, LockQuery query, LockQuery.Page page) {
        StringBuilder html = new StringBuilder(4096);
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Locks</title>\n<style>")
                .append(STYLE).append("</style></head>\n<body data-base=\"").append(base).append("\" data-manager=\"")
                .append(Parameters.encoded(manager)).append("\">\n<h1>Locks</h1>\n");
        if (managers.switchedOff()) {
            html.append("<p>Locks are switched off in this JVM (quarkus.lock.enabled=false).</p>\n");
        }
        filter(html, base, manager, query);
        html.append("<p id=\"said\" role=\"status\"></p>\n");
        html.append(
                "<table>\n<tr><th>Name</th><th>Held by</th><th>Waiting JVMs</th><th>Waiting in this JVM</th><th></th></tr>\n");
        page.locks().forEach(lock -> row(html, base, manager, lock));
        html.append("</table>\n");
        if (page.locks().isEmpty()) {
            html.append("<p>None on this page.</p>\n");
        }
        page.next().ifPresent(next -> html.append("<p><a href=\"").append(base).append("../lock?manager=")
                .append(Parameters.encoded(manager)).append("&amp;").append(Parameters.encoded("prefix", next.prefix()))
                .append("&amp;pageSize=").append(next.pageSize()).append("&amp;")
                .append(Parameters.encoded("continuation", String.valueOf(next.continuation())))
                .append("\">Next page</a></p>\n"));
        return html.append("<script>").append(SCRIPT).append("</script>\n</body>\n</html>\n").toString();
    }

    private void filter(StringBuilder html, String base, String manager, LockQuery query) {
        html.append("<form action=\"").append(base).append("../lock\"><label>Manager <select name=\"manager\">");
        for (String each : managers.names()) {
            html.append(each.equals(manager) ? "<option selected>" : "<option>").append(text(each)).append("</option>");
        }
        html.append("</select></label> <label>Names that begin with <input name=\"prefix\" value=\"")
                .append(text(query.prefix())).append("\"></label> <input type=\"hidden\" name=\"pageSize\" value=\"")
                .append(query.pageSize()).append("\"><button>Show</button></form>\n");
    }

    private void row(StringBuilder html, String base, String manager, LockInfo lock) {
        String name = Parameters.encoded("name", lock.name());
        html.append("<tr data-name=\"").append(name).append("\"><td><a href=\"").append(base).append("inspect?manager=")
                .append(Parameters.encoded(manager)).append("&amp;").append(name).append("\">")
                .append(text(PrintableName.oneLine(lock.name()))).append("</a></td><td>");
        for (LockInfo.Holder holder : lock.holders()) {
            html.append("<div>").append(text(PrintableName.oneLine(holder.owner()))).append(", ")
                    .append(HoldSettings.modeText(holder.mode(), holder.limit())).append(limit(holder.limit()))
                    .append(", token ").append(holder.fencingToken())
                    .append(", for ").append(duration(holder.heldFor()));
            if (!holder.remaining().isZero()) {
                html.append(", lease ends in ").append(duration(holder.remaining()));
            }
            html.append("</div>");
        }
        html.append("</td><td>").append(lock.waiters());
        for (LockInfo.Waiter waiter : lock.waiting()) {
            html.append("<div>").append(text(PrintableName.oneLine(waiter.owner()))).append(", ")
                    .append(HoldSettings.modeText(waiter.mode(), waiter.limit())).append(limit(waiter.limit()))
                    .append(", for ").append(duration(waiter.waitingFor())).append("</div>");
        }
        html.append("</td><td>").append(managers.waitingHere(manager, lock.name())).append("</td><td>");
        if (!lock.holders().isEmpty()) {
            html.append("<button data-action=\"request-release\">Request release</button> ")
                    .append("<button data-action=\"force-release\" data-question=\"").append(question(lock.holders()))
                    .append("\">Force release</button>");
        }
        html.append("</td></tr>\n");
    }

    /** Readers of one JVM may be a single entry. */
    private static String question(List<LockInfo.Holder> holders) {
        return holders.size() == 1 && holders.get(0).mode() != LockMode.SHARED
                ? "The holder may still be at work. Take the lock away from it?"
                : "All holders may still be at work. Take the lock away from all of them (" + holders.size() + " listed)?";
    }

    private static String limit(int limit) {
        return limit > 0 ? " to " + limit : "";
    }

    private static String duration(Duration duration) {
        return text(PrintableDuration.of(duration));
    }

    /** Escapes text for the body of an element, and for an attribute in quotes. */
    static String text(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;").replace("'",
                "&#39;");
    }

    private static String sha256(String source) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(source.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }
}
