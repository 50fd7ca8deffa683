// A reader and writer of JSON, because C++ has none in its standard library.
#pragma once

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// A value. Texts and keys are as written: the messages have no escapes in keys, kinds and cards.
struct Json {
    enum Type { Null, Word, Text, List, Object };

    Type type = Null;
    std::string text;                                // of a text; of a number, true or false: as written
    std::vector<std::pair<std::string, Json>> items; // of a list, with empty keys, or an object

    static Json text_of(const std::string &text) { return {Text, text, {}}; }
    static Json number_of(int number) { return {Word, std::to_string(number), {}}; }

    static Json list_of(const std::vector<Json> &values) {
        Json list{List, "", {}};
        for (const Json &value : values) list.items.emplace_back("", value);
        return list;
    }

    static Json object_of(std::vector<std::pair<std::string, Json>> items) { return {Object, "", std::move(items)}; }

    // The value of a key; null if it is missing.
    const Json &operator[](const std::string &key) const {
        for (const auto &[name, value] : items) {
            if (name == key) return value;
        }
        return nothing();
    }

    // The item at an index; null if there are not so many.
    const Json &at(std::size_t index) const { return index < items.size() ? items[index].second : nothing(); }

    bool is_null() const { return type == Null; }
    bool is_true() const { return type == Word && text == "true"; }
    bool is(const std::string &wanted) const { return type == Text && text == wanted; }
    int number() const { return type == Word ? std::stoi(text) : 0; }

    // The JSON without spaces.
    std::string written() const {
        if (type == Null) return "null";
        if (type == Word) return text;
        if (type == Text) return '"' + text + '"';
        std::string out;
        for (const auto &[key, value] : items) {
            out += (out.empty() ? "" : ",") + (type == Object ? '"' + key + "\":" : "") + value.written();
        }
        return type == List ? '[' + out + ']' : '{' + out + '}';
    }

    // Read one value. Throws std::runtime_error if the text is not JSON.
    static Json parse(const std::string &text) {
        const char *at = text.c_str();
        Json value = read(at);
        if (*skip(at)) throw std::runtime_error("text after the end of the JSON");
        return value;
    }

  private:
    static const Json &nothing() {
        static const Json null;
        return null;
    }

    static const char *skip(const char *&at) { return at += std::strspn(at, " \t\r\n"); }

    static void require(const char *&at, char wanted) {
        if (*skip(at) != wanted) throw std::runtime_error(std::string("expected ") + wanted + " in the JSON");
        at++;
    }

    static std::string read_text(const char *&at) {
        require(at, '"');
        const char *start = at;
        for (; *at && *at != '"'; at++) {
            if (*at == '\\' && at[1]) at++;
        }
        std::string text(start, at);
        require(at, '"');
        return text;
    }

    static Json read(const char *&at) {
        skip(at);
        if (*at == '"') return text_of(read_text(at));
        if (*at == '{' || *at == '[') {
            Json value{*at == '{' ? Object : List, "", {}};
            const char close = *at++ == '{' ? '}' : ']';
            while (*skip(at) != close) {
                if (!value.items.empty()) require(at, ',');
                std::string key;
                if (close == '}') {
                    key = read_text(at);
                    require(at, ':');
                }
                value.items.emplace_back(key, read(at));
            }
            at++;
            return value;
        }
        const std::size_t length = std::strcspn(at, ",]} \t\r\n");
        if (!length) throw std::runtime_error("a value is missing in the JSON");
        const std::string word(at, length);
        at += length;
        return word == "null" ? Json{} : Json{Word, word, {}};
    }
};
