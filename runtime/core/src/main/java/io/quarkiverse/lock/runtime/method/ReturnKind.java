package io.quarkiverse.lock.runtime.method;

/** When a method's work is over. */
public enum ReturnKind {
    /** When it returns. */
    BLOCKING,
    /** When the {@code Uni} it returns ends, for each subscription. */
    UNI,
    /** When the {@code Multi} it returns ends or is cancelled, for each subscription. */
    MULTI,
    /** When the {@code CompletionStage} it returns ends. */
    COMPLETION_STAGE
}
