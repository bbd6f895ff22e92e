"""Exercise: what a GPU holds of weights, gradients and optimizer state when it has two stages."""

from __future__ import annotations

from fractions import Fraction

from grader.exercise import Exercise, Mistake, inputs_for


def held_twice_bytes(
    *,
    dense: int,
    experts: int,
    tensor_parallel: int,
    data_parallel: int,
    expert_parallel: int,
) -> float:
    """Return what a GPU holds of weights, gradients and optimizer state.

    In DualPipe every GPU holds two stages, and every stage is on twice as
    many GPUs. A weight takes 2 bytes and its gradient 4. The optimizer's 8
    bytes are shared out evenly among all GPUs with the same parameters.

    Args:
        dense: parameters of one stage that aren't routed experts.
        experts: parameters of all routed experts of one stage.
        tensor_parallel: GPUs among which ``dense`` is cut; experts aren't.
        data_parallel: copies of the pipeline, each of p times t GPUs.
        expert_parallel: GPUs among which the experts are dealt out, whole; a
            divisor of 2 times t times d.

    Returns:
        Bytes of one GPU.

    >>> held_twice_bytes(
    ...     dense=100, experts=800, tensor_parallel=1, data_parallel=4,
    ...     expert_parallel=8,
    ... )
    4200.0
    """
    copies = 2 * data_parallel
    own_dense = 2 * dense / tensor_parallel
    own_experts = 2 * experts / expert_parallel
    expert_copies = copies * tensor_parallel / expert_parallel
    return own_dense * (6 + 8 / copies) + own_experts * (6 + 8 / expert_copies)


def gpu_by_gpu(
    *,
    dense: int,
    experts: int,
    tensor_parallel: int,
    data_parallel: int,
    expert_parallel: int,
) -> float:
    """Deal two stages out to the GPUs that hold both, and add up what each gets."""
    gpus = 2 * tensor_parallel * data_parallel
    held = [Fraction(0)] * gpus
    for _stage in range(2):
        for parameters, parts in ((dense, tensor_parallel), (experts, expert_parallel)):
            for part in range(parts):
                holders = [gpu for gpu in range(gpus) if gpu % parts == part]
                for gpu in holders:
                    held[gpu] += Fraction(parameters, parts) * (2 + 4 + Fraction(8, len(holders)))
    assert len(set(held)) == 1
    return float(held[0])


stage_of = inputs_for(held_twice_bytes)
# four of DeepSeek-V3's layers, as it was trained and in pairs
ALONE = stage_of(931_922_944, 45_097_156_608, 1, 128, 64)
PAIRS = stage_of(931_922_944, 45_097_156_608, 2, 64, 64)
IN_A_NODE = stage_of(931_922_944, 45_097_156_608, 1, 128, 8)


def taught() -> str:
    alone, pairs, node = (held_twice_bytes(**each) / 1e9 for each in (ALONE, PAIRS, IN_A_NODE))
    return (
        f"As it was trained a GPU holds {alone:.0f} GB of state, in pairs {pairs:.0f} GB. With the experts of a layer "
        f"in one node of eight it would be {node:.0f} GB, more than it has: the experts' cut is what counts."
    )


def _drawn(st):  # type: ignore[no-untyped-def]
    return st.tuples(
        st.integers(0, 400), st.integers(0, 4000), st.integers(1, 6), st.integers(1, 6), st.integers(0, 9)
    ).map(
        lambda own: stage_of(
            *own[:4], (fits := [e for e in range(1, 73) if 2 * own[2] * own[3] % e == 0])[own[4] % len(fits)]
        )
    )


EXERCISE = Exercise(
    held_twice_bytes,
    number=3,
    level="medium",
    asked="what a GPU with two stages holds of weights, gradients and optimizer state",
    expected=gpu_by_gpu,
    examples=[
        stage_of(100, 800, 1, 4, 8),
        stage_of(100, 0, 1, 4, 8),
        stage_of(0, 800, 2, 2, 4),
        stage_of(60, 600, 2, 3, 6),
        stage_of(60, 600, 2, 3, 1),
        IN_A_NODE,
        PAIRS,
        ALONE,
    ],
    inputs=_drawn,
    units={"result": "bytes"},
    taught=taught,
    mistakes=[
        Mistake(
            "holds_one_stage",
            "You counted one stage. In DualPipe a GPU holds two.",
            {"own_dense = 2 * dense": "own_dense = dense", "own_experts = 2 * experts": "own_experts = experts"},
        ),
        Mistake(
            "shares_with_its_direction_alone",
            "You shared the optimizer's state among d GPUs. Each stage is on twice as many, which hold the same.",
            {"copies = 2 * data_parallel": "copies = data_parallel"},
        ),
        Mistake(
            "cuts_experts_too",
            "You cut the experts among the tensor group too. They're dealt out whole.",
            {"2 * experts / expert_parallel": "2 * experts / expert_parallel / tensor_parallel"},
        ),
        Mistake(
            "cuts_experts_too_and_shares_less",
            "You cut each expert among the tensor group, so fewer GPUs held the same part. Experts stay whole.",
            {
                "2 * experts / expert_parallel": "2 * experts / expert_parallel / tensor_parallel",
                "copies * tensor_parallel / expert_parallel": "copies / expert_parallel",
            },
        ),
        Mistake(
            "counts_copies_of_experts_once",
            "You counted t·d/e copies of the experts. Each stage is on twice as many GPUs, for experts too.",
            {"expert_copies = copies *": "expert_copies = data_parallel *"},
        ),
        Mistake(
            "shares_experts_as_widely",
            "You shared the experts' optimizer state among all copies. Only a few GPUs hold the same experts.",
            {"8 / expert_copies": "8 / copies"},
        ),
        Mistake(
            "forgets_zero",
            "You gave every GPU all 8 bytes of the optimizer. They're shared out.",
            {"8 / copies": "8", "8 / expert_copies": "8"},
        ),
        Mistake(
            "shards_gradients_too",
            "You shared weights and gradients too. In stage 1 only the optimizer's state is.",
            {"(6 + 8 / copies)": "14 / copies", "(6 + 8 / expert_copies)": "14 / expert_copies"},
        ),
        Mistake(
            "does_not_cut_the_layer",
            "You left everything but the experts whole. It's cut among the tensor group.",
            {"2 * dense / tensor_parallel": "2 * dense"},
        ),
        Mistake(
            "does_not_deal_the_experts",
            "You gave every GPU all experts.",
            {"2 * experts / expert_parallel": "2 * experts"},
        ),
        Mistake(
            "forgets_the_groups_of_tensors",
            "The ranks of a tensor group hold experts too, so there are t times as many GPUs to deal them to.",
            {"copies * tensor_parallel / expert_parallel": "copies / expert_parallel"},
        ),
    ],
)
