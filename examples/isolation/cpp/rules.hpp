// The rules of a game in C++17, as a program that plyground plays by. A game derives from Rules and has its six
// methods; `main` calls `plyground::serve`. The manual of plyground describes the protocol on its page "Rules in
// any language".
#pragma once

#include <exception>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plyground {

enum class Side { First, Second };
enum class Result { FirstWins, SecondWins, Draw };

// A state is any type that is copied by value.
template <class State> class Rules {
public:
    virtual ~Rules() = default;

    // The description of the game, without `rules 1`, `start` and `end`: lines such as `name konane`.
    virtual std::string description() const = 0;

    // The six methods.
    virtual State start() const = 0;
    // The legal moves of a state that is not over, a word each: at least one, `pass` if there is no other.
    virtual std::vector<std::string> moves(const State &) const = 0;
    virtual State play(const State &, const std::string &move) const = 0;
    // Nothing while the game goes on.
    virtual std::optional<Result> outcome(const State &) const = 0;
    // The rows of the board and then the symbol of the side to move, joined by `/`, without blanks.
    virtual std::string text(const State &) const = 0;
    // The state of such a text. Throws std::invalid_argument with the reason if it is no state.
    virtual State read(const std::string &text) const = 0;

    virtual Side turn(const State &) const = 0;

    // What a game may have beyond them.
    virtual std::optional<std::pair<int, int>> points(const State &) const { return {}; }
    virtual std::optional<int> plies_left(const State &) const { return {}; }
    virtual std::optional<int> score(const State &) const { return {}; }
    virtual std::optional<std::string> key(const State &) const { return {}; }
};

template <class State> class Server {
    const Rules<State> &rules;
    std::unordered_map<std::string, State> known;

    // A text and the facts about its state, which is remembered.
    std::string told(const State &state) {
        static const char *const results[] = {" 1-0", " 0-1", " 1/2-1/2"};
        const std::string text = rules.text(state);
        std::string facts = text + (rules.turn(state) == Side::First ? " first" : " second");
        const auto outcome = rules.outcome(state);
        facts += outcome ? results[static_cast<int>(*outcome)] : " -";
        if (const auto points = rules.points(state))
            facts += " points " + std::to_string(points->first) + " " + std::to_string(points->second);
        if (const auto left = rules.plies_left(state)) facts += " left " + std::to_string(*left);
        if (const auto score = rules.score(state); score && !outcome)
            facts += " score " + std::to_string(*score);
        if (const auto key = rules.key(state)) facts += " key " + *key;
        if (known.size() > 200'000) known.clear();
        known.insert_or_assign(text, state);
        return facts;
    }

    void expand(const std::string &text, std::string &answer) {
        const auto found = known.find(text);
        const State state = found == known.end() ? rules.read(text) : found->second;
        if (!rules.outcome(state))
            for (const std::string &move : rules.moves(state))
                answer += move + " " + told(rules.play(state, move)) + "\n";
        answer += "end\n";
    }

    std::string answer(std::istringstream &words) {
        std::string question, text, answer;
        words >> question;
        if (question == "rules")
            return "rules 1\n" + rules.description() + "start " + told(rules.start()) + "\nend\n";
        if (question == "expand") {
            while (words >> text) expand(text, answer);
            return answer;
        }
        if (question != "read") return "error unknown question: " + question + "\n";
        words >> text;
        try {
            if (text.empty()) return "illegal expected a text\n";
            return "position " + told(rules.read(text)) + "\n";
        } catch (const std::exception &refused) {
            // Whatever a stranger's text does to `read`, the game goes on.
            return std::string("illegal ") + refused.what() + "\n";
        }
    }

public:
    explicit Server(const Rules<State> &rules) : rules(rules) {}

    int run() {
        for (std::string line; std::getline(std::cin, line) && line != "quit";) {
            std::istringstream words(line);
            try {
                std::cout << answer(words) << std::flush;
            } catch (const std::exception &fault) {
                std::cout << "error " << fault.what() << std::endl;
                return 1;
            }
        }
        return 0;
    }
};

// Answers plyground. Returns the exit code.
template <class State> int serve(const Rules<State> &rules) { return Server<State>(rules).run(); }

} // namespace plyground
