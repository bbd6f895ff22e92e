"""A mistake is named in whatever design it is made: in answers that choose otherwise than the solution, with one slip.

The design is the odd answer ``another_design`` of the exercise, which is right; a slip replaces pieces of its text.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from test_odd_answers import ANSWERS

from grader.catalogue import find
from grader.judging import judge

DESIGNS = {answer.exercise: answer.text for answer in ANSWERS if answer.name == "another_design"}
SLIPS: dict[str, dict[str, dict[str, str]]] = {
    "background/probability/choose_step": {
        "forgets_the_all_reduce": {"            time += 2 * (workers - 1) * message_s\n": ""},
        "forgets_the_memory": {"range(1, most_examples + 1)": "range(draws, 0, -1)"},
        "forgets_to_square": {"error**2": "error"},
        "fills_the_memory": {"range(1, most_examples + 1)": "[most_examples]"},
    },
    "background/optimization/choose_step_and_batch": {
        "forgets_the_noise": {" + (1 - left) * step * v / batch / (c * (2 - step * c))": ""},
        "takes_all_examples_in_each_step": {"most_examples // steps": "most_examples"},
        "forgets_the_limit_of_steps": {"min(most_steps, most_examples)": "most_examples"},
        "swaps_batch_and_steps": {"return step, batch, steps": "return step, steps, batch"},
    },
    "background/information/choose_code": {
        "forgets_the_coder": {"2 * coded + sent + (chunks - 1) * max(coded, sent)": "chunks * sent"},
        "codes_only_once": {"2 * coded + sent": "coded + sent"},
        "adds_the_stages": {"2 * coded + sent + (chunks - 1) * max(coded, sent)": "chunks * (2 * coded + sent)"},
        "forgets_the_table": {"(table + word_bytes)": "word_bytes"},
        "waits_for_the_link": {"max(coded, sent)": "sent"},
        "codes_number_by_number": {"range(longest_block, 0, -1)": "[1]"},
        "refuses_the_limit_itself": {"time <= limit_s": "time < limit_s"},
    },
    "background/linear_algebra/choose_grid": {
        "forgets_the_memory": {"need * element_bytes <= free_bytes": "True"},
        "leaves_a_byte_free": {"<= free_bytes": "< free_bytes"},
        "counts_numbers_for_bytes": {"need * element_bytes": "need"},
        "swaps_rows_and_columns": {"(r, c, d)\n": "(c, r, d)\n"},
        "forgets_what_passes_through": {"max(panels, block // d if d > 1 else 0)": "0"},
        "sends_what_all_hold": {'0 if replicated == "A" else m': "m", '0 if replicated == "B" else k': "k"},
    },
    "scaling/phase_transitions/choose_test": {
        "fewest_problems_of_all": {
            "problems * cost >= best[0]": "problems >= best[0]",
            "best = problems * cost": "best = problems",
        },
        "cheapest_problem": {
            "        for problems in": "        if cost > min(cost for _, _, cost in metrics):\n"
            "            continue\n        for problems in"
        },
        "swaps_the_errors": {
            "<= false_alarm and": "<= missed and",
            "sum(new[:mark]) <= missed": "sum(new[:mark]) <= false_alarm",
        },
        "more_than_the_mark": {"(place, problems, mark)": "(place, problems, mark - 1)"},
        "forgets_the_misses": {" and sum(new[:mark]) <= missed": ""},
        "counts_from_one": {"(place, problems, mark)": "(place + 1, problems, mark)"},
    },
    "foundations/estimation/choose_measurements": {
        "forgets_the_powers": {"power * math": "math"},
        "takes_measured_for_exact": {"then if place": "1.0 if place"},
        "fewest_measurements": {"cost += price": "cost += 1"},
        "counts_from_one": {"return best[1]": "return [place + 1 for place in best[1]]"},
        "says_yes_or_no_for_each": {
            "return best[1]": "return [int(place in best[1]) for place in range(len(factors))]"
        },
        "adds_straight": {
            "(power * math.log(spread)) ** 2": "abs(power * math.log(spread))",
            "math.log(within) ** 2": "math.log(within)",
        },
    },
    "scaling/batch_size/choose_batch": {
        "scales_without_end": {"(1 + critical_batch / b)": "critical_batch / b"},
        "forgets_the_fixed_seconds": {"(fixed_s + b / n / examples_per_s)": "(b / n / examples_per_s)"},
        "pays_one_gpu": {"hours * n * usd": "hours * usd"},
        "ignores_the_deadline": {"hours <= deadline_h * 1.0001 and ": ""},
        "ignores_the_budget": {" and usd <= budget_usd * 1.0001": ""},
        "gpus_first": {"return b, n": "return n, b"},
    },
    "scaling/chinchilla/spend_budget": {
        "forgets_the_use": {"(flops / n - 2 * inference_tokens)": "flops / n"},
        "forgets_how_many_tokens_there_are": {
            "min((flops / n - 2 * inference_tokens) / 6, most_tokens)": "(flops / n - 2 * inference_tokens) / 6"
        },
        "swaps_the_exponents": {"n**-alpha": "n**-beta", "d**-beta": "d**-alpha"},
        "counts_from_one": {"return best[1],": "return best[1] + 1,"},
    },
    "scaling/loss_surface/choose_runs": {
        "forgets_the_budget": {"sum(runs) <= budget * (1 + 1e-9) and ": ""},
        "one_run_short": {"range(most_runs, 2, -1)": "range(max(3, most_runs - 1), 2, -1)"},
        "sharp_at_the_largest": {"target_flops=target": "target_flops=max(sizes)"},
    },
    "foundations/one_machine/choose_model": {
        "trusts_six_n_d": {"3 * each * tokens": "6 * parameters * tokens"},
        "forgets_the_head": {" + 2 * hidden * 50257": ""},
        "halves_attention_for_the_mask": {"4 * layers * hidden * sequence": "2 * layers * hidden * sequence"},
        "forgets_biases_and_norms": {" + 13 * layers * hidden + 2 * hidden": ""},
        "ignores_memory": {"parameters * bytes_per_parameter <= memory_bytes and ": ""},
        "ignores_time": {" and seconds <= days * 86400 * (1 + 1e-9)": ""},
        "counts_gibibytes": {"<= memory_bytes": "<= memory_bytes * 1.024**3"},
        "returns_the_width_first": {"return layers, hidden": "return hidden, layers"},
        "keeps_off_the_steepest": {"layers * 32 <= hidden": "layers * 32 < hidden"},
    },
    "foundations/hierarchy/choose_leaf_spine": {
        "never_saves_a_cable": {"if across >= least_links": "if up >= down and across >= least_links"},
        "takes_the_cheapest": {"across >= least_links": "across >= 1"},
        "leaves_the_middle_out": {" + leaves % 2 * (down // 2)": ""},
        "sends_the_middle_leafs_bytes_up": {"(down // 2)": "min(down // 2, up)"},
        "counts_both_directions": {"across >= least_links": "2 * across >= least_links"},
        "forgets_the_spines_ports": {" or leaves * cables > ports": ""},
        "forgets_the_ports_below": {"down + up > ports": "up > ports", " or down >= ports": ""},
        "has_one_cable_to_each_spine": {"for cables in range(1, ports + 1)": "for cables in [1]"},
    },
    "foundations/alpha_beta/choose_buckets": {
        "forgets_the_wait_for_the_first": {"compute_s / k + k * busy": "k * busy"},
        "starts_early": {"compute_s / k +": "compute_s / (k + 1) +"},
        "forgets_the_pass": {"max(compute_s / k + k * busy, compute_s + busy)": "compute_s / k + k * busy"},
        "hides_the_link": {"max(compute_s / k + k * busy, compute_s + busy)": "compute_s + busy"},
        "interpolates_logarithms": {
            "(size - n0) / (n1 - n0)": "math.log(size / n0) / math.log(n1 / n0)",
            "(1 - part) * t0 + part * t1": "t0 ** (1 - part) * t1**part",
        },
        "interpolates_over_the_logarithm": {"(size - n0) / (n1 - n0)": "math.log(size / n0) / math.log(n1 / n0)"},
        "interpolates_bandwidths": {"(1 - part) * t0 + part * t1": "size / ((1 - part) * n0 / t0 + part * n1 / t1)"},
    },
}
CASES = [(exercise, mistake) for exercise, slips in SLIPS.items() for mistake in slips]


def test_each_other_design_is_tried_with_slips() -> None:
    assert SLIPS.keys() == DESIGNS.keys()


@pytest.mark.parametrize(
    ("exercise", "mistake"), CASES, ids=[f"{Path(exercise).name}-{mistake}" for exercise, mistake in CASES]
)
def test_a_slip_is_named_in_another_design(exercise: str, mistake: str) -> None:
    _, declared = find(exercise)
    text = DESIGNS[exercise]
    for piece, slip in SLIPS[exercise][mistake].items():
        assert piece in text
        text = text.replace(piece, slip)
    names = dict(vars(declared.module))
    exec(compile(text, f"{mistake}.py", "exec", dont_inherit=True), names)
    known = {one.name: one.says for one in declared.mistakes}
    verdict = judge(declared, names[declared.name])
    assert (verdict.status, verdict.mistake, verdict.says) == ("wrong", mistake, known[mistake])
