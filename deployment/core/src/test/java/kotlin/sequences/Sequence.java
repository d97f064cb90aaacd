package kotlin.sequences;

import java.util.Iterator;

/** What Kotlin reads only when somebody iterates, for applications of tests. */
public interface Sequence<T> {

    Iterator<T> iterator();
}
