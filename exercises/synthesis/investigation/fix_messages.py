"""Exercise: whether slow all-reduces want fewer messages or fewer bytes, and what the change will give."""

from __future__ import annotations

from fractions import Fraction

from grader.exercise import Exercise, Mistake, inputs_for


def fix_messages(
    *,
    messages: int,
    message_bytes: int,
    latency_us: int,
    bytes_per_us: int,
    bucket_bytes: int,
) -> tuple[str, float]:
    """Return which of two changes to make, and how long the messages then take.

    A message takes its latency and its bytes over the bandwidth, and they go
    one after the other. You may put all bytes into buckets, of which the last
    may be smaller, or halve each message's bytes.

    Args:
        messages: of a step, at least 1; each is a whole all-reduce.
        message_bytes: of each, at least 1; half of them may be a fraction.
        latency_us: of a message, at least 0.
        bytes_per_us: the bandwidth, at least 1.
        bucket_bytes: of a bucket, at least 1.

    Returns:
        "buckets" or "bytes", whichever is faster, buckets if they are equal,
        or "neither" if the faster one saves less than a tenth of the time;
        and the microseconds of all messages afterwards, which are today's
        for "neither".

    >>> fix_messages(
    ...     messages=100, message_bytes=10, latency_us=9, bytes_per_us=10,
    ...     bucket_bytes=100,
    ... )
    ('buckets', 190.0)
    """
    total = messages * message_bytes
    wire = Fraction(total, bytes_per_us)
    now = messages * latency_us + wire
    buckets = -(-total // bucket_bytes) * latency_us + wire
    halved = messages * latency_us + wire / 2
    best = min(buckets, halved)
    if 10 * (now - best) < now:
        return "neither", float(now)
    return ("buckets" if buckets <= halved else "bytes"), float(best)


def message_by_message(
    *, messages: int, message_bytes: int, latency_us: int, bytes_per_us: int, bucket_bytes: int
) -> tuple[str, float]:
    """Send one message after the other, as whole numbers of 1/(2 β) microseconds."""

    def sent(sizes: list[int], halves: int) -> int:
        """Of sizes in bytes, of which so many halves are sent."""
        return sum(2 * bytes_per_us * latency_us + halves * size for size in sizes)

    left, sizes = messages * message_bytes, []
    while left:
        sizes.append(min(left, bucket_bytes))
        left -= sizes[-1]
    each = [message_bytes] * messages
    times = {"buckets": sent(sizes, 2), "bytes": sent(each, 1)}
    now = sent(each, 2)
    name = min(times, key=lambda which: times[which])
    if 10 * times[name] > 9 * now:
        return "neither", now / (2 * bytes_per_us)
    return name, times[name] / (2 * bytes_per_us)


case = inputs_for(fix_messages)
OWN = case(4608, 2 * 2**20, 98, 194_000, 32 * 2**20)


def taught() -> str:
    name, after = fix_messages(**OWN)
    now = 4608 * 98 + 9 * 2**30 / 194_000
    return (
        f"{name.capitalize()}: {now / 1e6:.2f} s become {after / 1e6:.2f} s. This line through the "
        "smallest and the largest all-reduce is below what was measured in between, 0.90 and 0.13 s. It names the "
        "right change, and its prediction is too low."
    )


EXERCISE = Exercise(
    fix_messages,
    number=4,
    asked="fewer messages or fewer bytes, and the time afterwards",
    expected=message_by_message,
    examples=[
        case(100, 10, 9, 10, 100),
        case(10, 1000, 1, 10, 1000),
        case(10, 1000, 10, 10, 1000),
        case(4, 10, 5, 1, 40),
        case(1, 10, 90, 1, 100),
        case(10, 30, 0, 3, 60),
        case(8, 8, 3, 1, 5),
        case(3, 10, 4, 1, 12),
        case(10, 20, 8, 1, 10),
        case(4, 10, 10, 1, 20),
        case(1, 19, 81, 1, 19),
        OWN,
    ],
    inputs=lambda st: {
        "messages": st.integers(1, 40),
        "message_bytes": st.integers(1, 60),
        "latency_us": st.integers(0, 40),
        "bytes_per_us": st.integers(1, 12),
        "bucket_bytes": st.integers(1, 400),
    },
    draws=200,
    units={"result": "(change, µs)"},
    taught=taught,
    mistakes=[
        Mistake(
            "always_buckets",
            "You always chose buckets. Where bytes take the time, fewer messages change little.",
            {"best = min(buckets, halved)": "best = halved = buckets"},
        ),
        Mistake(
            "always_bytes",
            "You always halved the bytes. Where latency takes the time, that changes little.",
            {"best = min(buckets, halved)": "best = halved\n    buckets = 2 * now"},
        ),
        Mistake(
            "halves_all",
            "You halved the latency too. As many messages pay it as before.",
            {"messages * latency_us + wire / 2": "(messages * latency_us + wire) / 2"},
        ),
        Mistake(
            "rounds_the_buckets_down",
            "What is left at the end needs a bucket of its own.",
            {"-(-total // bucket_bytes)": "(total // bucket_bytes)"},
        ),
        Mistake(
            "changes_anyway",
            "You made a change that saves less than a tenth. Then leave it.",
            {"10 * (now - best) < now": "False"},
        ),
        Mistake(
            "changes_the_time_alone",
            "You left the messages as they are, and gave the time of a change all the same.",
            {'return "neither", float(now)': 'return "neither", float(best)'},
        ),
        Mistake(
            "leaves_at_a_tenth",
            "A tenth exactly is enough for a change.",
            {"(now - best) < now": "(now - best) <= now"},
        ),
        Mistake(
            "bytes_if_equal",
            "If both are equally fast, say buckets.",
            {"buckets <= halved": "buckets < halved"},
        ),
        Mistake(
            "does_both",
            "You changed two things at once. Then nobody knows which one helped.",
            {"-(-total // bucket_bytes) * latency_us + wire": "-(-total // bucket_bytes) * latency_us + wire / 2"},
        ),
    ],
)
