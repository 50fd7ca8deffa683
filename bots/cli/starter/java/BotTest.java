import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Tests of the bot. Run them with {@code make test}.
 *
 * <p>examples.json contains a hello message and real decisions of almost every kind. To play games, run esr check.
 */
public final class BotTest {
    public static void main(String[] arguments) throws IOException {
        Json examples = Json.parse(Files.readString(Path.of("examples.json")));
        List<Json> questions = examples.get("questions").items();
        List<String> moves = moves(examples);
        for (int index = 0; index < moves.size(); index++) {
            Json decision = questions.get(index).get("decision");
            if (decision.get("legal").isNull()) continue;
            List<String> legal = decision.get("legal").items().stream().map(Json::write).collect(Collectors.toList());
            require(legal.contains(moves.get(index)), decision.get("kind").text() + ": illegal " + moves.get(index));
        }
        require(moves.equals(moves(examples)), "the same seed gives other answers");

        String input = Stream.concat(Stream.of(examples.get("hello")), questions.stream())
                .map(message -> Json.write(message) + "\n")
                .collect(Collectors.joining());
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        Bot.play(new BufferedReader(new StringReader(input)), new PrintStream(output));
        List<String> lines = output.toString().lines().collect(Collectors.toList());
        require(lines.get(0).equals("{\"type\":\"ready\"}"), "not ready: " + lines.get(0));
        require(lines.size() == questions.size() + 1, "answers missing");
        for (int index = 0; index < questions.size(); index++) {
            int id = Json.parse(lines.get(index + 1)).get("id").number();
            require(id == questions.get(index).get("id").number(), "wrong id " + id);
        }
        System.out.println("All tests passed.");
    }

    private static List<String> moves(Json examples) {
        Strategy strategy = new Strategy(examples.get("hello"));
        return examples.get("questions").items().stream()
                .map(question -> Json.write(strategy.choose(question.get("decision"), question.get("view"))))
                .collect(Collectors.toList());
    }

    private static void require(boolean holds, String fault) {
        if (!holds) throw new AssertionError(fault);
    }
}
