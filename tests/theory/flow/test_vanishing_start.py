"""Everything is trained, from a vanishing start: the flow in one matrix, its birth on a line, the tilt, and what ends it."""

from functools import cache, partial

import numpy as np
import pytest
from scipy import integrate, optimize

from tokensel_nb import Corpus, Parameters, independent_tokens, joint_flow, score_gradients
from tokensel_nb.textbook import textbook_gradients


def corpus_of(counts, signs):
    return Corpus(counts, signs, [f"word{s}" for s in range(np.shape(counts)[1])])


def drawn(seed, texts=14, words=5):
    """A small corpus of random counts and labels, every text with a word."""
    random = np.random.default_rng(seed)
    counts = random.integers(0, 4, (texts, words))
    counts[np.arange(texts), random.integers(0, words, texts)] += 1
    return corpus_of(counts, np.where(random.permutation(texts) < texts // 2, -1, 1))


MIXED = drawn(3)  # no values separate its labels
RESTING = drawn(1, texts=20, words=3)  # nor these, and its birth solution comes to rest
SEPARABLE = corpus_of([[1, 1, 1], [0, 1, 2], [2, 1, 2], [0, 2, 2], [2, 1, 0]], [1, 1, 1, -1, -1])


@cache
def dense(corpus):
    return corpus.counts.toarray(), corpus.signs, corpus.mean_weights


def pulls(a, gamma, corpus):
    """b and beta, the loss and the margins, written out for a few short texts; of one point or of many."""
    counts, y, mu = dense(corpus)
    weights = counts * np.exp(a - a.max(axis=-1, keepdims=True))[..., None, :]
    attention = weights / weights.sum(axis=-1, keepdims=True)
    f = (attention @ gamma[..., None])[..., 0]
    pull = mu * y / (1 + np.exp(y * f))
    beta, of_mean = ((each[..., None, :] @ attention)[..., 0, :] for each in (pull, pull * f))
    return gamma * beta - of_mean, beta, np.logaddexp(0, -y * f) @ mu, f


def pulls_at(omega, corpus):
    """The same at parameters omega = (E; p; v)."""
    scores, values = ((omega[..., :-2, :] @ omega[..., k, :, None])[..., 0] for k in (-2, -1))
    return pulls(scores, values, corpus)


def matrix(omega, corpus):
    """B at omega."""
    b, beta, *_ = pulls_at(omega, corpus)
    found = np.zeros(omega.shape[:-1] + omega.shape[-2:-1])
    found[..., :-2, -2:] = np.stack([b, beta], axis=-1)
    return found + np.swapaxes(found, -1, -2)


def loss(omega, corpus):
    return pulls_at(omega, corpus)[2]


def follow(start, corpus, times, held=None, beside=None, until=None, tolerance=1e-10, floor=1e-25):
    """Return the flow of omega at the times; with E moved along a unit vector alone, or with a linear companion x' = B x."""
    both = np.hstack([start, *([] if beside is None else [beside])])
    columns = start.shape[1]

    def velocity(_, flat):
        point = flat.reshape(both.shape)
        slope = matrix(point[:, :columns], corpus) @ point
        if held is not None:
            slope[:-2] = slope[:-2] @ np.outer(held, held)
        return slope.ravel()

    def event(_, flat):
        return loss(flat.reshape(both.shape)[:, :columns], corpus) - until

    event.terminal = True
    found = integrate.solve_ivp(
        velocity, (times[0], times[-1]), both.ravel(), "DOP853", times, rtol=tolerance, atol=floor, events=until and event
    )
    return found.t_events[0][0] if until else found.y.T.reshape(-1, *both.shape)


@cache
def first_pull(corpus):
    """The rate, and the direction (beta hat; 0; 1)."""
    beta = corpus.signed_share() / 2
    return np.linalg.norm(beta), np.append(beta / np.linalg.norm(beta), [0, 1])


def birth(corpus, times, before=9.0, **options):
    """The birth solution at the times, from exp(-before): wrong by about the third power of this."""
    rate, direction = first_pull(corpus)
    begin = np.exp(-before) * direction[:, None]
    return follow(begin, corpus, np.append(-before / rate, times), **options)[1:, :, 0]


def beside_birth(corpus, start, times, before=9.0, **options):
    """The birth solution and Upsilon, which begins in the kernel of B(0), at the times."""
    rate, direction = first_pull(corpus)
    _, along = escape(corpus, start, 1.0)
    rest = start - np.outer(start @ along, along)
    falling = np.append(direction[:-2], [0, -1])
    rest = rest - np.outer(falling, falling @ rest) / 2
    begin = np.exp(-before) * direction[:, None]
    found = follow(begin, corpus, np.append(-before / rate, times), beside=rest, floor=1e-16, **options)[1:]
    return found[..., 0], found[..., 1:]


def own(corpus, dim=4, seed=0):
    return np.random.default_rng(seed).standard_normal((corpus.vocab_size + 2, dim)) / np.sqrt(dim)


def escape(corpus, start, size):
    """t_epsilon, and the direction of the line."""
    rate, direction = first_pull(corpus)
    along = start.T @ direction
    return np.log(2 / size / np.linalg.norm(along)) / rate, along / np.linalg.norm(along)


def tilt_share(omega):
    return np.corrcoef(omega[:-2] @ omega[-2], omega[:-2] @ omega[-1])[0, 1] ** 2


# -------------------------------------------------------------------------------------------- the flow in one matrix


@pytest.mark.parametrize("seed", range(5))
def test_one_matrix_moves_all_parameters(seed):
    """Autograd of the textbook model and the package's gradients give B omega; rounding is 1e-15 of it."""
    corpus, omega = drawn(seed), 2 * own(drawn(seed), seed=seed)
    slopes = textbook_gradients(Parameters(omega[:-2], omega[-2], omega[-1]), corpus)
    B = matrix(omega, corpus)
    np.testing.assert_allclose(B @ omega, -np.vstack(slopes), atol=1e-12)
    by_score, by_value = score_gradients(omega[:-2] @ omega[-2], omega[:-2] @ omega[-1], corpus)
    np.testing.assert_allclose(B[:-2, -2:], -np.transpose([by_score, by_value]), atol=1e-12)
    assert np.abs(by_score).max() > 1e-3 > 1e-12 > abs(by_score.sum())
    two = np.linalg.svd(B[:-2, -2:], compute_uv=False)
    wanted = np.sort([*two, *-two, *np.zeros(corpus.vocab_size - 2)])
    np.testing.assert_allclose(np.linalg.eigvalsh(B), wanted, atol=1e-12)


def test_the_flow_keeps_rank_span_and_balance():
    start = own(MIXED, 2) @ np.linalg.qr(np.random.default_rng(1).standard_normal((5, 2)))[0].T
    (omega,) = follow(start, MIXED, [0, 30])[1:]
    assert np.linalg.norm(omega - start) > 0.5  # it has moved
    span = np.linalg.svd(start)[2][:2]
    np.testing.assert_allclose(omega @ span.T @ span, omega, atol=1e-8)
    assert np.linalg.matrix_rank(omega, 1e-6) == 2
    signature = np.append(np.ones(MIXED.vocab_size), [-1, -1])[:, None]
    np.testing.assert_allclose(omega.T @ (signature * omega), start.T @ (signature * start), atol=1e-8)


def test_flipping_labels_and_head_changes_no_score():
    omega = own(MIXED)
    start = Parameters(omega[:-2], omega[-2], omega[-1])
    mirror = corpus_of(MIXED.counts.toarray(), -MIXED.signs)
    given, flipped, only_labels = (
        joint_flow(parameters, corpus, [40.0])[0]
        for parameters, corpus in ((start, MIXED), (start._replace(output_vector=-omega[-1]), mirror), (start, mirror))
    )
    np.testing.assert_allclose(flipped.token_scores, given.token_scores, atol=1e-8)
    np.testing.assert_allclose(flipped.output_vector, -given.output_vector, atol=1e-8)
    assert np.abs(only_labels.token_scores - given.token_scores).max() > 0.1


# ---------------------------------------------------------------------------------------------- birth and escape


def test_the_flow_is_born_on_a_line():
    """The distance to the birth solution falls like epsilon, and omega_perp over epsilon tends to Upsilon."""
    start, rate = own(MIXED), first_pull(MIXED)[0]
    after = np.array([-1, 0, 1, 2]) / rate
    line, upsilon = beside_birth(MIXED, start, after)
    np.testing.assert_allclose(line, birth(MIXED, after), atol=1e-9)
    gaps, on_line, rests, missed = [], [], [], []
    for size in (1e-3, 1e-4, 1e-5):
        begins, along = escape(MIXED, start, size)
        found = follow(size * start, MIXED, np.append(0, begins + after))[1:]
        gaps.append(np.linalg.norm(found - line[:, :, None] * along, axis=(1, 2)))
        on_line.append(np.linalg.norm(found @ along - line, axis=1) / size)
        rests.append(found @ (np.eye(4) - np.outer(along, along)) / size)
        missed.append(np.linalg.norm(rests[-1] - upsilon) / np.linalg.norm(upsilon))
    assert missed[2] < 0.3 * missed[1] < 0.09 * missed[0] < 1e-3
    np.testing.assert_allclose(on_line[1], on_line[2], rtol=0.01)  # so the tilt, too, is met up to epsilon
    assert on_line[2].min() > 0.1
    assert np.linalg.norm(line[-1]) > 1 > 100 * gaps[0].max()  # far from zero by then
    np.testing.assert_allclose(gaps[0] / gaps[1], 10, rtol=0.1)
    np.testing.assert_allclose(gaps[1] / gaps[2], 10, rtol=0.02)
    assert np.linalg.norm(rests[1] - rests[2]) < 0.2 * np.linalg.norm(rests[0] - rests[1])
    assert np.linalg.norm(rests[0] - rests[1]) < 0.01 * np.linalg.norm(rests[2])


def test_a_start_ten_times_smaller_costs_the_time_predicted():
    start, rate = own(MIXED), first_pull(MIXED)[0]
    level = 0.67
    of_line = follow(np.exp(-9) * first_pull(MIXED)[1][:, None], MIXED, [-9 / rate, 9 / rate], until=level)
    late = []
    for size in (1e-2, 1e-3, 1e-4):
        begins, _ = escape(MIXED, start, size)
        late.append(follow(size * start, MIXED, [0, begins + 20 / rate], until=level) - begins - of_line)
    slopes = 1 + np.diff(late) * rate / np.log(10)  # in units of 1 / rate
    assert abs(slopes[-1] - 1) < 1e-3
    assert abs(late[2]) < 0.2 * abs(late[1]) < 0.04 * abs(late[0])
    assert abs(late[2]) < 0.002 / rate


def test_before_the_escape_the_query_is_its_start_and_that_of_the_line():
    start, rate = own(MIXED), first_pull(MIXED)[0]
    before = np.array([-4, -3, -2, -1, 0]) / rate
    line, missed = birth(MIXED, before)[:, -2], []
    for size in (1e-3, 1e-4):
        begins, along = escape(MIXED, start, size)
        found = follow(size * start, MIXED, np.append(0, begins + before))[1:, -2] @ along
        missed.append(np.abs(found - size * start[-2] @ along - line) / size / np.exp(2 * rate * before))
        assert np.abs(found[0] - line[0]) > 100 * np.abs(found[0] - size * start[-2] @ along - line[0])
    assert np.max(missed) < 0.1
    assert missed[1][-1] == pytest.approx(missed[0][-1], rel=0.1)  # at the escape no less than epsilon


def moments(corpus):
    """nu_3 and nu_5 of the theorem on the side of the tilt at birth."""
    rate, direction = first_pull(corpus)
    beta, y = direction[:-2], corpus.signs
    counts = dense(corpus)[0]
    shares = counts / counts.sum(axis=1, keepdims=True)
    mean = shares @ beta
    variance = shares @ beta**2 - mean**2
    x = shares.T @ mean / len(y) / 4
    across = x - x @ beta * beta
    covariance = shares @ (beta * across) - mean * (shares @ across)
    third = (y * variance).mean() / 2
    assert third == pytest.approx(rate * (beta**3).sum() - (y * mean**2).mean() / 2, abs=1e-15)
    return third, (mean * variance).mean() / 4 + (y * covariance).mean() / 3 / rate + 1.5 * x @ beta / rate * third


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_the_side_at_birth_is_a_third_moment(seed):
    corpus = drawn(seed)
    rate, third, fifth = first_pull(corpus)[0], *moments(corpus)
    places = np.array([0.01, 0.02, 0.04])
    query = birth(corpus, np.log(places) / rate, before=13.0, tolerance=1e-13)[:, -2]
    rests = query / places**3 * 3 * rate  # third - 3/5 fifth place² + O(place⁴)
    np.testing.assert_allclose(rests, third, rtol=0.2)
    (of_two, of_next) = (third - rests[1:]) / places[1:] ** 2 * 5 / 3
    assert (4 * of_two - of_next) / 3 == pytest.approx(fifth, rel=1e-3)
    mirror = corpus_of(corpus.counts.toarray(), -corpus.signs)
    np.testing.assert_allclose(moments(mirror), (-third, -fifth), rtol=1e-9)


# ---------------------------------------------------------------------------------------- how long the tilt lasts


def rest_of(omega, along):
    """What scores have beyond a multiple of values, that multiple, and the norm of omega_perp."""
    E, ratio = omega[:-2], omega[-2] @ along / (omega[-1] @ along)
    rest = omega - np.outer(omega @ along, along)
    return E @ omega[-2] - ratio * (E @ omega[-1]), ratio, np.linalg.norm(rest)


def test_the_part_beside_the_line_obeys_a_linear_equation():
    start, rate = own(MIXED), first_pull(MIXED)[0]
    size = 0.01
    begins, along = escape(MIXED, start, size)
    beside = size * (start - np.outer(start @ along, along))
    times = np.linspace(0, begins + 8 / rate, 200)
    found = follow(size * start, MIXED, times, beside=beside)
    omegas, linear = found[..., :4], found[..., 4:]
    across = np.eye(4) - np.outer(along, along)
    np.testing.assert_allclose(omegas @ across, linear, atol=1e-9)
    assert np.linalg.norm(linear[-1]) > 2 * np.linalg.norm(linear[0])
    norms = [np.linalg.norm(matrix(each, MIXED), 2) for each in omegas]
    bound = np.linalg.norm(beside) * np.exp(integrate.cumulative_trapezoid(norms, times, initial=0))
    rests = [rest_of(each, along) for each in omegas]
    for (rest, ratio, norm), most in zip(rests, bound):
        assert norm <= most * (1 + 1e-3)  # of the trapezoidal rule
        assert np.linalg.norm(rest) <= (1 + abs(ratio)) * norm**2 + 1e-15


def test_on_a_line_there_are_no_horns():
    start, rate = own(MIXED), first_pull(MIXED)[0]
    size = 0.03
    begins, _ = escape(MIXED, start, size)
    along = np.linalg.qr(np.random.default_rng(5).standard_normal((4, 1)))[0][:, 0]
    times = np.linspace(0, begins + 16 / rate, 200)
    (once,) = follow(start[:, :1] * along, MIXED, [0, 20 / rate])[1:]
    rest, _, _ = rest_of(once, along)
    assert np.linalg.norm(rest) < 1e-9 < 0.1 < np.linalg.norm(once[:-2] @ once[-2])  # rounding grows, too

    run = partial(follow, size * start, MIXED, times, tolerance=1e-8)
    held, free = run(held=along), run()
    E = np.linalg.norm((size * start)[:-2] @ (np.eye(4) - np.outer(along, along)), 2)
    of_p, of_v = np.linalg.norm(size * start[-2]), np.linalg.norm(size * start[-1])
    slopes = [pulls_at(each, MIXED)[:2] for each in held]
    sums = integrate.cumulative_trapezoid(np.linalg.norm(slopes, axis=2), times, axis=0, initial=0)

    def beyond(points):
        rests = [rest_of(each, along) for each in points]
        most = [E * (of_p + abs(r) * of_v + E * (s[0] + abs(r) * s[1])) for (_, r, _), s in zip(rests, sums)]
        return np.array([np.linalg.norm(rest) for rest, _, _ in rests]) / most

    assert beyond(held).max() <= 1 + 1e-3
    assert tilt_share(held[-1]) > 0.99 > 0.5 > tilt_share(free[-1])
    assert beyond(free)[-1] > 3  # so the bound is not one that nothing breaks
    assert loss(held[-1], MIXED) < 0.67


def test_a_large_start_has_no_tilt():
    """Outside the hypothesis: there the integral begins at log(1/epsilon) = 0, and the bound allows anything."""
    texts = independent_tokens(60, 8, 8, 0.7, seed=0)
    start = own(texts, 8, seed=1)
    shares = []
    for size in (1.0, 1e-3):
        end = follow(size * start, texts, [0, 1e4], until=0.5, tolerance=1e-7)
        shares.append(tilt_share(follow(size * start, texts, [0, end], tolerance=1e-7)[1]))
    assert shares[0] < 0.5 < 0.999 < shares[1]


# ------------------------------------------------------------------------------------------------- what ends it


def on_the_line(x, corpus):
    """The gradient of the loss in values gamma and in the ratio of scores to values."""
    b, beta, *_ = pulls(x[-1] * x[:-1], x[:-1], corpus)
    return -np.append(beta + x[-1] * b, b @ x[:-1])


def derivative(field, x, step=1e-5):
    return np.array([(field(x + step * e) - field(x - step * e)) / (2 * step) for e in np.eye(len(x))])


def separated(corpus):
    """Whether some values put all texts, whatever the positive weights of words, on the side of their labels."""
    counts, y, _ = dense(corpus)
    found = optimize.linprog(np.zeros(counts.shape[1]), -y[:, None] * counts, -np.ones(len(y)), bounds=(None, None))
    return found.status == 0


def test_after_the_line_has_come_to_rest_a_second_direction_grows_along_b():
    start, rate = own(RESTING, 3), first_pull(RESTING)[0]
    after = np.array([20, 30, 40, 80]) / rate
    line, upsilon = beside_birth(RESTING, start, after, tolerance=1e-9)
    rest = line[-1]
    B = matrix(rest[:, None], RESTING)
    b, norm = B[:-2, -2], np.linalg.norm(B, 2)
    assert np.linalg.norm(B @ rest) < 1e-6 < 1e-3 < np.linalg.norm(b)
    assert np.linalg.norm(line[2] - rest) < 1e-4
    x = np.append(rest[-1] * rest[:-2], rest[-2] / rest[-1])
    assert np.linalg.eigvalsh(derivative(partial(on_the_line, corpus=RESTING), x)).min() > 5e-4
    growth = np.log(np.linalg.norm(upsilon[3]) / np.linalg.norm(upsilon[2])) / (after[3] - after[2])
    assert growth == pytest.approx(norm, rel=1e-3)
    gains = [each[:-2] @ (each[-2] - on[-2] / on[-1] * each[-1]) for on, each in zip(line, upsilon)]
    cosines = [gain @ b / np.linalg.norm(gain) / np.linalg.norm(b) for gain in gains]
    assert 1 - cosines[2] < 0.1 * (1 - cosines[1]) < 0.01 * (1 - cosines[0]) < 1e-4

    begins, along = escape(RESTING, start, 1e-4)
    for each, gain in zip(
        follow(1e-4 * start, RESTING, np.append(0, begins + after[:2]), tolerance=1e-8, floor=1e-13)[1:], gains
    ):
        assert np.linalg.norm(rest_of(each, along)[0] / 1e-8 - gain) < 0.05 * np.linalg.norm(gain)


def test_a_second_direction_grows_from_every_start_that_was_drawn():
    """A thousand parts in the kernel of B(0) grow at the theorem's rate; those of one hyperplane do not."""
    rate, direction = first_pull(RESTING)
    kernel = np.linalg.svd(np.stack([direction, np.append(direction[:-2], [0, -1])]))[2][2:].T
    begin = np.exp(-9) * direction[:, None]
    late = follow(begin, RESTING, np.array([-9, 40, 80]) / rate, beside=kernel, floor=1e-16, tolerance=1e-9)[1:]
    B, moved = matrix(late[1, :, :1], RESTING), late[..., 1:]
    top = np.linalg.eigh(B)[1][:, -1:]
    slow = np.linalg.svd(top.T @ moved[1])[2][1:].T
    starts = np.random.default_rng(20261130).standard_normal((kernel.shape[1], 1_000))
    grown = np.diff(np.log(np.linalg.norm(moved @ np.hstack([starts, slow]), axis=1)), axis=0)[0] / 40 * rate
    np.testing.assert_allclose(grown[:1_000], np.linalg.norm(B, 2), rtol=0.01)
    assert np.abs(grown[1_000:]).max() < 1e-6 * np.linalg.norm(B, 2)


@pytest.mark.long
def test_the_second_escape_comes_when_the_theorem_says():
    """Ten times smaller, a thousand starts leave the saddle later by log 10 over its rate, and their loss falls below its."""
    rate = first_pull(RESTING)[0]
    rest = birth(RESTING, np.array([80]) / rate, tolerance=1e-9)[0, :, None]
    starts, step, lasts = np.array([own(RESTING, 2, seed) for seed in range(1_000)]), 0.05 / rate, []
    for size in (1e-4, 1e-5):
        begins = np.array([escape(RESTING, start, size)[0] for start in starts])
        points, time, left = size * starts, 0.0, np.full(1_000, np.inf)
        while np.isinf(left).any():
            middle = points + step / 2 * matrix(points, RESTING) @ points
            points, time = points + step * matrix(middle, RESTING) @ middle, time + step
            fallen = loss(points, RESTING) < loss(rest, RESTING) - 1e-4
            left[fallen & np.isinf(left)] = time
        lasts.append(left - begins)
    later = np.diff(lasts, axis=0)[0] * np.linalg.norm(matrix(rest, RESTING), 2) / np.log(10)
    assert (np.abs(later - 1) < 0.02).mean() > 0.99  # of some starts, with little that grows, even these sizes are not small


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_a_tilt_that_the_labels_follow_stays(seed):
    """The line comes to rest in it, with no pull left, and so does the flow."""
    random, texts = np.random.default_rng(seed), drawn(seed, texts=12, words=4).counts.toarray()
    gamma, ratio, both = 1.5 * random.standard_normal(4), random.uniform(-1, 1), np.repeat([1, -1], 12)
    f = np.tile(pulls(ratio * gamma, gamma, corpus_of(texts, np.ones(12)))[3], 2)
    chances = np.tile(random.exponential(size=12), 2) / (1 + np.exp(-both * f))
    truth = Corpus(np.vstack([texts, texts]), both, [f"word{s}" for s in range(4)], weights=chances)
    rate, start = first_pull(truth)[0], own(truth, 3)
    begins, along = escape(truth, start, 1e-3)
    end = follow(1e-3 * start, truth, [0, begins + 2_000 / rate], tolerance=1e-8, floor=1e-12)[1]
    assert np.linalg.norm(matrix(end, truth), 2) < 0.01 * rate
    assert end[-2] @ along / (end[-1] @ along) == pytest.approx(ratio, abs=0.1)
    assert tilt_share(end) > 0.999


def test_a_birth_solution_need_not_be_bounded_although_no_values_separate_the_texts():
    assert [separated(corpus) for corpus in (SEPARABLE, MIXED, RESTING)] == [True, False, False]
    points = birth(MIXED, np.array([8, 16, 32]) / first_pull(MIXED)[0], tolerance=1e-7)
    norms = np.linalg.norm(points, axis=1)
    assert (norms[1:] > 1.15 * norms[:-1]).all()
    values, scores = (points[:, -1:] * points[:, :-2]).T, (points[:, -2:-1] * points[:, :-2]).T
    top = np.abs(values[:, -1]).argmax()
    assert np.diff(np.log(np.abs(values[top]))).min() > np.log(1.4)
    assert np.diff(scores[top] - scores.mean(axis=0)).max() < 0


def test_separable_texts_can_have_a_local_minimum_on_the_line_and_a_saddle_beside_it():
    counts, y, _ = dense(SEPARABLE)
    assert (y * (counts @ [9, -20, 12]) > 0).all()
    near = [0.706843, -0.158106, 0.008185, 8.702726]
    x = optimize.root(partial(on_the_line, corpus=SEPARABLE), near, tol=1e-14).x
    np.testing.assert_allclose(x, near, atol=1e-5)
    assert np.abs(on_the_line(x, SEPARABLE)).max() < 1e-12
    assert np.linalg.eigvalsh(derivative(partial(on_the_line, corpus=SEPARABLE), x)).min() > 5e-5
    gamma, ratio = x[:-1], x[-1]
    b, beta, height, _ = pulls(ratio * gamma, gamma, SEPARABLE)
    assert 0.6 < height < np.log(2)

    # In full: E, p and v along the first of two directions, of the sizes that the flow from zero keeps.
    v = np.sqrt(np.linalg.norm(gamma) / np.sqrt(1 + ratio**2))
    omega = np.zeros((5, 2))
    omega[:, 0] = *(gamma / v), ratio * v, v
    B = matrix(omega, SEPARABLE)
    size = np.linalg.norm(omega[:-2])
    norm = np.linalg.norm(b) * size / v
    vector = np.array([*(size * b / np.linalg.norm(b)), v, -ratio * v])
    assert np.linalg.norm(B, 2) == pytest.approx(norm, rel=1e-9)
    np.testing.assert_allclose(B @ vector, norm * vector, atol=1e-12)
    np.testing.assert_allclose(beta, -ratio * b, atol=1e-12)
    curvature = derivative(lambda flat: -(matrix(flat.reshape(5, 2), SEPARABLE) @ flat.reshape(5, 2)).ravel(), omega.ravel())
    lowest = np.linalg.eigvalsh((curvature + curvature.T) / 2)
    assert lowest[0] == pytest.approx(-norm, rel=1e-3)
    assert lowest[1] > -1e-6

    assert abs(b.sum()) + abs(gamma @ b) < 1e-12 < 1e-4 < np.abs(b).min()
    assert (np.diff(np.sign(b[np.argsort(gamma)])) != 0).sum() == 2


def test_a_birth_solution_can_stall_although_some_values_separate_the_texts():
    counts = [[2, 1, 0, 0, 0], [0, 1, 0, 2, 0], [1, 1, 0, 1, 1], [1, 2, 0, 2, 0], [1, 0, 1, 2, 1]]
    corpus = corpus_of(counts, [1, 1, 1, -1, -1])
    assert (corpus.signs * (np.array(counts) @ [10, -15, -40, 9, 0]) > 0).all()
    points = birth(corpus, np.array([15, 60]) / first_pull(corpus)[0], before=7.0, tolerance=1e-6)
    for point, (least, most) in zip(points, ((0.34, 0.38), (0.29, 0.34))):
        weights = counts * np.exp(point[-2] * point[:-2])
        attention = weights / weights.sum(axis=1, keepdims=True)
        assert attention[[1, 3], 3].min() > 0.98
        assert 0.4 * np.log(2) < least < loss(point[:, None], corpus) < most


@pytest.mark.parametrize("seed", range(10))
def test_words_of_one_label_alone_rise_at_both_ends(seed):
    random = np.random.default_rng(seed)
    counts = random.integers(0, 3, (10, 6))
    counts[:, 2] += 1  # every text has another word
    y = np.repeat([-1, 1], 5)
    counts[:, [0, -1]] = np.outer(y < 0, [1, 0]) + np.outer(y > 0, [0, 1])
    gamma = np.sort(random.standard_normal(6))
    b, *_ = pulls(3 * random.standard_normal(6), gamma, corpus_of(counts, y))
    assert min(b[0], b[-1]) > 0 > b[1:-1].min()
    mixed = counts.copy()
    mixed[:, [0, -1]] = counts[:, [-1, 0]]  # the best word stands in blame alone
    b, *_ = pulls(3 * random.standard_normal(6), gamma, corpus_of(mixed, y))
    assert max(b[0], b[-1]) < 0


def test_the_head_grows_with_the_margins_and_a_low_loss_goes_to_zero():
    omega = own(MIXED)
    _, beta, _, f = pulls_at(omega, MIXED)
    grows = omega[-1] @ (omega[:-2].T @ beta)
    assert grows == pytest.approx((MIXED.signs * f / (1 + np.exp(MIXED.signs * f))).mean(), rel=1e-12)
    start = 0.1 * own(SEPARABLE)
    start[:-2, 0] = [2.25, -5, 3]
    start[-2], start[-1, 0] = 0, 16
    losses = [loss(each, SEPARABLE) for each in follow(start, SEPARABLE, [0, 1, 10], tolerance=1e-7)]
    assert losses[0] < np.log(2) / 5
    assert losses[2] < 0.2 * losses[1] < 0.1 * losses[0]
