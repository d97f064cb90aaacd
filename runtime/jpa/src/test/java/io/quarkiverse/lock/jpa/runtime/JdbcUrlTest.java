package io.quarkiverse.lock.jpa.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the log shows of the address of a database has no credentials. */
class JdbcUrlTest {

    @ParameterizedTest
    @CsvSource(delimiter = ' ', value = {
            "jdbc:postgresql://db-1.example:5432,db-2.example:5432/shop?user=me&password=secret "
                    + "jdbc:postgresql://db-1.example:5432,db-2.example:5432/shop",
            "jdbc:mariadb://[::1]:3306/shop jdbc:mariadb://[::1]:3306/shop",
            "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1;PASSWORD=secret jdbc:h2:mem:shop",
            "jdbc:sqlserver://db.example:1433;user=me;password=secret;databaseName=shop jdbc:sqlserver://db.example:1433" })
    void theParametersAreLeftOut(String url, String printable) {
        assertThat(JdbcUrl.printable(url)).isEqualTo(printable);
    }

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:mysql://me:secret@db.example/shop", "jdbc:oracle:thin:me/secret@db.example:1521/shop",
            "jdbc:db2://db.example:50000/shop:user=me;password=secret;",
            "jdbc:mysql://(host=db.example,user=me,password=secret)/shop" })
    void anAddressThatMayHaveCredentialsIsNotShown(String url) {
        assertThat(JdbcUrl.printable(url)).isEmpty();
    }
}
