package io.quarkiverse.lock.it;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.restassured.response.Response;

/** How a template and its arguments become a name. */
public abstract class NameChecks {

    @Test
    void readsRecordComponentsFieldsAndGetters() {
        assertThat(name("/orders/names/everything?id=7&country=eu&number=42")).isEqualTo("7/eu/42");
    }

    @Test
    void differentArgumentsGiveDifferentNames() {
        String first = name("/orders/names/two?from=a-b&to=c");
        String second = name("/orders/names/two?from=a&to=b-c");
        assertThat(first).startsWith("transfer-").isNotEqualTo(second);
    }

    @Test
    void lockWithoutTemplateIsNamedAfterMethod() {
        assertThat(name("/orders/names/method")).isEqualTo(Orders.class.getName() + ".namedByTheMethod");
    }

    @Test
    void rejectsNullPartOfName() {
        Response response = given().get("/orders/names/two?from=a");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.asString()).contains("to");
    }

    @Test
    void rejectsTooLongName() {
        Response response = given().get("/orders/names/two?from=a&to=" + "x".repeat(1100));
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.asString()).contains("1024");
    }

    private static String name(String path) {
        Response response = given().get(path);
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(200);
        return response.asString();
    }
}
