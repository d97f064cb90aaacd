package io.quarkiverse.lock.it.redis;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** How a template and its arguments become a name. */
@QuarkusTest
@QuarkusTestResource(RedisResource.class)
class NameTest {

    @Test
    void readsRecordComponentsFieldsAndGetters() {
        assertThat(names("/orders/names/everything?id=7&country=eu&number=42")).containsExactly("7/eu/42");
    }

    @Test
    void neverMakesOneNameOfTwoArgumentLists() {
        List<String> first = names("/orders/names/two?from=a-b&to=c");
        List<String> second = names("/orders/names/two?from=a&to=b-c");
        assertThat(first).hasSize(1).isNotEqualTo(second);
        assertThat(second).hasSize(1);
    }

    @Test
    void namesTheMethodWithoutATemplate() {
        assertThat(names("/orders/names/method")).containsExactly(Orders.class.getName() + ".namedByTheMethod");
    }

    @Test
    void refusesAPartThatIsNull() {
        Response response = given().get("/orders/names/two?from=a");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.asString()).contains("to");
    }

    @Test
    void refusesANameThatIsTooLong() {
        Response response = given().get("/orders/names/two?from=a&to=" + "x".repeat(1100));
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.asString()).contains("1,024");
    }

    private static List<String> names(String path) {
        Response response = given().get(path);
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(200);
        return response.jsonPath().getList("$", String.class);
    }
}
