import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * The strategy of the bot: one seat in one game. Change this file.
 *
 * <p>A decision contains the question and the limits of the answer. A view contains everything that this seat can see.
 * See examples.json for real examples.
 */
final class Strategy {
    /** Order of the four numbers in lists such as offers and holdings. */
    private static final String COLOURS = "RYGB";

    /** Value of one gem in money. */
    private static final double[] PRICE = {3.5, 3, 2.5, 2};

    /** Value of an event card in money. */
    private static final double EVENT = 4.5;

    /** Randomness when choosing an action. Without it, two of these bots would always choose the same action. */
    private static final double BOLDNESS = 0.3;

    /** Value in stars of passing without a bid, which draws a bottle. */
    private static final double DRAW = 1.2;

    /** Number of bottles to keep in hand for the next bids. */
    private static final int KEEP = 4;

    private final int seat;
    private final Random dice;

    /** Begins a game. The same seed gives the same game. */
    Strategy(Json hello) {
        seat = hello.get("seat").number();
        dice = new Random(Long.parseUnsignedLong(hello.get("seed").text().substring(0, 16), 16));
    }

    /** Returns the move. Other kinds of decisions get the default move, which is always legal. */
    Object choose(Json decision, Json view) {
        return switch (decision.get("kind").text()) {
            case "action", "guess" -> action(decision, view); // we guess the action that we would have chosen
            case "open_barter" -> openBarter(decision, view);
            case "answer_offer" -> answerOffer(decision, view);
            case "bid" -> bid(decision, view);
            case "lay" -> lay(decision, view);
            default -> decision.get("default");
        };
    }

    // --- Edel, Stein & Reich -----------------------------------------------------------------------------------------

    /** Chooses money, the event card or gems: the most valuable action, with some randomness. */
    private String action(Json decision, Json view) {
        List<String> options = decision.get("options").texts();
        return best(options, action -> worth(action, view) * (1 + BOLDNESS * dice.nextDouble()));
    }

    /** Value of an action in this round, in money. */
    private double worth(String action, Json view) {
        Json active = view.get("active"); // two seats share the card of the active seat
        Json owner = view.get("players").items().get(active.isNull() ? seat : active.number());
        String card = owner.get("gem_card").text(); // "5RRY" is five million, or two red gems and a yellow gem
        return switch (action) {
            case "money" -> card.charAt(0) - '0';
            case "gems" -> card.chars().skip(1).mapToDouble(colour -> PRICE[COLOURS.indexOf(colour)]).sum();
            default -> EVENT; // the event card, or the free choice with five seats
        };
    }

    /** Offers one gem of the cheapest color if the action is worth at least twice as much. */
    private Object openBarter(Json decision, Json view) {
        List<Integer> offer = cheapest(decision.get("holdings").numbers(), 1);
        boolean dear = offer == null || 2 * price(offer) > worth(decision.get("action").text(), view);
        return dear ? "decline" : Map.of("offer", offer);
    }

    /** Outbids while the action minus its cost is worth more than the payment. More gems always outbid. */
    private Object answerOffer(Json decision, Json view) {
        List<Integer> standing = decision.get("standing").numbers();
        List<Integer> offer = cheapest(decision.get("holdings").numbers(), sum(standing) + 1);
        if (offer == null) return "accept";
        double gain = worth(decision.get("action").text(), view) - price(offer);
        return gain > price(standing) ? Map.of("offer", offer) : "accept";
    }

    // --- Die Weinhändler ---------------------------------------------------------------------------------------------

    /** Bids once: the bottle that gains most if no player bids after us. Two bids cannot be equal. */
    private Object bid(Json decision, Json view) {
        if (!decision.get("bid").items().isEmpty()) return "pass";
        List<String> hand = new ArrayList<>(decision.get("hand").texts());
        List<Integer> taken = decision.get("taken").numbers();
        hand.removeIf(card -> taken.contains(value(card)));
        String card = best(hand, each -> gain(each, view));
        return card != null && gain(card, view) > DRAW ? Map.of("cards", List.of(card)) : "pass";
    }

    /** The stars of what a bid takes, those of the next higher bid or the display, without the bottle that it costs. */
    private double gain(String card, Json view) {
        List<Json> higher = new ArrayList<>(view.get("players").items());
        higher.removeIf(player -> player.get("total").isNull() || player.get("total").number() <= value(card));
        Json next = best(higher, player -> -player.get("total").number());
        List<String> received = next == null ? view.get("display").texts() : next.get("bid").texts();
        return received.stream().mapToInt(Strategy::stars).sum() - stars(card);
    }

    /** Lays bottles next to the same wine. Keeps some bottles for bidding until the last round. */
    private Object lay(Json decision, Json view) {
        List<String> hand = decision.get("hand").texts();
        boolean free = !view.get("last_round").truth() && decision.get("must_lay").number() == 0;
        if (free && hand.size() <= KEEP) return "done";
        List<Json> cellars = view.get("players").items().get(seat).get("cellars").items();
        boolean isNew = decision.get("new_cellar").truth() || cellars.isEmpty();
        List<Json> cellar = isNew ? List.of() : cellars.get(cellars.size() - 1).items();
        Object move = decision.get("default");
        double highest = -1;
        for (Json place : decision.get("cells").items()) {
            List<Integer> cell = place.get("cell").numbers();
            for (String card : hand) {
                boolean fits = place.get("cards").text().equals("any") || !card.equals("empty");
                double promise = fits ? promise(card, cell, cellar) : -1;
                if (promise > highest) {
                    highest = promise;
                    move = new Json(new TreeMap<>(Map.of("card", card, "cell", cell)));
                }
            }
        }
        return move;
    }

    /** Value of a move: its stars, and a bottle of the same wine next to it, which can become a trio. */
    private static double promise(String card, List<Integer> cell, List<Json> cellar) {
        double total = stars(card);
        for (Json spot : cellar) {
            int up = spot.get("level").number() - cell.get(0), right = spot.get("x").number() - cell.get(1);
            boolean near = Math.abs(up) <= 1 && Math.abs(right) <= 1 && up != right;
            String other = spot.get("card").text();
            if (near && !other.equals("empty") && other.charAt(0) == card.charAt(0)) total++;
        }
        return total;
    }

    // --- Numbers -----------------------------------------------------------------------------------------------------

    /** The item with the highest value; null if there are none. */
    private static <T> T best(List<T> items, ToDoubleFunction<T> valueOf) {
        T chosen = null;
        double highest = Double.NEGATIVE_INFINITY;
        for (T item : items) {
            double value = valueOf.applyAsDouble(item);
            if (value > highest) {
                chosen = item;
                highest = value;
            }
        }
        return chosen;
    }

    private static int sum(List<Integer> numbers) {
        return numbers.stream().mapToInt(Integer::intValue).sum();
    }

    /** Value of gems in money. */
    private static double price(List<Integer> gems) {
        double total = 0;
        for (int index = 0; index < 4; index++) total += gems.get(index) * PRICE[index];
        return total;
    }

    /** The cheapest gems in holdings, or null if there are fewer. */
    private static List<Integer> cheapest(List<Integer> holdings, int count) {
        Integer[] taken = {0, 0, 0, 0};
        for (int index = 3; index >= 0; index--) { // blue is the cheapest
            taken[index] = Math.min(holdings.get(index), count - sum(List.of(taken)));
        }
        return sum(List.of(taken)) == count ? List.of(taken) : null;
    }

    /** Value of a bottle in a bid, in tenths: "B16" is 160, and "empty" is 2. */
    private static int value(String card) {
        return card.equals("empty") ? 2 : 10 * Integer.parseInt(card.substring(1));
    }

    /** Stars of a bottle: one for 5 to 11, two for 12 to 18, three for 19 to 25. */
    private static int stars(String card) {
        return (value(card) / 10 + 2) / 7;
    }
}
