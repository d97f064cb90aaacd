package io.quarkiverse.lock.benchmarks;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.DataFormatException;

import org.HdrHistogram.Histogram;

/** A {@link Tally} in transit from one JVM to another: four words. */
final class TallyText {

    private TallyText() {
    }

    static String write(Tally tally) {
        return tally.cycles().stream().map(String::valueOf).collect(Collectors.joining(",")) + " " + write(tally.times()) + " "
                + write(tally.crossed()) + " " + tally.nanos();
    }

    static Tally read(String text) {
        String[] words = text.split(" ");
        List<Long> cycles = Arrays.stream(words[0].split(",")).map(Long::valueOf).toList();
        return new Tally(cycles, histogram(words[1]), histogram(words[2]), Long.parseLong(words[3]));
    }

    private static String write(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    private static Histogram histogram(String word) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(word)), 0);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException(word, e);
        }
    }
}
