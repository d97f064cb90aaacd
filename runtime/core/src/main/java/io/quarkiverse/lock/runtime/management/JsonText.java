package io.quarkiverse.lock.runtime.management;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.acquire.LockNameRule;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;

/** Texts as JSON strings: unlike an address or a form, these have a form for any text. */
final class JsonText {

    private JsonText() {
    }

    /** The text as a JSON string, in its quotes. */
    static String of(String text) {
        return escaped(Json.encode(text));
    }

    /** The same JSON with an escape for each unpaired surrogate: the server would send a question mark. */
    static String escaped(String json) {
        if (LockNameRule.hasUtf8Form(json)) {
            return json;
        }
        StringBuilder escaped = new StringBuilder(json.length() + 16);
        json.codePoints().forEach(c -> {
            if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                escaped.append(String.format("\\u%04x", c));
            } else {
                escaped.appendCodePoint(c);
            }
        });
        return escaped.toString();
    }

    /** The text of a JSON string; {@code null} if it is not one. */
    static @Nullable String read(String json) {
        try {
            return Json.decodeValue(json) instanceof String text ? text : null;
        } catch (DecodeException e) {
            return null;
        }
    }
}
