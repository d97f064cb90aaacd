package io.quarkiverse.lock.jpa.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the sockets of a listening connection do, and whose URL gets them. */
@Timeout(20)
class PromptSocketsTest {

    private ServerSocket server;
    private Socket socket;
    private Socket peer;

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        socket = new PromptSockets().createSocket(server.getInetAddress(), server.getLocalPort());
        peer = server.accept();
    }

    @AfterEach
    void close() throws IOException {
        peer.close();
        socket.close();
        server.close();
    }

    @Test
    void pollingReadDoesNotBlock() throws IOException {
        socket.setSoTimeout(1);
        InputStream in = socket.getInputStream();
        assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class).hasMessage("Nothing to read");
        socket.setSoTimeout(1);
        assertThatThrownBy(() -> in.read(new byte[8], 0, 8)).isInstanceOf(SocketTimeoutException.class)
                .hasMessage("Nothing to read");
    }

    @Test
    void pollingReadSeesAvailableData() throws IOException {
        InputStream in = socket.getInputStream();
        peer.getOutputStream().write(new byte[] { 7, 8, 9 });
        assertThat(in.read()).as("it has arrived").isEqualTo(7);
        socket.setSoTimeout(1);
        byte[] rest = new byte[8];
        assertThat(in.read(rest, 0, 8)).isEqualTo(2);
        assertThat(rest).startsWith(8, 9);
    }

    @Test
    void nonPollingReadBlocks() throws IOException {
        InputStream in = socket.getInputStream();
        socket.setSoTimeout(1);
        socket.setSoTimeout(50);
        assertThatThrownBy(in::read).as("the JDK's own").isInstanceOf(SocketTimeoutException.class)
                .hasMessageNotContaining("Nothing to read");
        socket.setSoTimeout(0);
        new Thread(() -> {
            try {
                peer.getOutputStream().write(7);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }).start();
        assertThat(in.read()).isEqualTo(7);
    }

    /** The first read looks as if there were nothing to read. */
    @Test
    void endOfStreamIsSeenBySecondRead() throws IOException {
        peer.close();
        socket.setSoTimeout(1);
        InputStream in = socket.getInputStream();
        assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class).hasMessage("Nothing to read");
        socket.setSoTimeout(0);
        assertThat(in.read()).isEqualTo(-1);
    }

    /** As a stream does that continues reading after a timeout. */
    @Test
    void readAfterTimeoutDoesNotSpin() throws IOException {
        peer.close();
        socket.setSoTimeout(1);
        InputStream in = socket.getInputStream();
        assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class);
        assertThat(in.read()).isEqualTo(-1);
    }

    @Test
    void driverThatCannotLoadSocketsIsRecognized() {
        assertThat(PromptSockets.knownTo(getClass().getClassLoader())).isTrue();
        assertThat(PromptSockets.knownTo(ClassLoader.getPlatformClassLoader())).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
            "jdbc:postgresql://db/shop, jdbc:postgresql://db/shop?socketFactory=io.quarkiverse.lock.jpa.notify.PromptSockets",
            "jdbc:postgresql://db/shop?ssl=true, "
                    + "jdbc:postgresql://db/shop?ssl=true&socketFactory=io.quarkiverse.lock.jpa.notify.PromptSockets",
            "jdbc:postgresql://db/shop?socketFactory=my.Factory, jdbc:postgresql://db/shop?socketFactory=my.Factory",
            "jdbc:h2:mem:shop, jdbc:h2:mem:shop" })
    void onlyPostgresUrlGetsSocketFactory(String url, String with) {
        assertThat(PromptSockets.in(url)).isEqualTo(with);
    }
}
