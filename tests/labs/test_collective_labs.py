"""The labs of the part on collectives, as a reader starts them, with 1 to 5 ranks, on two nodes, and gone wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from launching import ROOT, Launcher, free_port, two_nodes
from sampling import at_night

PRIMITIVES = "labs/collectives/primitives.py"
RING = "labs/collectives/ring_all_reduce.py"
COSTS = "labs/collectives/cost_model.py"
TOPOLOGY = "labs/collectives/topology.py"
SMALL = ("--largest-bytes", "65536", "--repeats", "3")


@pytest.mark.parametrize("ranks", [at_night(1), 2, 3, at_night(4), at_night(5)])
def test_every_primitive_and_algorithm_is_the_simulators(launch: Launcher, ranks: int) -> None:
    done = launch(PRIMITIVES, ranks=ranks, cold=ranks == 2)
    done.assert_agrees()
    assert len(done.rows) == 8 * 2 + 4
    assert all(row["agree"] == "yes" for row in done.rows.values())


@pytest.mark.parametrize("ranks", [at_night(1), 2, 3, at_night(4)])
def test_the_ring_sends_what_the_formula_says(launch: Launcher, ranks: int, tmp_path: Path) -> None:
    record, figure = tmp_path / "ring.json", tmp_path / "ring.svg"
    done = launch(RING, *SMALL, "--record", str(record), "--figure", str(figure), ranks=ranks)
    done.assert_agrees()
    kept = json.loads(record.read_text(encoding="utf-8"))
    assert (kept["lab"], kept["ranks"], kept["nodes"]) == ("collectives/ring_all_reduce", ranks, 1)
    assert [line["what"] for line in kept["rows"]] == list(done.rows)
    assert f"{2 * (ranks - 1) * 400:,}" == done.rows["even: sent, as 2(N−1)/N·n"]["measured"]
    if ranks > 1:
        assert len(kept["sweep"]["ring_s"]) == len(kept["sweep"]["sizes_bytes"]) == 3
        assert ("predicted_s" in kept["sweep"]) == figure.exists() == ("machine_fit" in kept)


@pytest.mark.parametrize("ranks", [at_night(1), 2, 3, at_night(4)])
def test_four_all_reduces_cost_what_the_formulas_say(launch: Launcher, ranks: int) -> None:
    done = launch(COSTS, *SMALL, ranks=ranks, cold=ranks == 2)
    if ranks == 1:
        done.assert_not_applicable()
    else:
        done.assert_agrees()
        assert sum(row["agree"] == "yes" for row in done.rows.values()) == 8


@pytest.mark.parametrize("ranks", [3, 4, at_night(6)])
def test_three_phases_over_subgroups_are_one_all_reduce(launch: Launcher, ranks: int) -> None:
    done = launch(TOPOLOGY, ranks=ranks)
    if ranks == 3:
        done.assert_not_applicable()
        return
    done.assert_agrees()
    assert sum(row["agree"] == "yes" for row in done.rows.values()) == 6
    size = 15 * ranks * 8
    assert done.rows["one ring: sent across by a node"]["measured"] == f"{2 * (ranks - 1) * size // ranks:,}"


@pytest.mark.parametrize(
    ("lab", "formula", "row"),
    [
        (PRIMITIVES, "snippets.collectives.traffic:collective_traffic", "all_to_all: sent by pairwise, bruck"),
        (RING, "snippets.all_reduce:ring_all_reduce_bytes", "even: sent, as 2(N−1)/N·n"),
        (COSTS, "snippets.collectives.algorithm_costs:algorithm_cost", "ring: steps, wire, reduced"),
        (TOPOLOGY, "snippets.collectives.topology.formulas:all_reduce_dimension_bytes", "hierarchical: sent across"),
    ],
)
def test_a_wrong_prediction_fails_the_lab(launch: Launcher, lab: str, formula: str, row: str) -> None:
    done = launch(
        lab, *(SMALL if lab in (RING, COSTS) else ()), ranks={COSTS: 2, TOPOLOGY: 4}.get(lab, 1), wrong=formula
    )
    assert done.code != 0
    assert done.rows[row]["agree"] == "NO", done.out + done.error
    assert re.search(r"^disagree: .*" + re.escape(row), done.out, re.MULTILINE)


ON_TWO_NODES = [lab for lab in (RING, "labs/memory/zero_fsdp.py") if (ROOT / lab).exists()]


@pytest.mark.parametrize(
    ("lab", "network"),
    [
        (ON_TWO_NODES[0], "loopback"),
        *(at_night(lab, "namespaces") for lab in ON_TWO_NODES),
        at_night(ON_TWO_NODES[-1], "loopback"),
    ],
)
def test_two_nodes_of_two_ranks(launch: Launcher, lab: str, network: str) -> None:
    """Two torchrun agents meet at one address: on this machine's loopback, or each in a network of its own."""
    with two_nodes(network) as nodes:
        endpoint = f"{nodes[0].address}:{free_port()}"
        running = []
        for number, node in enumerate(nodes):
            rendezvous = ["--rdzv-backend", "c10d", "--rdzv-endpoint", endpoint, "--rdzv-id", "labs"]
            rendezvous += ["--rdzv-conf", f"is_host={int(number == 0)}", "--local-addr", node.address]
            command = ["torchrun", "--nnodes", "2", "--nproc-per-node", "2", *rendezvous, lab]
            options = SMALL if lab == RING else ()
            running.append(launch.start([*node.enter, *command, *options], GLOO_SOCKET_IFNAME=node.interface))
        outcomes = [launch.finish(process, within_s=120) for process in running]
    assert [done.code for done in outcomes] == [0, 0], [done.out + done.error for done in outcomes]
    (table,) = [done for done in outcomes if done.rows]  # rank 0 is on one of the nodes
    table.assert_agrees()
    assert table.out.startswith("4 ranks") or "\n4 ranks" in table.out
