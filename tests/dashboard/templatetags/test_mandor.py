"""What the templates write figures, times, states and sparklines with."""

from datetime import UTC, datetime, timedelta

from dashboard.templatetags.mandor import ago, clock, elapsed, left, sparkline, state

NOW = datetime(2026, 3, 4, 12, 30, 5, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
CONTEXT = {"now": NOW}


def test_an_age_and_a_countdown_carry_what_the_browser_ticks_from():
    since, until = ago(CONTEXT, NOW - 4 * MINUTE), left(CONTEXT, NOW + MINUTE)

    assert ">4 m 00 s<" in since
    assert 'datetime="2026-03-04T12:26:05.000+00:00" data-clock="since"' in since
    assert ">1 m 00 s<" in until


def test_a_time_that_is_not_known_is_a_dash():
    assert (ago(CONTEXT, None), left(CONTEXT, None), clock(None)) == ("–", "–", "–")  # noqa: RUF001


def test_a_bar_is_full_at_the_maximum():
    assert 'max="60.0" value="60.0"' in elapsed(CONTEXT, NOW - 5 * MINUTE, MINUTE)


def test_a_state_is_icon_word_and_colour_together():
    pill = state("dead")

    assert "tone-dead" in pill
    assert "#cross" in pill
    assert "Dead letter" in pill


def test_a_state_nobody_knows_is_shown_and_escaped():
    assert "&lt;b&gt;odd" in state("<b>odd").lower()


def test_a_sparkline_starts_at_nought_and_is_flat_without_values():
    assert 'd="M0.0 32.0L100.0' in sparkline([0, 4])
    assert 'class="line" d=""' in sparkline([])


def test_a_sparkline_leaves_out_what_nobody_knows_at_its_beginning():
    assert sparkline([None] * 50 + [1] * 20) == sparkline([1] * 20)
    assert sparkline([None] * 50 + [1]) == sparkline([None] * 9 + [1])
    assert sparkline([None, 1]) != sparkline([1])


def test_a_sparkline_breaks_where_values_are_missing():
    drawn = sparkline([1, 1, None, 1, None, 0])

    assert 'class="line" d="M0.0 5.9L20.0 5.9h0M60.0 5.9h0M100.0 32.0h0"' in drawn
    assert 'd="M0.0 34L0.0 5.9L20.0 5.9L20.0 34Z' in drawn
