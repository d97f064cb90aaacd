package io.quarkiverse.lock.deployment.index;

import java.util.Objects;
import java.util.Set;

import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.Type;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.runtime.call.LaterWork;

/** Types of asynchronous results, such as a {@code Uni} or a {@code Future}. */
public final class LaterTypes {

    private LaterTypes() {
    }

    /** The type itself if it is one of them, or else the first in its elements or type arguments; {@code null} without any. */
    public static @Nullable Type first(IndexView index, Type type) {
        return switch (type.kind()) {
            case CLASS -> include(index, type.name()) ? type : null;
            case PARAMETERIZED_TYPE -> include(index, type.name()) ? type : firstInside(index, type);
            case ARRAY -> firstInside(index, type);
            default -> null;
        };
    }

    /** Like {@link #first}, without the type itself. */
    public static @Nullable Type firstInside(IndexView index, Type type) {
        return switch (type.kind()) {
            case PARAMETERIZED_TYPE -> type.asParameterizedType().arguments().stream()
                    .map(argument -> first(index, argument)).filter(Objects::nonNull).findFirst().orElse(null);
            case ARRAY -> first(index, type.asArrayType().constituent());
            default -> null;
        };
    }

    /** Whether the type is one of them, or has one as a parent. */
    public static boolean include(IndexView index, DotName type) {
        return ClassChain.leadsToOneOf(index, type, LaterWork.TYPES);
    }

    /** Whether it is a {@code Multi} with a status and headers for Quarkus REST. */
    public static boolean restMulti(IndexView index, DotName type) {
        return ClassChain.leadsToOneOf(index, type, Set.of(LaterWork.REST_MULTI));
    }

    /** Whether it is a stream of the JDK or of Kotlin, or a query, which may run only later. */
    public static boolean stream(IndexView index, DotName type) {
        return ClassChain.leadsToOneOf(index, type, LaterWork.STREAMS);
    }
}
