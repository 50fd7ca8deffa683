import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A JSON value: a Map, List, String, Integer, Double or Boolean, or null. */
public record Json(Object value) {
    /** The value of a key; it can be null. */
    Json get(String key) {
        return new Json(((Map<?, ?>) value).get(key));
    }

    /** The items of a list. */
    List<Json> items() {
        return ((List<?>) value).stream().map(Json::new).collect(Collectors.toList());
    }

    boolean isNull() {
        return value == null;
    }

    String text() {
        return (String) value;
    }

    int number() {
        return ((Number) value).intValue();
    }

    boolean truth() {
        return (Boolean) value;
    }

    List<String> texts() {
        return items().stream().map(Json::text).collect(Collectors.toList());
    }

    List<Integer> numbers() {
        return items().stream().map(Json::number).collect(Collectors.toList());
    }

    // --- Writing -----------------------------------------------------------------------------------------------------

    /** Writes maps, lists, texts without special characters, numbers and truth values. */
    static String write(Object value) {
        if (value instanceof Json json) return write(json.value);
        if (value instanceof String text) return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        if (value instanceof List<?> list) {
            return list.stream().map(Json::write).collect(Collectors.joining(",", "[", "]"));
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> write(entry.getKey()) + ":" + write(entry.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        return String.valueOf(value);
    }

    // --- Reading -----------------------------------------------------------------------------------------------------

    /** Reads one value. Throws IllegalArgumentException if the text is not JSON. */
    static Json parse(String text) {
        Reader reader = new Reader(text);
        Object value = reader.value();
        if (reader.next() != 0) throw reader.fault();
        return new Json(value);
    }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        /** The next character after white space, 0 at the end. */
        char next() {
            while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
            return at < text.length() ? text.charAt(at) : 0;
        }

        IllegalArgumentException fault() {
            return new IllegalArgumentException("not JSON at character " + at);
        }

        boolean take(char wanted) {
            if (next() != wanted) return false;
            at++;
            return true;
        }

        void require(char wanted) {
            if (!take(wanted)) throw fault();
        }

        Object value() {
            switch (next()) {
                case '{': {
                    Map<String, Object> map = new LinkedHashMap<>();
                    at++;
                    if (take('}')) return map;
                    do {
                        next();
                        String key = string();
                        require(':');
                        map.put(key, value());
                    } while (take(','));
                    require('}');
                    return map;
                }
                case '[': {
                    List<Object> list = new ArrayList<>();
                    at++;
                    if (take(']')) return list;
                    do list.add(value()); while (take(','));
                    require(']');
                    return list;
                }
                case '"':
                    return string();
                default:
                    return word();
            }
        }

        Object word() {
            int start = at;
            while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(start, at);
            if (word.equals("null")) return null;
            if (word.equals("true") || word.equals("false")) return word.equals("true");
            if (word.matches("-?\\d{1,9}")) return Integer.valueOf(word);
            return Double.valueOf(word);
        }

        String string() {
            require('"');
            StringBuilder string = new StringBuilder();
            while (at < text.length() && text.charAt(at) != '"') {
                char character = text.charAt(at++);
                string.append(character == '\\' ? escaped() : character);
            }
            require('"');
            return string.toString();
        }

        char escaped() {
            char character = text.charAt(at++);
            if (character == 'u') {
                at += 4;
                return (char) Integer.parseInt(text.substring(at - 4, at), 16);
            }
            int known = "bfnrt".indexOf(character);
            return known < 0 ? character : "\b\f\n\r\t".charAt(known);
        }
    }
}
