package jakarta.ws.rs.core;

import java.io.IOException;
import java.io.OutputStream;

/** What a REST endpoint returns to write its response later, for applications of tests. */
public interface StreamingOutput {

    void write(OutputStream output) throws IOException;
}
