package io.quarkiverse.lock.jpa.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the log shows of the address of a database has no credentials. */
class JdbcUrlTest {

    @ParameterizedTest
    @CsvSource(delimiter = ' ', quoteCharacter = '`', value = {
            "jdbc:postgresql://db-1.example:5432,db-2.example:5432/shop?user=me&password=secret "
                    + "jdbc:postgresql://db-1.example:5432,db-2.example:5432/shop",
            "jdbc:postgresql://db.example/shop?user=me@azure&password=se@cret jdbc:postgresql://db.example/shop",
            "jdbc:mariadb://[::1]:3306/shop jdbc:mariadb://[::1]:3306/shop",
            "jdbc:mysql:replication://db-1.example,db-2.example/shop jdbc:mysql:replication://db-1.example,db-2.example/shop",
            "jdbc:mysql://oracle:3306/shop?user=me jdbc:mysql://oracle:3306/shop",
            "jdbc:otel:h2:tcp://db.example/~/shop;PASSWORD=se@cret jdbc:otel:h2:tcp://db.example/~/shop",
            "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1;PASSWORD=secret jdbc:h2:mem:shop",
            "jdbc:h2:mem:shop;PASSWORD=secret\\;database=secret jdbc:h2:mem:shop",
            "jdbc:db2://db.example:50000/shop jdbc:db2://db.example:50000/shop",
            "jdbc:db2://db.example:50000/shop:user=me;password=secret; jdbc:db2://db.example:50000/shop" })
    void theParametersAreLeftOut(String url, String printable) {
        assertThat(JdbcUrl.printable(url)).isEqualTo(printable);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ' ', quoteCharacter = '`', value = {
            "jdbc:sqlserver://db.example:1433;databaseName=shop jdbc:sqlserver://db.example:1433;databaseName=shop",
            "jdbc:sqlserver://db.example:1433;user=me;password=secret;databaseName=shop "
                    + "jdbc:sqlserver://db.example:1433;databaseName=shop",
            "jdbc:sqlserver://db.example:1433;database=shop;user=me@db;password={secret};encrypt=true; "
                    + "jdbc:sqlserver://db.example:1433;database=shop",
            "jdbc:sqlserver://db.example\\express;DATABASENAME={shop-7} "
                    + "jdbc:sqlserver://db.example\\express;DATABASENAME={shop-7}",
            "jdbc:sqlserver://;serverName=db.example;port=1433;databaseName=shop;password=secret "
                    + "jdbc:sqlserver://;serverName=db.example;port=1433;databaseName=shop",
            "jdbc:sqlserver://db.example;password={se};databaseName=shop jdbc:sqlserver://db.example;databaseName=shop",
            "jdbc:sqlserver://db.example;password={;databaseName=secret};database=shop "
                    + "jdbc:sqlserver://db.example;database=shop",
            "jdbc:sqlserver://db.example;password={se}};databaseName=secret};database=shop "
                    + "jdbc:sqlserver://db.example;database=shop",
            "jdbc:sqlserver://db.example;password={se}};databaseName=secret jdbc:sqlserver://db.example",
            "jdbc:sqlserver://db.example;password=se{;databaseName=secret} jdbc:sqlserver://db.example",
            "jdbc:sqlserver://db.example;password={se}cret;databaseName=secret jdbc:sqlserver://db.example" })
    void theNameOfADatabaseInSqlServerStays(String url, String printable) {
        assertThat(JdbcUrl.printable(url)).isEqualTo(printable);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ' ', quoteCharacter = '`', value = {
            "jdbc:oracle:thin:@//db.example:1521/shop jdbc:oracle:thin:@//db.example:1521/shop",
            "jdbc:oracle:thin:@db.example:1521:shop jdbc:oracle:thin:@db.example:1521:shop",
            "jdbc:oracle:thin:@db.example:1521/shop?user=me@db&password=se@cret jdbc:oracle:thin:@db.example:1521/shop",
            "jdbc:oracle:thin:@tcps://db.example:1522/shop?wallet_location=/wallet&wallet_password=secret "
                    + "jdbc:oracle:thin:@tcps://db.example:1522/shop",
            "jdbc:oracle:oci:@shop_high?TNS_ADMIN=/wallet jdbc:oracle:oci:@shop_high",
            "jdbc:oracle:thin:/@shop_high jdbc:oracle:thin:@shop_high",
            "jdbc:oracle:thin:me/secret@db.example:1521/shop jdbc:oracle:thin:@db.example:1521/shop",
            "jdbc:oracle:thin:me/secret@//db.example:1521/shop?x=y jdbc:oracle:thin:@//db.example:1521/shop",
            "jdbc:oracle:thin:me/se;cr,et&/:=@db.example:1521:shop jdbc:oracle:thin:@db.example:1521:shop",
            "jdbc:oracle:thin:me[shop]/\"secret\"@shop_high jdbc:oracle:thin:@shop_high" })
    void theUserOfOracleIsLeftOut(String url, String printable) {
        assertThat(JdbcUrl.printable(url)).isEqualTo(printable);
    }

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:mysql://me:secret@db.example/shop",
            "jdbc:mysql://(host=db.example,user=me,password=secret)/shop",
            "jdbc:mysql://address=(host=db.example)(user=me)(password=secret)/shop",
            "jdbc:oracle:thin:me/se@cret@db.example:1521/shop",
            "jdbc:oracle:thin:me/\"se@cret\"@db.example:1521/shop",
            "jdbc:oracle:thin:me/secret@db.example:1521/shop?password=se@cret",
            "jdbc:oracle:thin:me/se?cr@et@db.example:1521/shop",
            "jdbc:mysql://me:se;cret@db.example/shop", "jdbc:mysql://h2:se;cret@db.example/shop",
            "jdbc:oracle:thin:?user=me&password=se@cret",
            "jdbc:oracle:thin:me/se?cret@db.example:1521:shop",
            "jdbc:aws-wrapper:oracle:thin:me/se?cret@db.example:1521/shop",
            "jdbc:oracle:thin:me/secret", "jdbc:oracle:thin:me/se?cret",
            "jdbc:Oracle:thin:me/se?cret@db.example:1521/shop",
            "jdbc:oracle:thin:@(DESCRIPTION=(ADDRESS=(HOST=db.example))(SECURITY=(WALLET_PASSWORD=secret)))",
            "jdbc:otel:oracle:thin:me/se?cret@db.example:1521/shop" })
    void anAddressThatMayHaveCredentialsIsNotShown(String url) {
        assertThat(JdbcUrl.printable(url)).isEmpty();
    }
}
