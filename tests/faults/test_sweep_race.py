"""Many who take lapsed claims back at once, while their holders speak: each job goes one way, once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from jobs import keys, outcomes, reclaims
from jobs.claims import Superseded
from jobs.connection import store
from tests import factories
from tests.waiting import eventually

JOBS, SWEEPERS = 60, 8


def test_of_a_lapsed_claim_its_holder_or_one_sweeper_speaks_and_success_is_never_undone(settings):
    settings.MANDOR = {"VISIBILITY_TIMEOUT": timedelta(milliseconds=300)}
    factories.enqueue(count=JOBS)
    claims = [factories.start("mail") for _ in range(JOBS)]
    eventually(lambda: store().time()[0] + 60 > store().zrange(keys.started("mail"), -1, -1, withscores=True)[0][1])

    def finish(claim) -> str:
        try:
            return factories.finish(claim).value
        except Superseded:
            return ""

    def sweep(_: int) -> list[str]:
        return [row.job_id for _ in range(JOBS // 3) for row in reclaims.reclaim(store(), ["mail"])]

    with ThreadPoolExecutor(SWEEPERS + 1) as pool:
        finishing = pool.submit(lambda: {claim.job_id for claim in claims if finish(claim)})
        swept = [job_id for found in pool.map(sweep, range(SWEEPERS)) for job_id in found]
    finished = finishing.result()

    assert len(swept) == len(set(swept))
    assert not finished & set(swept)
    assert finished | set(swept) == {claim.job_id for claim in claims}
    assert {store().hget(keys.job(job_id), "status") for job_id in finished} <= {
        outcomes.Outcome.FINISHED.value.encode()
    }
    waiting = store().lrange(keys.queue("mail"), 0, -1)
    assert sorted(waiting) == sorted(job_id.encode() for job_id in swept)
