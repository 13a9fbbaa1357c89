"""State machines of hypothesis, walked through with steps of any length: a real server answers them."""

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test


def walk(machine: type[RuleBasedStateMachine], *, examples: int, steps: int) -> None:
    """Take so many walks of at most so many steps."""
    every = list(HealthCheck)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=every, database=None
        ),
    )
