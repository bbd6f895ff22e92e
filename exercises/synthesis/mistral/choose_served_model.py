"""Exercise: which model writes with the least reading, among those that fit."""

from __future__ import annotations

from fractions import Fraction

from grader.exercise import Exercise, Mistake, inputs_for


def choose_served_model(
    models: list[tuple[int, int, int, int, int, int]],
    *,
    requests: int,
    context: int,
    memory_bytes: int,
) -> int | None:
    """Choose the model whose step reads least, if it fits.

    A model is six numbers: the bytes of the weights that every token uses; the
    bytes of all its experts together; the experts of a layer; how many of them
    a token chooses; the bytes of a token in the cache; and the tokens that
    every layer sees and keeps at most. A dense model has 0 bytes of experts,
    and 1 of 1.

    Routers choose evenly, and each request by itself, so that experts are read
    in the expected number. All of them are kept. No bytes are rounded: models
    that read equally much do so exactly.

    Args:
        models: those to choose from.
        requests: that are written together.
        context: tokens of each.
        memory_bytes: of all GPUs together.

    Returns:
        The number of the model, from 0, whose step is expected to read the
        fewest bytes, among those that fit with all requests; the first of
        equal ones. None if none fits.

    >>> choose_served_model([(10, 0, 1, 1, 1, 9), (2, 16, 8, 2, 1, 9)],
    ...                     requests=1, context=4, memory_bytes=30)
    1
    """
    fitting = []
    for number, model in enumerate(models):
        rest, routed, experts, chosen, token, window = model
        cache = requests * token * min(context, window)
        passed_over = (1 - Fraction(chosen, experts)) ** requests
        read = rest + routed * (1 - passed_over) + cache
        if rest + routed + cache <= memory_bytes:
            fitting.append((read, number))
    return min(fitting)[1] if fitting else None


def in_whole_numbers(
    models: list[tuple[int, int, int, int, int, int]], *, requests: int, context: int, memory_bytes: int
) -> int | None:
    """Bring what is read on a common denominator of all models, and compare whole numbers."""
    common = 1
    for model in models:
        common *= model[2] ** requests
    best: tuple[int, int] | None = None
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        kept = sum(token for _ in range(requests) for place in range(context) if place < window)
        if rest + routed + kept > memory_bytes:
            continue
        every = experts**requests
        read = (rest + kept) * common + routed * (every - (experts - chosen) ** requests) * (common // every)
        if best is None or read < best[0]:
            best = (read, number)
    return None if best is None else best[1]


run_of = inputs_for(choose_served_model)
SEVEN = (14_221_320_192, 0, 1, 1, 131_072, 32_768)
WINDOW = (14_221_320_192, 0, 1, 1, 131_072, 4096)
THIRTEEN = (25_704_048_640, 0, 1, 1, 819_200, 32_768)
MIXTRAL = (2_949_128_192, 90_194_313_216, 8, 2, 131_072, 32_768)
SEVENTY = (137_429_008_384, 0, 1, 1, 327_680, 32_768)
OFFERS = [MIXTRAL, THIRTEEN, SEVENTY]
OWN = run_of(OFFERS, 4, 4096, 160 * 10**9)


def read_gb(model: tuple[int, int, int, int, int, int], *, requests: int, context: int) -> float:
    """Return the GB that a step is expected to read."""
    rest, routed, experts, chosen, token, window = model
    touched = 1 - (1 - chosen / experts) ** requests
    return (rest + routed * touched + requests * token * min(context, window)) / 1e9


def taught() -> str:
    picks = {
        count: choose_served_model(OFFERS, requests=count, context=4096, memory_bytes=160 * 10**9)
        for count in (1, 4, 24, 48)
    }
    return (
        f"On two H100, with 4,096 tokens a request, one request takes model {picks[1]}, four take model {picks[4]}, "
        f"24 take model {picks[24]} and 48 model {picks[48]}. Reading alone doesn't say how well a model answers."
    )


EXERCISE = Exercise(
    choose_served_model,
    number=4,
    level="hard",
    asked="the model whose step reads least among those that fit",
    expected=in_whole_numbers,
    examples=[
        run_of([(10, 0, 1, 1, 1, 9), (2, 16, 8, 2, 1, 9)], 1, 4, 30),
        run_of([(10, 0, 1, 1, 1, 9), (2, 16, 8, 2, 1, 9)], 1, 4, 21),
        run_of([(10, 0, 1, 1, 1, 9), (2, 16, 8, 2, 1, 9)], 6, 4, 60),
        run_of([(10, 0, 1, 1, 1, 9)], 1, 4, 13),
        run_of([(10, 0, 1, 1, 1, 9)], 1, 4, 14),
        run_of([(10, 0, 1, 1, 1, 9), (10, 0, 1, 1, 1, 5)], 1, 4, 14),
        run_of([(10, 0, 1, 1, 1, 9), (10, 0, 1, 1, 1, 5)], 2, 8, 99),
        run_of([(9, 0, 1, 1, 2, 9), (12, 0, 1, 1, 1, 9)], 1, 2, 99),
        run_of([(9, 0, 1, 1, 2, 9), (12, 0, 1, 1, 1, 9)], 3, 2, 99),
        run_of([(1, 16, 4, 1, 1, 9), (1, 12, 4, 2, 1, 9)], 1, 1, 99),
        run_of([(1, 16, 4, 1, 1, 9), (1, 12, 4, 2, 1, 9)], 4, 1, 99),
        run_of([(4, 12, 4, 1, 1, 3), (8, 0, 1, 1, 1, 3)], 1, 3, 19),
        run_of([(4, 12, 4, 1, 1, 3), (8, 0, 1, 1, 1, 3)], 1, 3, 18),
        run_of([(0, 64, 4, 1, 1, 9), (35, 0, 1, 1, 1, 9)], 3, 1, 999),
        run_of([(0, 64, 4, 1, 1, 9), (40, 0, 1, 1, 1, 9)], 3, 1, 999),
        run_of([(0, 52, 4, 1, 1, 9), (30, 0, 1, 1, 1, 9)], 3, 1, 999),
        run_of([(3, 80, 8, 2, 2, 9), (58, 0, 1, 1, 2, 9)], 4, 3, 999),
        run_of([(3, 80, 8, 2, 2, 9), (57, 0, 1, 1, 2, 9)], 4, 3, 999),
        run_of([(2, 16, 8, 2, 1, 9), (6, 0, 1, 1, 1, 9)], 1, 4, 999),
        run_of([(6, 0, 1, 1, 1, 9), (1, 9, 3, 1, 1, 9)], 2, 1, 10**6),
        run_of([(10, 0, 1, 1, 1, 9), (1, 25, 5, 1, 1, 9)], 2, 1, 10**6),
        run_of([(2, 4, 4, 1, 1, 9), (20, 0, 1, 1, 1, 9)], 2, 3, 10),
        OWN,
    ],
    inputs=lambda st: {
        "models": st.lists(
            st.tuples(
                st.integers(1, 20),
                st.sampled_from([0, 4, 8, 16, 24, 32]),
                st.sampled_from([2, 4, 8]),
                st.integers(1, 2),
                st.integers(1, 3),
                st.integers(1, 9),
            ),
            min_size=1,
            max_size=5,
        ),
        "requests": st.integers(1, 6),
        "context": st.integers(1, 9),
        "memory_bytes": st.integers(10, 150),
    },
    draws=150,
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_memory",
            "You took what reads least, whether it fits or not.",
            {"<= memory_bytes": "<= memory_bytes + 10**30"},
        ),
        Mistake(
            "keeps_what_it_reads",
            "You kept only the experts that are read. All have to be there, because any may be chosen next.",
            {"if rest + routed + cache <= memory_bytes": "if read <= memory_bytes"},
        ),
        Mistake(
            "reads_one_tokens_experts",
            "You let a step read what one token chooses. With more requests more experts are read.",
            {"** requests": "** 1"},
        ),
        Mistake(
            "reads_all_experts",
            "You read all experts. Those that nobody chose aren't read.",
            {"routed * (1 - passed_over)": "routed"},
        ),
        Mistake(
            "takes_the_smallest",
            "You took the model that holds least. It's what a step reads that decides.",
            {"fitting.append((read, number))": "fitting.append((rest + routed, number))"},
        ),
        Mistake(
            "leaves_out_the_caches",
            "You compared the weights alone. Each request reads its cache too.",
            {" + cache\n": "\n"},
        ),
        Mistake(
            "keeps_the_whole_context",
            "You kept the whole context. A layer with a window keeps no more than that.",
            {"min(context, window)": "context"},
        ),
        Mistake(
            "adds_up_the_choices",
            "You added what the requests choose. Two of them may choose the same expert, which is read once.",
            {"(1 - Fraction(chosen, experts)) ** requests": "max(0, 1 - requests * Fraction(chosen, experts))"},
        ),
        Mistake(
            "lets_a_request_choose_one_twice",
            "You let a request choose the same expert twice. Its experts are different ones.",
            {"(1 - Fraction(chosen, experts)) ** requests": "(1 - Fraction(1, experts)) ** (chosen * requests)"},
        ),
        Mistake(
            "keeps_no_caches",
            "You let a model in whose caches don't fit. They're kept beside the weights.",
            {"if rest + routed + cache <= memory_bytes": "if rest + routed <= memory_bytes"},
        ),
        Mistake(
            "compares_rounded_numbers",
            "You compared floats, which are rounded. Two models that read equally much may differ in the last digit: "
            "compare fractions.",
            {"1 - Fraction(chosen, experts)": "1 - chosen / experts"},
        ),
        Mistake(
            "reads_whole_experts",
            "You rounded the experts that are read. They are a mean, which isn't whole.",
            {"routed * (1 - passed_over)": "Fraction(routed * round(experts * (1 - passed_over)), experts)"},
        ),
        Mistake(
            "must_leave_something_free",
            "You refused a model that fills the memory exactly. That fits.",
            {"<= memory_bytes": "< memory_bytes"},
        ),
        Mistake(
            "takes_the_last_of_equals",
            "Of models that read equally much you took a later one. The first counts.",
            {"(read, number)": "(read, -number)", "min(fitting)[1]": "-min(fitting)[1]"},
        ),
    ],
)
