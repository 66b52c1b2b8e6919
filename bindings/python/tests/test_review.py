"""Reviews and their summaries."""

from concurrent.futures import ThreadPoolExecutor

import plyground
import pytest

GAME = plyground.game("maxconnect4", "4x4")


def test_review_takes_one_game():
    match = plyground.match(GAME, "random", "random", pairs=1)
    review = plyground.review(match.games[0])
    assert plyground.review(plyground.record_to_text(match.games[0])) == review
    for found, why in (
        (match, r"found a Match: \[review\(game\) for game in match.games\]"),
        (match.games, r"found a list: \[review\(record\) for record in records\]"),
        (3, "a dict; found int"),
    ):
        with pytest.raises(TypeError, match=f"expected the record of a game, {why}"):
            plyground.review(found)
    with pytest.raises(ValueError, match="expected the record of a game, found a dict without `end`"):
        plyground.review(review)
    with pytest.raises(TypeError, match="expected the record of a game, a dict; found list"):
        plyground.record_to_text(match.games)


def test_summaries_take_reviews():
    match = plyground.match(GAME, "random", "machine:depth=2", pairs=2)
    reviews = [plyground.review(game) for game in match.games]
    assert [summary["name"] for summary in plyground.summaries(iter(reviews))] == ["machine:depth=2", "random"]
    for found, why in (
        (reviews[0], r"expected reviews, found a dict: summaries\(\[review\]\)"),
        (match, r"found a Match: summaries\(\[review\(game\) for game in match.games\]\)"),
        ([reviews[0], match], "expected a review at index 1, a dict; found Match"),
    ):
        with pytest.raises(TypeError, match=why):
            plyground.summaries(found)
    with pytest.raises(ValueError, match=r"expected a review at index 1, as review\(record\) makes it: missing field"):
        plyground.summaries([reviews[0], match.games[0]])


def test_threads_review_at_the_same_time():
    match = plyground.match(GAME, "random", "machine:depth=2", pairs=3)
    with ThreadPoolExecutor(3) as pool:
        reviews = list(pool.map(plyground.review, match.games))
    assert reviews == [plyground.review(game) for game in match.games]
    for summary in plyground.summaries(reviews):
        for worst in summary["worst"]:
            review = reviews[worst["game"]]
            made = review["moves"][worst["ply"] - 1]
            assert (made["move"], made["loss"]) == (worst["move"], worst["loss"])
            side = ("first", "second").index(made["side"])
            assert review["players"][side]["name"] == summary["name"]
