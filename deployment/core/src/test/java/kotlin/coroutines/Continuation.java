package kotlin.coroutines;

/** What the Kotlin compiler adds to a suspend function, for applications of tests. */
public interface Continuation<T> {
}
