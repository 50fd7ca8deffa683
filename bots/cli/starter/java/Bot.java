import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Plays one seat of one game: reads one message per line and writes one answer per line.
 *
 * <p>You do not have to change this file. The decisions are in Strategy.java.
 */
public final class Bot {
    public static void main(String[] arguments) throws IOException {
        play(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)), System.out);
    }

    /** Plays until the game ends. Standard output is only for answers; print debug output to System.err. */
    static void play(BufferedReader in, PrintStream out) throws IOException {
        Strategy strategy = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Json message = Json.parse(line);
            switch (message.get("type").text()) {
                case "hello" -> {
                    // The first message: the game, the number of seats, our seat and the time limits.
                    strategy = new Strategy(message);
                    send(out, Map.of("type", "ready"));
                }
                case "decide" -> {
                    // A decision: the question, and everything that we can see.
                    Map<String, Object> answer = new LinkedHashMap<>();
                    answer.put("id", message.get("id").number());
                    answer.put("move", strategy.choose(message.get("decision"), message.get("view")));
                    send(out, answer);
                }
                default -> {
                    return; // the end of the game
                }
            }
        }
    }

    private static void send(PrintStream out, Object answer) {
        out.print(Json.write(answer) + "\n");
        out.flush();
    }
}
