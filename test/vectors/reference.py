#!/usr/bin/python3
#
# reference.py
#	  Writes computed.tsv: what the functions of accounting must give, from definitions, in 50 digits and more.
#
# Nothing here uses a closed form that the library may have got wrong: divergences are integrals or sums over the
# two distributions, inverses are roots, a supremum is searched for.  Arguments are the float8 that SQL would see.
# Needs mpmath; takes three minutes.
#
import cmath
import os
from decimal import Decimal
from math import exp, expm1, floor, log, log1p, nextafter, pi, sqrt

from mpmath import inf, mp, mpf
from mpmath.calculus.quadrature import GaussLegendre

mp.dps = 60

rows = []


# What promises no direction to err in, or is given an epsilon that was rounded.
TO_NEAREST = ('dpriv.selection_', 'dpriv.dpsgd_noise_multiplier(')


def row(name, expression, expected, tolerance='rel 1e-9', relation='=', source='mpmath'):
    if not isinstance(expected, str):
        if relation == '=' and 0 < expected < 1e-305:
            # too small for a float8: what is returned need not be 0
            relation, expected, tolerance = '<=', 1e-300, 'abs 0'
        elif relation in ('=', '~above') and not any(function in expression for function in TO_NEAREST):
            relation = 'below' if 'dpriv.zcdp_rho(' in expression else 'above'
        expected = 'Infinity' if expected == inf else repr(float(expected))
    rows.append((name, expression, relation, expected, tolerance, source))


def f8(text):
    """The float8 that SQL makes of a decimal."""
    return mpf(float(text))


def sql(text):
    return "'Infinity'" if text == 'inf' else text


def call(function, *arguments):
    return 'dpriv.%s(%s)' % (function, ', '.join(sql(str(a)) for a in arguments))


def not_below(decimal):
    """The smallest float8 whose shortest decimal is not below."""
    nearest = float(decimal)
    return nextafter(nearest, float('inf')) if Decimal(repr(nearest)) < decimal else nearest


def check(condition, *what):
    if not condition:
        raise AssertionError(what)


# ---- Tools ----

NODES = {}


def nodes(degree):
    """Gauss-Legendre on [-1, 1]: 24 points for degree 4, 48 for 5."""
    key = degree, mp.prec
    if key not in NODES:
        NODES[key] = GaussLegendre(mp).calc_nodes(degree, mp.prec)
    return NODES[key]


def integral(f, points):
    """Over panels; 24 points a panel must agree with 48 to 20 digits, so that 48 are far better."""
    sums = []
    for degree in (4, 5):
        terms = []
        for low, high in zip(points, points[1:]):
            half, middle = (high - low) / 2, (high + low) / 2
            terms += [half * w * f(middle + half * x) for x, w in nodes(degree)]
        sums.append(mp.fsum(terms))
    check(abs(sums[0] - sums[1]) <= abs(sums[1]) * mpf(10) ** -20, 'integral', sums)
    return sums[1]


def panels(start, end, decay, fine=None):
    """Break points from start to end: never wider than 4 times the decay, geometric from the fine scale on."""
    points = {start, end}
    step = decay if fine is None else min(decay, fine)
    x = step
    while start + x < end:
        points.add(start + x)
        x += min(x, 4 * decay)
    return sorted(points)


def root(f, low, high, digits=30):
    """Where f changes sign: regula falsi, Illinois variant, after checking the bracket."""
    a, b = mpf(low), mpf(high)
    fa, fb = f(a), f(b)
    check(fa * fb <= 0, 'bracket', low, high, fa, fb)
    for _ in range(400):
        c = b - fb * (b - a) / (fb - fa) if fb != fa else (a + b) / 2
        fc = f(c)
        if fc == 0:
            return c
        if fc * fb < 0:
            a, fa = b, fb
        else:
            fa /= 2
        done = abs(c - b) <= abs(c) * mpf(10) ** -digits
        b, fb = c, fc
        if done:
            return b
    raise AssertionError('root')


def minimum(f, low, high, digits=9):
    """(x, f(x)) by golden section, in the logarithm of x, for a function with one minimum."""
    ratio = (mp.sqrt(5) - 1) / 2
    a, b = mp.log(low), mp.log(high)
    x1, x2 = b - ratio * (b - a), a + ratio * (b - a)
    f1, f2 = f(mp.exp(x1)), f(mp.exp(x2))
    while b - a > mpf(10) ** -digits:
        if f1 < f2:
            b, x2, f2 = x2, x1, f1
            x1 = b - ratio * (b - a)
            f1 = f(mp.exp(x1))
        else:
            a, x1, f1 = x1, x2, f2
            x2 = a + ratio * (b - a)
            f2 = f(mp.exp(x2))
    return (mp.exp(x1), f1) if f1 < f2 else (mp.exp(x2), f2)


def smallest(f, low, high, count=48):
    """Minimum of f over low..high: a geometric scan first, so that one valley is enough."""
    step = (mpf(high) / low) ** (mpf(1) / count)
    grid = [low * step ** i for i in range(count + 1)]
    values = [f(x) for x in grid]
    best = min(range(count + 1), key=lambda i: values[i])
    return minimum(f, grid[max(best - 1, 0)], grid[min(best + 1, count)])


# ---- Gaussian: delta is the expectation of (1 - e^(epsilon - loss))+ ----

def gaussian_delta(sensitivity, sigma, epsilon):
    """Loss of N(mu, 1) against N(0, 1) at mu + z is mu z + mu^2 / 2, for a standard normal z."""
    mu = sensitivity / sigma
    a = epsilon / mu - mu / 2               # the loss is epsilon at z = a
    start = max(mpf(0), -a - 40)
    end = mp.sqrt(a * a + 400) - a if a > 0 else 40 - a
    return integral(lambda u: mp.npdf(a + u) * -mp.expm1(-mu * u),
                    panels(start, end, 1 / max(mpf(1), a), 1 / mu if start == 0 else None))


def closed_delta(sensitivity, sigma, epsilon):
    """Balle and Wang 2018, theorem 8: only to bracket roots, and compared with the integral."""
    mu = sensitivity / sigma
    with mp.extradps(40):
        # ncdf of mpmath is 1 - something in the tail
        tail = lambda x: mp.erfc(x / mp.sqrt(2)) / 2
        return tail(epsilon / mu - mu / 2) - mp.exp(epsilon) * tail(epsilon / mu + mu / 2)


def near_root(exact, approximate, guess_low, guess_high):
    """A root of exact(), bracketed about the one of approximate()."""
    low, high = mp.log(guess_low), mp.log(guess_high)
    rising = approximate(mp.exp(high)) > 0
    for _ in range(60):
        middle = (low + high) / 2
        if (approximate(mp.exp(middle)) > 0) == rising:
            high = middle
        else:
            low = middle
    return mp.exp(root(lambda x: exact(mp.exp(x)), low - mpf(10) ** -6, high + mpf(10) ** -6))


def gaussian_sigma(sensitivity, epsilon, delta):
    return near_root(lambda s: mp.log(gaussian_delta(sensitivity, s, epsilon)) - mp.log(delta),
                     lambda s: mp.log(closed_delta(sensitivity, s, epsilon)) - mp.log(delta),
                     sensitivity * mpf(10) ** -4, sensitivity * mpf(10) ** 11)


def gaussian_epsilon(sensitivity, sigma, delta):
    if delta >= gaussian_delta(sensitivity, sigma, mpf(0)):
        return mpf(0)
    return near_root(lambda e: mp.log(gaussian_delta(sensitivity, sigma, e)) - mp.log(delta),
                     lambda e: mp.log(closed_delta(sensitivity, sigma, e)) - mp.log(delta),
                     mpf(10) ** -12, mpf(10) ** 8)


def gaussian_rows():
    for sensitivity, sigma, epsilon in (
            ('1', '1', '0'), ('1', '1', '1e-6'), ('1', '1', '0.1'), ('1', '1', '3'), ('1', '1', '10'),
            ('1', '1', '30'), ('1', '0.001', '1'), ('1', '0.001', '1000'), ('1', '0.05', '100'),
            ('1', '0.05', '250'), ('1', '0.01', '1000'), ('1', '0.025', '1000'), ('1', '5', '1e-6'),
            ('1', '1000', '0'), ('1', '1000', '1e-6'), ('1', '1000', '1e-3'), ('1', '1000', '0.01'),
            ('1', '1e6', '1e-6'), ('1', '1e6', '1e-5'), ('1', '1e6', '3e-5'), ('1', '1e9', '0'),
            ('1', '1e9', '1e-9'), ('1000', '1e9', '1e-6'), ('1e5', '1e9', '1e-3'), ('7', '3', '0.5'),
            ('2.5', '40', '2'), ('0.001', '0.01', '3'), ('1e-6', '1e-3', '0.03'), ('1', '0.7', '25')):
        values = [f8(x) for x in (sensitivity, sigma, epsilon)]
        delta = gaussian_delta(*values)
        check(abs(delta / closed_delta(*values) - 1) < 1e-20, 'Balle and Wang')
        row('gaussian_delta %s %s %s' % (sensitivity, sigma, epsilon),
            call('gaussian_delta', sensitivity, sigma, epsilon), delta)
    for sensitivity, epsilon, delta in (
            ('1', '1e-6', '0.9'), ('1', '1e-6', '1e-3'), ('1', '1e-6', '1e-6'), ('1', '1e-6', '1e-9'),
            ('1', '1e-6', '1e-30'), ('1', '1e-6', '1e-300'), ('1', '0.001', '1e-10'), ('1', '0.1', '1e-5'),
            ('1', '0.1', '0.3'), ('1', '1', '0.9'), ('1', '1', '1e-5'), ('1', '1', '1e-18'), ('1', '1', '1e-100'),
            ('1', '1', '1e-300'), ('1', '20', '0.5'), ('1', '20', '1e-8'), ('1', '20', '1e-300'),
            ('1', '1000', '0.9'), ('1', '1000', '1e-6'), ('1', '1000', '1e-300'), ('1e-6', '0.5', '1e-6'),
            ('1', '0.01', '1e-318'), ('1', '20', '5e-324'),
            ('1e6', '0.5', '1e-6'), ('2.718', '3.14159', '1e-7')):
        sigma = gaussian_sigma(*[f8(x) for x in (sensitivity, epsilon, delta)])
        row('gaussian_sigma %s %s %s' % (sensitivity, epsilon, delta),
            call('gaussian_sigma', sensitivity, epsilon, delta), sigma)
    for sensitivity, sigma, delta in (
            ('1', '0.001', '1e-6'), ('1', '0.05', '0.9'), ('1', '0.05', '1e-300'), ('1', '0.3', '1e-6'),
            ('1', '1', '0.38'), ('1', '1', '0.39'), ('1', '1', '0.1'), ('1', '1', '1e-18'), ('1', '1', '1e-300'),
            ('1', '20', '0.0199'), ('1', '20', '1e-5'), ('1', '1000', '3e-4'), ('1', '1000', '1e-6'),
            ('1', '1e6', '1e-7'), ('1', '1e6', '1e-30'), ('1', '1e9', '1e-10'), ('1', '1e9', '1e-300'),
            ('1000', '1e9', '1e-6'), ('2.718', '3.14159', '1e-7')):
        epsilon = gaussian_epsilon(*[f8(x) for x in (sensitivity, sigma, delta)])
        row('gaussian_epsilon %s %s %s' % (sensitivity, sigma, delta),
            call('gaussian_epsilon', sensitivity, sigma, delta), epsilon,
            'rel 1e-9' if epsilon else 'abs 0')


def discrete_delta(shift, sigma, epsilon):
    """
    Sum of (p(y) - e^epsilon p(y - shift))+ over the integers, p the discrete Gaussian.  Terms by the recurrence
    p(y + 1) / p(y) = e^(-(2 y + 1) / (2 sigma^2)).
    """
    reach = int(sigma * 18) + 3 + shift
    w = mp.exp(-1 / (sigma * sigma))
    weights = [mpf(1)]
    ratio = mp.exp(-1 / (2 * sigma * sigma))
    for _ in range(reach):
        weights.append(weights[-1] * ratio)
        ratio *= w
    total = 2 * mp.fsum(weights) - 1
    factor = mp.exp(epsilon)
    # p is there for |y| <= reach; what y > reach would add is less than e^-162 of it
    terms = []
    for y in range(-reach, reach + 1):
        other = weights[abs(y - shift)] if abs(y - shift) <= reach else mpf(0)
        excess = weights[abs(y)] - factor * other
        # to the left of the first gap nothing is left over: the ratio p(y) / p(y - shift) falls with y
        if excess > 0:
            terms.append(excess)
    return mp.fsum(terms) / total


def discrete_sigma(sensitivity, epsilon, delta):
    """
    The smallest sigma with discrete_delta <= delta: upwards from far below.  Where sigma^2 epsilon is a few times the
    sensitivity, delta has a dip wherever the first integer that counts changes, so steps are small there.
    """
    with mp.workdps(20):
        sigma = gaussian_sigma_guess(sensitivity, epsilon, delta) / 3
        step = mpf('1.001') if sigma < 5 else mpf('1.03')
        while discrete_delta(sensitivity, sigma, epsilon) > delta:
            sigma *= step
    with mp.workdps(40):
        return root(lambda s: discrete_delta(sensitivity, s, epsilon) - delta, sigma / step, sigma, 20)


def gaussian_sigma_guess(sensitivity, epsilon, delta):
    low, high = mpf(10) ** -4 * sensitivity, mpf(10) ** 8 * sensitivity
    for _ in range(80):
        middle = mp.sqrt(low * high)
        if closed_delta(sensitivity, middle, epsilon) > delta:
            low = middle
        else:
            high = middle
    return high


def discrete_gaussian_rows():
    for sensitivity, epsilon, delta in (
            (1, '0.1', '1e-5'), (1, '0.5', '1e-6'), (1, '1', '1e-5'), (1, '1', '1e-10'), (1, '1', '0.1'),
            (1, '2', '1e-6'), (1, '5', '1e-6'), (1, '3', '0.047'), (1, '3', '1e-4'), (1, '10', '6e-5'),
            (1, '20', '3e-9'), (2, '10', '0.073'), (2, '20', '0.007'), (3, '10', '0.205'), (3, '20', '0.09'),
            (1, '10', '1e-9'), (1, '20', '1e-6'), (1, '0.01', '1e-4'),
            (2, '0.5', '1e-6'), (2, '1', '1e-5'), (2, '3', '1e-12'), (2, '10', '1e-3'),
            (7, '0.3', '1e-5'), (7, '1', '1e-6'), (7, '8', '1e-8'), (1000, '1', '1e-6'), (1000, '10', '1e-9')):
        sigma = discrete_sigma(sensitivity, f8(epsilon), f8(delta))
        if 1 < sensitivity < 100:
            # no smaller shift is worse
            with mp.workdps(30):
                for shift in range(1, sensitivity):
                    check(discrete_delta(shift, sigma, f8(epsilon)) <= f8(delta), 'shift', shift)
        row('gaussian_sigma discrete %s %s %s' % (sensitivity, epsilon, delta),
            call('gaussian_sigma', sensitivity, epsilon, delta, "'discrete'"), sigma, 'rel 1e-9', '~above')


# ---- Renyi divergences ----

def divergence(alpha, total):
    """From the sum or integral of p^alpha q^(1 - alpha)."""
    return mp.log(total) / (alpha - 1)


def finite_divergence(alpha, p, q):
    """Of two distributions on a few points, with their multiplicities: [(p, q, count)]."""
    points = list(zip(p, q))
    if alpha == inf:
        return max(mp.log(x / y) for (x, _), (y, _) in points if x)
    if alpha == 1:
        return mp.fsum(n * x * mp.log(x / y) for (x, n), (y, _) in points if x)
    with mp.extradps(40):
        return divergence(alpha, mp.fsum(n * x ** alpha * y ** (1 - alpha) for (x, n), (y, _) in points if x))


def rdp_laplace(epsilon, alpha):
    """Laplace of scale 1 / epsilon at 0 and at 1."""
    if alpha == inf:
        return epsilon
    p = lambda x: epsilon / 2 * mp.exp(-epsilon * abs(x))
    q = lambda x: epsilon / 2 * mp.exp(-epsilon * abs(x - 1))
    with mp.extradps(20):
        if alpha == 1:
            f = lambda x: p(x) * epsilon * (abs(x - 1) - abs(x))
            rate = epsilon
        else:
            f = lambda x: epsilon / 2 * mp.exp(epsilon * ((alpha - 1) * abs(x - 1) - alpha * abs(x)))
            rate = (2 * alpha - 1) * epsilon
        far = 250 / epsilon
        # the tails, and the middle, where it falls with rate (2 alpha - 1) epsilon: to e^-400 of its start
        total = (integral(lambda u: f(-u), panels(mpf(0), far, 1 / epsilon))
                 + integral(f, panels(mpf(0), min(mpf(1), 400 / rate), 1 / rate))
                 + integral(lambda u: f(1 + u), panels(mpf(0), far, 1 / epsilon)))
        return total if alpha == 1 else divergence(alpha, total)


def rdp_discrete_laplace(epsilon, steps, alpha):
    """P[X = x] = (1 - t) / (1 + t) t^|x| at 0 and at `steps`; outside of 0..steps the loss is constant."""
    if alpha == inf:
        return epsilon
    with mp.extradps(20):
        t = mp.exp(-epsilon / steps)
        norm = (1 - t) / (1 + t)
        tail = t / (1 + t)                  # P[X < 0]
        p = [(norm * t ** x, 1) for x in range(steps + 1)] + [(tail, 1), (tail * t ** steps, 1)]
        q = [(norm * t ** (steps - x), 1) for x in range(steps + 1)] + [(tail * t ** steps, 1), (tail, 1)]
        return finite_divergence(alpha, p, q)


def rdp_pure(epsilon, alpha):
    p, q = 1 / (1 + mp.exp(-epsilon)), 1 / (1 + mp.exp(epsilon))
    return finite_divergence(alpha, [(p, 1), (q, 1)], [(q, 1), (p, 1)])


def rdp_randomized_response(noise, buckets, alpha, adjacency):
    other = noise / buckets
    same = 1 - noise + other
    if adjacency == 'replace_one':
        return finite_divergence(alpha, [(same, 1), (other, 1), (other, buckets - 2)],
                                 [(other, 1), (same, 1), (other, buckets - 2)])
    answer = [(same, 1), (other, buckets - 1)]
    special = [(mpf(1) / buckets, 1), (mpf(1) / buckets, buckets - 1)]
    return max(finite_divergence(alpha, answer, special), finite_divergence(alpha, special, answer))


def bounded_range(epsilon, alpha, t):
    """Two points with losses t and t - epsilon: the extreme points of a bounded range."""
    with mp.extradps(30):
        if t <= 0 or t >= epsilon:
            return mpf(0)
        p = mp.expm1(epsilon - t) / (mp.exp(epsilon - t) - mp.exp(-t))
        return finite_divergence(alpha, [(p, 1), (1 - p, 1)],
                                 [(p * mp.exp(-t), 1), ((1 - p) * mp.exp(epsilon - t), 1)])


def rdp_exponential(epsilon, alpha):
    """The worst of them."""
    if alpha == inf:
        return epsilon
    best = smallest(lambda u: -bounded_range(epsilon, alpha, epsilon * u / (1 + u)),
                    mpf(10) ** -4, mpf(10) ** 9, 60)
    # u / (1 + u) nearer to 1 than 1e-9 for huge orders
    other = smallest(lambda u: -bounded_range(epsilon, alpha, epsilon / (1 + u)),
                     mpf(10) ** -12, mpf(1), 60)
    return max(-best[1], -other[1])


def rdp_sampled_gaussian(q, sigma, alpha):
    """
    D(mixture || base), the larger direction (Mironov, Talwar, Zhang 2019, theorem 5).  With r the ratio of densities,
    E[r^alpha] - 1 = E[r^alpha - 1 - alpha (r - 1)], where nothing cancels after integration.  The trapezoidal rule
    on the real line is exact to e^-60 here: r has its zeros at imaginary part pi sigma^2.
    """
    if q == 1:
        return alpha / (2 * sigma * sigma)
    if alpha == inf:
        return inf
    s, a, lq = float(sigma), float(alpha), log(q)
    l1q = float(mp.log1p(-q))

    def log_term(z):
        lr1 = lq + (z / s - 1 / (2 * s * s))
        high, low = max(lr1, l1q), min(lr1, l1q)
        lr = high + float(mp.log1p(mp.exp(low - high))) if low - high > -40 else high
        small = 2 * lr1 + log(max(a * (a - 1) / 2, 1)) if lr1 < 0 else 0
        return max(a * lr if a * lr > 0.1 else -1e300, min(small, 0.0), 2 * lq) - z * z / 2

    # where the integrand is within e^-75 of its largest value
    coarse = 0.25
    low, high = -20.0, a / s + 20.0
    if high - low > 3000:
        # far from either peak there is nothing: the integrand is at most 2^alpha times the larger of two Gaussians
        turn = s * (-lq) + 1 / (2 * s)
        marks = [low, turn - 30 - a ** 0.5, high - 40 - a ** 0.5]
        grid = sorted({round(m + i * coarse, 6) for m in marks for i in range(int((70 + 2 * a ** 0.5) / coarse))})
    else:
        grid = [low + i * coarse for i in range(int((high - low) / coarse) + 1)]
    logs = [log_term(z) for z in grid]
    cut = max(logs) - 75
    keep = [z for z, value in zip(grid, logs) if value >= cut]

    pi = float(mp.pi)
    h = min(0.45, 2 * pi * pi * s / (60 + pi * pi * s * s / 2)) if s < 3.5 else 0.45
    with mp.workdps(max(40, 40 + 2 * int(-lq / 2.3) + 2 * int(max(0, log(s))))):
        values = set()
        for z in keep:
            values.update(range(floor((z - coarse) / h) - 1, floor((z + coarse) / h) + 2))
        step = mpf(h) / 2
        norm = 1 / mp.sqrt(2 * mp.pi)

        def term(z):
            r1 = q * mp.expm1(z / sigma - 1 / (2 * sigma * sigma))
            r = 1 + r1
            g = r * mp.log(r) - r1 if alpha == 1 else r ** alpha - 1 - alpha * r1
            return g * mp.exp(-z * z / 2) * norm

        even = mp.fsum(term(2 * n * step) for n in values) * 2 * step
        odd = mp.fsum(term((2 * n + 1) * step) for n in values) * 2 * step
        check(abs(even - odd) <= abs(even) * mpf(10) ** -18, 'trapezoidal', q, sigma, alpha, even, odd)
        excess = (even + odd) / 2
        return excess if alpha == 1 else mp.log1p(excess) / (alpha - 1)


def renyi_rows():
    orders = ('1', '1.000000001', '1.0001', '1.5', '2', '10', '1000', '1e6', 'inf')
    for epsilon in ('1e-6', '0.01', '0.5', '3', '50'):
        for order in orders:
            row('rdp_laplace %s %s' % (epsilon, order), call('rdp_laplace', epsilon, order),
                rdp_laplace(f8(epsilon), mpf(order) if order == 'inf' else f8(order)))
    for steps, epsilons in ((1, ('1e-6', '0.1', '1', '50')), (2, ('0.001', '1', '20')), (5, ('0.3', '7')),
                            (1000, ('1e-6', '0.5', '50'))):
        for epsilon in epsilons:
            for order in orders:
                row('rdp_discrete_laplace %s %s %s' % (epsilon, steps, order),
                    call('rdp_discrete_laplace', epsilon, steps, order),
                    rdp_discrete_laplace(f8(epsilon), steps, mpf(order) if order == 'inf' else f8(order)))
    for epsilon in ('1e-6', '0.1', '2', '30'):
        for order in ('1', '1.000000001', '1.5', '7', '1e5', 'inf'):
            row('rdp_pure %s %s' % (epsilon, order), call('rdp_pure', epsilon, order),
                rdp_pure(f8(epsilon), mpf(order) if order == 'inf' else f8(order)))
    for noise, buckets in (('0.5', 2), ('0.001', 1000), ('0.9', 50), ('1e-6', 1000000), ('0.9999', 3), ('1', 4)):
        for order in ('1', '1.0001', '3.5', '1000', 'inf'):
            for adjacency in ('replace_one', 'replace_special'):
                value = rdp_randomized_response(f8(noise), buckets, mpf(order) if order == 'inf' else f8(order),
                                                adjacency)
                if order in ('1', '3.5', 'inf') or noise == '0.001':
                    row('rdp_randomized_response %s %s %s %s' % (noise, buckets, order, adjacency),
                        call('rdp_randomized_response', noise, buckets, order, "'%s'" % adjacency), value,
                        'rel 1e-9' if value else 'abs 0')
    for noise, buckets, order in (('1e-9', 3, '56'), ('0.12', 3, '494'), ('0.9983', 1000, '2846'),
                                  ('0.9999998', 3, '300'), ('0.9999999977628', 3, '1.0000000068')):
        row('rdp_randomized_response %s %s %s replace_special' % (noise, buckets, order),
            call('rdp_randomized_response', noise, buckets, order, "'replace_special'"),
            rdp_randomized_response(f8(noise), buckets, f8(order), 'replace_special'))
    for epsilon in ('0.001', '0.1', '1', '4', '20'):
        for order in ('1', '1.0001', '1.5', '2', '10', '300', 'inf'):
            row('rdp_exponential tight %s %s' % (epsilon, order), call('rdp_exponential', epsilon, order, "'tight'"),
                rdp_exponential(f8(epsilon), mpf(order) if order == 'inf' else f8(order)), 'rel 1e-9')


def sampled_rows():
    cases = [(q, s, a) for q, s in (('1e-8', '1'), ('1e-5', '0.7'), ('1e-3', '2'), ('0.01', '0.3'), ('0.1', '1'),
                                    ('0.5', '10'), ('0.9', '0.8'))
             for a in ('1', '1.01', '1.5', '2', '3.7', '16', '64.5', '256')]
    cases += [('1e-8', '1e4', '2'), ('1e-8', '0.05', '2'), ('1e-8', '0.3', '1.5'), ('1e-4', '0.05', '1.5'),
              ('1e-4', '0.05', '30'), ('1e-4', '0.05', '2000'), ('0.01', '0.05', '1.1'), ('0.3', '0.05', '5'),
              ('0.01', '1e4', '1.5'), ('0.01', '1e4', '2000'), ('0.5', '1e4', '1'), ('0.9', '1e4', '1000'),
              ('0.001', '100', '1'), ('0.001', '100', '50.5'), ('0.001', '100', '2000'), ('0.01', '5', '500.25'),
              ('0.01', '5', '2000'), ('0.02', '4', '1.000000001'), ('0.99', '1', '1'), ('0.99', '1', '7.5'),
              ('0.999999', '2', '2.5'), ('0.999999', '2', '40'), ('1', '2', '2.5'), ('1', '0.05', '1'),
              ('1', '1e4', '2000')]
    # where the noise is far too small for any use, a bound a little above may do
    extreme = [('0.458', '0.049', '145.42'), ('0.000005', '0.0327', '274.265'), ('0.62', '0.057', '105.758')]
    for q, sigma, order in cases + extreme:
        row('rdp_sampled_gaussian %s %s %s' % (q, sigma, order), call('rdp_sampled_gaussian', q, sigma, order),
            rdp_sampled_gaussian(f8(q), f8(sigma), f8(order)),
            'rel 1e-4' if (q, sigma, order) in extreme else 'rel 1e-6', '~above')
    # integer orders are a finite sum: compare
    for q, sigma, order in (('0.01', '0.3', 16), ('0.5', '10', 16), ('1e-5', '0.7', 256)):
        with mp.workdps(80):
            total = mp.fsum(mp.binomial(order, k) * (1 - f8(q)) ** (order - k) * f8(q) ** k
                            * mp.exp(k * (k - 1) / (2 * f8(sigma) ** 2)) for k in range(order + 1))
            value = mp.log(total) / (order - 1)
        check(abs(rdp_sampled_gaussian(f8(q), f8(sigma), mpf(order)) / value - 1) < 1e-15, 'binomial')


# ---- zCDP: rho is the supremum of D_alpha / alpha ----

def supremum(curve):
    """Of curve(alpha) / alpha over a grid of orders from 1."""
    return max(curve(a) / a for a in [mpf(1)] + [1 + mpf(10) ** (mpf(i) / 4) for i in range(-16, 17)])


def zcdp_epsilon(rho, delta):
    """Canonne, Kamath, Steinke 2020, proposition 12: the smallest over all orders; u is alpha - 1."""
    f = lambda u: rho * (1 + u) + mp.log(u / (1 + u)) - (mp.log(delta) + mp.log1p(u)) / u
    return max(mpf(0), smallest(f, mpf(10) ** -6, mpf(10) ** 16, 200)[1])


def zcdp_rows():
    for epsilon in ('1e-6', '0.001', '0.3', '1.7', '5', '50'):
        e = f8(epsilon)
        laplace, pure = rdp_laplace(e, mpf(1)), rdp_pure(e, mpf(1))
        check(supremum(lambda a: rdp_laplace(e, a)) <= laplace * (1 + mpf(10) ** -25), 'rho of Laplace')
        check(supremum(lambda a: rdp_pure(e, a)) <= pure * (1 + mpf(10) ** -25), 'rho of randomised response')
        row('zcdp_laplace %s' % epsilon, call('zcdp_laplace', epsilon), laplace)
        row('zcdp_pure %s' % epsilon, call('zcdp_pure', epsilon), pure)
        with mp.workdps(30):
            check(supremum(lambda a: rdp_exponential(e, a)) <= e * e / 8, 'rho of a bounded range')
        row('zcdp_exponential %s' % epsilon, call('zcdp_exponential', epsilon), e * e / 8)
        for steps in (1, 3, 40):
            value = rdp_discrete_laplace(e, steps, mpf(1))
            check(supremum(lambda a: rdp_discrete_laplace(e, steps, a)) <= value * (1 + mpf(10) ** -25), steps)
            row('zcdp_discrete_laplace %s %s' % (epsilon, steps), call('zcdp_discrete_laplace', epsilon, steps), value)
    for sensitivity, sigma in (('1', '1'), ('3', '0.01'), ('1', '1e9')):
        row('zcdp_gaussian %s %s' % (sensitivity, sigma), call('zcdp_gaussian', sensitivity, sigma),
            f8(sensitivity) ** 2 / (2 * f8(sigma) ** 2), 'rel 1e-14')
    for rho, delta in (('1e-6', '1e-6'), ('1e-6', '1e-12'), ('1e-4', '1e-5'), ('0.01', '1e-5'), ('0.01', '1e-18'),
                       ('0.2', '1e-6'), ('1', '0.01'), ('1', '1e-9'), ('1', '1e-300'), ('12.5', '1e-5'),
                       ('100', '1e-3'), ('100', '1e-10'), ('1000', '1e-6'), ('1000', '0.5'), ('1e5', '1e-6'),
                       ('1e-10', '1e-9'), ('1e-6', '0.1')):
        value = zcdp_epsilon(f8(rho), f8(delta))
        row('zcdp_epsilon %s %s' % (rho, delta), call('zcdp_epsilon', rho, delta), value,
            'rel 1e-9' if value else 'abs 0')
        bs16 = f8(rho) + 2 * mp.sqrt(f8(rho) * -mp.log(f8(delta)))
        row('zcdp_epsilon bs16 %s %s' % (rho, delta), call('zcdp_epsilon', rho, delta, "'bs16'"), bs16)
        # the inverse, where epsilon depends on rho
        if value:
            row('zcdp_rho %s %s' % (rho, delta), call('zcdp_rho', repr(float(value)), delta), f8(rho), 'rel 1e-8')
            row('zcdp_rho bs16 %s %s' % (rho, delta), call('zcdp_rho', repr(float(bs16)), delta, "'bs16'"), f8(rho))


# ---- From curves to guarantees ----

def improved_epsilon(alpha, value, delta):
    return value + mp.log1p(-1 / alpha) - mp.log(delta * alpha) / (alpha - 1)


def curve_rows():
    orders = ('1.25', '1.5', '2', '3', '5', '8', '13.5', '21', '34', '55', '89', '144')
    array = "'{%s}'" % ','.join(orders)
    for rho in ('0.001', '0.1', '2', '40'):
        curve = [repr(float(f8(rho) * f8(a))) for a in orders]
        pairs = [(f8(a), f8(c)) for a, c in zip(orders, curve)]
        text = "'{%s}'" % ','.join(curve)
        for delta in ('1e-3', '1e-9', '1e-100'):
            d = f8(delta)
            row('rdp_epsilon %s %s' % (rho, delta), call('rdp_epsilon', array, text, delta),
                max(mpf(0), min(improved_epsilon(a, c, d) for a, c in pairs)))
            row('rdp_epsilon classic %s %s' % (rho, delta), call('rdp_epsilon', array, text, delta, "'classic'"),
                min(c - mp.log(d) / (a - 1) for a, c in pairs))
        for epsilon in ('0.5', '5', '90'):
            e = f8(epsilon)
            # the delta whose epsilon is e, order by order
            delta = min(min(mp.exp((a - 1) * (c - e + mp.log1p(-1 / a))) / a for a, c in pairs), mpf(1))
            classic = min(min(mp.exp((a - 1) * (c - e)) for a, c in pairs), mpf(1))
            row('rdp_delta %s %s' % (rho, epsilon), call('rdp_delta', array, text, epsilon, "'improved'"), delta)
            row('rdp_delta classic %s %s' % (rho, epsilon), call('rdp_delta', array, text, epsilon, "'classic'"),
                classic)


def conversion_rows():
    """Variation distance at most sqrt(1 - e^-rdp) (Bretagnolle and Huber 1979), so no epsilon from that delta on."""
    row('rdp_epsilon variation', call('rdp_epsilon', "'{1.5,2}'", "'{1e-9,1e-9}'", '1e-4'), '0', 'abs 0')


def dpsgd_epsilon(sigma, q, steps, delta):
    """At the best order; 0 if the variation distance, at most sqrt(1 - e^-KL), is below delta."""
    if mp.sqrt(-mp.expm1(-steps * rdp_sampled_gaussian(q, sigma, mpf(1)))) <= delta:
        return mpf(0)
    f = lambda u: improved_epsilon(1 + u, steps * rdp_sampled_gaussian(q, sigma, 1 + u), delta)
    return max(mpf(0), smallest(f, mpf('0.01'), mpf(10) ** 5, 40)[1])


def training_rows():
    for sigma, q, steps, delta in (('1', '0.01', 1000, '1e-5'), ('0.6', '0.004', 5000, '1e-6'),
                                   ('4', '0.2', 2000, '1e-6'), ('10', '0.5', 100, '1e-8'),
                                   ('1.1', '0.0042', 14100, '1e-5'), ('2', '1', 10, '1e-5'),
                                   ('30', '0.01', 100000, '1e-7'), ('0.8', '0.1', 1, '1e-5'),
                                   ('24', '0.024', 9, '1e-10'), ('33', '0.0026', 3400, '1e-7'),
                                   ('33', '1e-6', 1, '1e-7'),
                                   ('0.5', '1e-5', 1000000, '1e-6'), ('8', '1', 1000000, '1e-9')):
        value = dpsgd_epsilon(f8(sigma), f8(q), steps, f8(delta))
        name = '%s %s %s %s' % (sigma, q, steps, delta)
        row('dpsgd_epsilon ' + name, call('dpsgd_epsilon', sigma, q, steps, delta, "'rdp'"), value, 'rel 1e-6', '~above')
        if not value:
            continue
        row('dpsgd_noise_multiplier ' + name,
            call('dpsgd_noise_multiplier', repr(float(value)), delta, q, steps, "'rdp'"), f8(sigma), 'rel 1e-5', '~above')

    # The comparison of the course: sigma 20, 10,000 steps.
    query = "(SELECT epsilon FROM dpriv.accountings(20, 1, 10000, 1e-5) WHERE accountant = '%s')"
    delta, k = f8('1e-5'), 10000
    classic = mp.sqrt(2 * mp.log(mpf('1.25') * k / delta)) / 20 * k
    rho = mpf(k) / (2 * 400)
    row('accountings sequential', query % 'sequential', classic)
    row('accountings rdp', query % 'rdp', rho + 2 * mp.sqrt(rho * -mp.log(delta)))
    row('accountings rdp_improved', query % 'rdp_improved', zcdp_epsilon(rho, delta))
    row('accountings exact', query % 'exact', gaussian_epsilon(mp.sqrt(k), mpf(20), delta))
    for name in ('advanced', 'zcdp'):
        row('accountings %s not below the truth' % name, query % name, gaussian_epsilon(mp.sqrt(k), mpf(20), delta),
            'abs 0', '>=')
    row('accountings zcdp', query % 'zcdp', rho + 2 * mp.sqrt(rho * -mp.log(delta)), 'rel 1e-9', '<=')
    row('accountings', "(SELECT string_agg(accountant, ' ' ORDER BY accountant COLLATE \"C\")"
        " FROM dpriv.accountings(20, 1, 10000, 1e-5))", 'advanced exact rdp rdp_improved sequential zcdp', '-')


# ---- Distributions of the privacy loss ----

def loss_delta(q, sigma, steps, epsilon, back, s):
    """
    Of sampled Gaussians: the integral over t of M(z)^steps e^(-z epsilon) / (z (z + 1)) / (2 pi), z = s + i t, M(z) the
    mean of e^(z loss), in double precision; the trapezoidal rule must agree with half its step to 8 digits.
    """
    reach = 12 + (2 + s) / sigma
    points = [(-reach + i / 32) for i in range(int(64 * reach))]
    losses = [(log1p(q * expm1((x - 0.5 / sigma) / sigma)), exp(-x * x / 2) / 32 / sqrt(2 * pi)) for x in points]
    losses = [(loss, weight) for loss, weight in losses if weight * exp((1 + s) * abs(loss)) > 1e-25]

    def term(t):
        z = complex(s, t)
        power = -z if back else 1 + z
        moment = sum(weight * cmath.exp(power * loss) for loss, weight in losses)
        return cmath.exp(steps * cmath.log(moment) - z * epsilon) / (z * (z + 1))

    def rule(width):
        total, i, first = 0.0, 0, abs(term(0.0))
        while True:
            value = term(i * width)
            total += value.real * (0.5 if i == 0 else 1)
            if abs(value) < 1e-14 * first:
                return total * width / pi
            i += 1

    coarse, fine = rule(min(0.1 * s, 0.08)), rule(min(0.05 * s, 0.04))
    check(abs(coarse - fine) <= 1e-8 * fine, 'loss_delta', q, sigma, steps, epsilon)
    return fine


def loss_epsilon(q, sigma, steps, delta, guess, s):
    """By secants of the logarithm of delta, of the worse direction."""
    def excess(epsilon):
        return log(max(loss_delta(q, sigma, steps, epsilon, back, s) for back in (False, True)) / delta)
    a, b = guess, guess * 1.001
    at_a, at_b = excess(a), excess(b)
    while abs(b - a) > 1e-11 * b:
        a, at_a, b = b, at_b, b - at_b * (b - a) / (at_b - at_a)
        at_b = excess(b)
    return mpf(b)


def loss_rows():
    for sigma, q, steps, delta, guess, s in (
            (1.1, 256 / 60000, 14063, 1e-5, 2.38, 6), (0.7, 256 / 60000, 10547, 1e-5, 5.64, 2.5),
            (1.3, 150 / 60000, 6000, 1e-5, 0.64, 15), (1.5, 0.05, 1000, 1e-6, 6.2, 3.5), (3.0, 0.2, 100, 1e-6, 3.37, 6)):
        row('dpsgd_epsilon by loss %s %s %s %s' % (sigma, q, steps, delta),
            call('dpsgd_epsilon', sigma, repr(q), steps, delta), loss_epsilon(q, sigma, steps, delta, guess, s),
            'abs 1e-4', '~above', 'contour integral')
    row('pld_epsilon of Gaussians', "dpriv.pld_epsilon(ARRAY[('gaussian', '{1,10}', 60), ('gaussian', '{2,20}', 40)]"
        '::dpriv.mechanism[], 1e-6)', gaussian_epsilon(mpf(10), mpf(10), f8('1e-6')), 'rel 1e-9', '~above')
    for k in (10, 1000):
        value = optimal(f8('0.1'), k, f8('1e-6'))
        row('pld_epsilon of %s' % k, "dpriv.pld_epsilon(ARRAY[('approximate', '{0.1,0}', %s)]::dpriv.mechanism[], 1e-6)" % k,
            value, 'abs 1e-4', '~above')


# ---- Composition ----

def optimal(epsilon, k, slack):
    """
    k randomised responses: losses (k - 2 j) epsilon with probabilities C(k, j) p^(k - j) q^j.  delta(epsilon') sums
    P (1 - e^(epsilon' - loss))+; epsilon' is where it is the slack (Kairouz, Oh, Viswanath 2015).
    """
    with mp.workdps(90):
        p, q = 1 / (1 + mp.exp(-epsilon)), 1 / (1 + mp.exp(epsilon))
        # start where what is above has probability below 1e-60 of the slack
        j = 0
        if k > 4000:
            goal = mp.log(slack) - 140
            log_p = lambda i: (mp.loggamma(k + 1) - mp.loggamma(i + 1) - mp.loggamma(k - i + 1)
                               + (k - i) * mp.log(p) + i * mp.log(q))
            low, high = 0, int(k * q)
            while low < high:
                middle = (low + high) // 2
                low, high = (middle + 1, high) if log_p(middle) < goal else (low, middle)
            j = low
        term = mp.binomial(k, j) * p ** (k - j) * q ** j if k <= 4000 else mp.exp(log_p(j))
        above = weighted = mpf(0)           # sums of P and of P e^-loss
        while j <= k:
            loss = (k - 2 * j) * epsilon
            # delta at this loss
            if above - mp.exp(loss) * weighted > slack:
                break
            above += term
            weighted += term * mp.exp(-loss)
            term *= q / p * (k - j) / (j + 1)
            j += 1
        return max(mpf(0), mp.log((above - slack) / weighted)) if above > slack else mpf(0)


def enumerated(epsilons, slack):
    """
    The same for different epsilons, over all signs.  Losses are whole multiples of 1e-15, so that equal ones meet:
    few different epsilons, or ones on a lattice, may be many.
    """
    units = [int(mp.nint(e * 10 ** 15)) for e in epsilons]
    losses = {0: mpf(1)}
    with mp.workdps(60):
        for unit in units:
            e = mpf(unit) / 10 ** 15
            p, q = 1 / (1 + mp.exp(-e)), 1 / (1 + mp.exp(e))
            following = {}
            for loss, probability in losses.items():
                following[loss + unit] = following.get(loss + unit, 0) + probability * p
                following[loss - unit] = following.get(loss - unit, 0) + probability * q
            losses = following
        above = weighted = mpf(0)
        for loss in sorted(losses, reverse=True):
            factor = mp.exp(mpf(loss) / 10 ** 15)
            if above - factor * weighted > slack:
                break
            above += losses[loss]
            weighted += losses[loss] / factor
        return max(mpf(0), mp.log((above - slack) / weighted)) if above > slack else mpf(0)


def on_lattice(units, step, slack):
    """
    The same for whole multiples of a step, in float8, whose rounding errors do not matter here: the probability that
    those that went the unlikely way have m units together, by m.  Epsilon' grows with every epsilon, so rounding those
    down and up to a lattice gives a bracket.
    """
    weights = [1.0]
    for unit in units:
        q = 1 / (1 + exp(unit * step))
        p = 1 - q
        longer = [p * x for x in weights] + [0.0] * unit
        longer[unit:] = [x + q * y for x, y in zip(longer[unit:], weights)]
        weights = longer
    total = sum(units)
    above = weighted = 0.0
    for m, weight in enumerate(weights):
        factor = exp((total - 2 * m) * step)
        if above - factor * weighted > slack:
            break
        above += weight
        weighted += weight / factor
    return log((above - slack) / weighted)


def composition_rows():
    for epsilon, k, slack in (
            ('0.1', 1, '1e-6'), ('1', 1, '0.1'), ('1', 1, '0.5'), ('0.5', 2, '0.01'), ('0.5', 3, '1e-9'),
            ('2', 5, '1e-3'), ('10', 10, '1e-6'), ('50', 20, '1e-5'), ('700', 3, '1e-5'), ('0.25', 50, '1e-300'),
            ('0.1', 100, '1e-12'), ('0.05', 100, '0.1'), ('0.01', 100, '0.01'), ('0.01', 100, '0.3'),
            ('1e-6', 1000, '1e-6'), ('0.001', 10000, '1e-6'), ('0.01', 10000, '1e-6'), ('0.1', 10000, '1e-6'),
            ('1', 10000, '1e-9'), ('0.003', 30000, '1e-5'), ('0.001', 100000, '1e-6'), ('1e-4', 1000000, '1e-6'),
            ('0.001', 1000000, '1e-6'), ('0.01', 1000000, '1e-9')):
        value = optimal(f8(epsilon), k, f8(slack))
        if k <= 12:
            check(abs(value - enumerated([f8(epsilon)] * k, f8(slack))) <= mpf(10) ** -13, 'two ways')
        row('compose_advanced optimal %s %s %s' % (epsilon, k, slack),
            '(%s).epsilon' % call('compose_advanced', epsilon, 0, k, slack, "'optimal'"), value,
            'rel 1e-9' if value else 'abs 0')
    for epsilon, delta, k, slack in (('0.1', '1e-7', 10, '1e-6'), ('1', '1e-12', 1000, '1e-9'), ('1', '0.3', 20, '0.1'),
                                     ('1', '1e-18', 1000000, '1e-15')):
        total = 1 - (1 - f8(slack)) * (1 - f8(delta)) ** k
        row('compose_advanced optimal delta %s %s %s %s' % (epsilon, delta, k, slack),
            '(%s).delta' % call('compose_advanced', epsilon, delta, k, slack, "'optimal'"), total, 'rel 1e-12')
    for epsilon, delta, k, slack in (('0.01', '1e-9', 100, '1e-6'), ('0.1', '0', 1000, '1e-9'),
                                     ('1', '1e-3', 7, '0.01'), ('1e-6', '0', 1000000, '1e-300'), ('20', '0', 2, '0.5'),
                                     ('0.02', '0', 60, '1e-6')):
        e, d, s = f8(epsilon), f8(delta), f8(slack)
        value = mp.sqrt(2 * k * -mp.log(s)) * e + k * e * (mp.exp(e) - 1)
        x = call('compose_advanced', epsilon, delta, k, slack)
        row('compose_advanced %s %s %s %s' % (epsilon, delta, k, slack), '(%s).epsilon' % x, value, 'rel 1e-12')
        row('compose_advanced delta %s %s %s %s' % (epsilon, delta, k, slack), '(%s).delta' % x, k * d + s, 'rel 1e-12')
        if mp.exp(e) - 1 <= mp.sqrt(2 * -mp.log(s) / k):
            row('compose_advanced book %s %s %s %s' % (epsilon, delta, k, slack),
                '(%s).epsilon' % call('compose_advanced', epsilon, delta, k, slack, "'book'"),
                2 * e * mp.sqrt(2 * k * -mp.log(s)), 'rel 1e-12')
        else:
            row('compose_advanced book %s %s %s %s' % (epsilon, delta, k, slack),
                '(%s).epsilon' % call('compose_advanced', epsilon, delta, k, slack, "'book'"), 'error', '-')

    for name, epsilons, slack in (
            ('two', ('0.1', '0.2'), '1e-3'), ('two apart', ('0.001', '3'), '0.01'),
            ('equal', ('0.3',) * 8, '1e-4'), ('lattice', ('0.1', '0.2', '0.3', '0.4', '0.5', '0.1', '0.2'), '1e-5'),
            ('primes', ('0.2', '0.3', '0.5', '0.7', '1.1', '1.3', '1.7'), '1e-6'),
            ('incommensurable', ('0.1414213562373', '0.1732050807569', '0.2236067977', '0.3162277660168',
                                 '0.3605551275464', '0.4123105625618', '0.4358898943541', '0.4795831523313',
                                 '0.5385164807135', '0.556776436283', '0.6082762530298', '0.6403124237433'), '1e-5'),
            ('small slack', ('0.1414213562373', '0.1732050807569', '0.2236067977', '0.3162277660168',
                             '0.3605551275464', '0.4123105625618', '0.4358898943541', '0.4795831523313'), '1e-12'),
            ('large slack', ('0.1414213562373', '0.1732050807569', '0.2236067977', '0.3162277660168',
                             '0.3605551275464', '0.4123105625618', '0.4358898943541', '0.4795831523313'), '0.2'),
            ('tiny', ('0.000001', '0.0000023', '0.0000041', '0.0000057'), '1e-7'),
            ('wide', ('0.0001', '0.001', '0.01', '0.1', '1', '10'), '1e-4'),
            ('wide irregular', ('0.0001234567', '0.0012345671', '0.0123456713', '0.1234567137', '1.2345671371'),
             '1e-3'),
            ('one large', ('5.123456789012', '0.1', '0.1', '0.1', '0.1', '0.1', '0.1', '0.1', '0.1', '0.1'), '1e-6'),
            ('geometric', ('1', '0.7', '0.49', '0.343', '0.2401', '0.16807', '0.117649', '0.0823543', '0.05764801',
                           '0.040353607', '0.0282475249', '0.01977326743'), '1e-6'),
            ('long lattice', ['%.2f' % (i / 100) for i in range(1, 41)], '1e-6'),
            ('long lattice, fine', ['%.3f' % (0.05 + i / 1000) for i in range(60)], '1e-9'),
            ('long, two values', ['0.1'] * 100 + ['0.0314159265'] * 150, '1e-6'),
            ('long, three values', ['0.1414213562373'] * 20 + ['0.0173205080757'] * 25 + ['0.2236067977'] * 15, '1e-5'),
            ('long, four values', ['0.0707106781187', '0.1118033988750', '0.1870828693387', '0.2738612787526'] * 9,
             '1e-7'),
            ('long, six values', ['0.0317', '0.071828182845', '0.1234567', '0.1732050807569', '0.2236067977',
                                  '0.3162277660168'] * 4, '1e-6'),
            ('long, sizes apart', ['2.718281828459'] * 3 + ['0.0271828182846'] * 200, '1e-6'),
            ('long, far apart', ['5'] * 2 + ['0.0012345678'] * 400, '0.001'),
            ('long, large slack', ['0.0414213562373'] * 40 + ['0.0173205080757'] * 40, '0.1'),
            ('zero slack', ('0.1', '0.25', '0.7'), '0'), ('with zeros', ('0', '0.5', '0', '0.25'), '1e-3')):
        value = enumerated([f8(e) for e in epsilons], f8(slack))
        row('compose_kov %s' % name,
            "(dpriv.compose_kov('{%s}', '{%s}', %s)).epsilon" % (','.join(epsilons), ','.join(['0'] * len(epsilons)),
                                                                 slack), value, 'rel 1e-3', '~above')
    # many irregular ones: a bracket
    irrational = [sqrt(i) % 1 for i in range(2, 60) if sqrt(i) % 1]
    for name, epsilons, slack, step in (
            ('thirty', ['%.9f' % (0.02 + 0.3 * x) for x in irrational[:30]], '1e-6', 1e-5),
            ('thirty large', ['%.9f' % (0.2 + 3 * x) for x in irrational[5:35]], '1e-9', 1e-4),
            ('fifty small', ['%.9f' % (0.001 + 0.02 * x) for x in irrational[:50]], '0.001', 1e-6),
            ('fifty, sizes apart', ['%.9f' % (0.7 * x ** 5 + 0.0001) for x in irrational[:50]], '1e-5', 1e-5)):
        x = "(dpriv.compose_kov('{%s}', '{%s}', %s)).epsilon" % (','.join(epsilons), ','.join(['0'] * len(epsilons)),
                                                                 slack)
        low = on_lattice([int(float(e) / step) for e in epsilons], step, float(slack))
        high = on_lattice([int(float(e) / step) + 1 for e in epsilons], step, float(slack))
        row('compose_kov %s not below' % name, x, low, 'rel 1e-9', '>=')
        row('compose_kov %s not far above' % name, x, high, 'rel 1e-3', '<=')

    deltas = ('1e-6', '1e-9', '0.001', '0')
    total = 1 - (1 - f8('1e-5')) * mp.fprod(1 - f8(d) for d in deltas)
    row('compose_kov delta', "(dpriv.compose_kov('{1,2,3,4}', '{%s}', 1e-5)).delta" % ','.join(deltas), total,
        'rel 1e-12')

    # sums of the decimals that were written
    for name, epsilon, k in (('ten tenths', '0.1', 10), ('three tenths', '0.3', 3), ('a million', '0.000001', 1000000),
                             ('many', '0.123456789012', 1000001), ('none', '0.5', 0)):
        row('compose_basic %s' % name, '(dpriv.compose_basic(%s, 0, %d)).epsilon' % (epsilon, k),
            not_below(Decimal(epsilon) * k), 'abs 0')
    row('compose_basic list', "(dpriv.compose_basic('{0.1,0.2,0.3,0.1,0.1,0.1,0.1}', '{0,0,0,0,0,0,0}')).epsilon",
        '1', 'abs 0')
    written = ('0.1', '1e-6', '0.123456789012345', '3.3', '12345678.9', '1e-300')
    row('compose_basic list of all sizes', "(dpriv.compose_basic('{%s}', '{%s}')).epsilon" % (
        ','.join(written), ','.join('0' * len(written))), not_below(sum(Decimal(e) for e in written)), 'rel 1e-15')
    written = ('1e-6', '1e-6', '1e-6', '2.5e-9', '1e-18', '1e-5')
    row('compose_basic list of deltas', "(dpriv.compose_basic('{%s}', '{%s}')).delta" % (
        ','.join('1' * len(written)), ','.join(written)), not_below(sum(Decimal(d) for d in written)), 'abs 0')
    for delta, k in (('1e-6', 10), ('1e-6', 3), ('3e-9', 7), ('1e-18', 1000003), ('0.1', 9), ('0.1', 11)):
        exact = not_below(min(Decimal(delta) * k, Decimal(1)))
        row('compose_basic delta %s %d' % (delta, k), '(dpriv.compose_basic(1, %s, %d)).delta' % (delta, k), exact,
            'abs 0')
    row('compose_basic delta prints', '(dpriv.compose_basic(0.1, 1e-6, 10)).delta::text', '1e-05', 'abs 0')

    for epsilon, delta, k in (('0.1', '1e-6', 1), ('0.1', '1e-6', 5), ('1', '1e-9', 10), ('1e-6', '1e-12', 1000),
                              ('2', '0.01', 4), ('0', '1e-6', 30), ('5', '1e-18', 8), ('30', '1e-300', 20)):
        value = min(f8(delta) * mp.fsum(mp.exp(i * f8(epsilon)) for i in range(k)), mpf(1))
        x = call('group_privacy', epsilon, delta, k)
        row('group_privacy delta %s %s %d' % (epsilon, delta, k), '(%s).delta' % x, value)
        row('group_privacy %s %s %d' % (epsilon, delta, k), '(%s).epsilon' % x, Decimal(epsilon) * k, 'rel 1e-15')


# ---- Calibration ----

def calibration_rows():
    for sensitivity, epsilon in (('1', '0.1'), ('3', '7'), ('1e-6', '1000'), ('1e9', '1e-6')):
        x = call('laplace_scale', sensitivity, epsilon)
        row('laplace_scale %s %s' % (sensitivity, epsilon), x, f8(sensitivity) / f8(epsilon), 'rel 1e-15')
    for sensitivity, epsilon, delta in (('1', '0.5', '1e-5'), ('2', '0.01', '1e-9'), ('3.5', '0.9', '0.01'),
                                        ('5', '0.4', '1e-3'), ('2', '0.2', '1e-5')):
        row('gaussian_sigma classic %s %s %s' % (sensitivity, epsilon, delta),
            call('gaussian_sigma', sensitivity, epsilon, delta, "'classic'"),
            mp.sqrt(2 * mp.log(mpf('1.25') / f8(delta))) * f8(sensitivity) / f8(epsilon), 'rel 1e-12')
    for width, sensitivity, confidence in (('10', '1', '0.95'), ('0.5', '2', '0.99'), ('1000', '1', '0.5'),
                                           ('3', '1', '0.999999'), ('1e6', '1', '0.9'), ('7.5', '3', '0.01')):
        w, s, missed = f8(width), f8(sensitivity), 1 - f8(confidence)
        # the tails of the density
        density = lambda x, e: e / s / 2 * mp.exp(-x * e / s)
        outside = lambda e: 2 * integral(lambda u: density(w + u, e), panels(mpf(0), 200 * s / e, s / e))
        guess = -mp.log(missed) * s / w
        check(abs(outside(guess) / missed - 1) < mpf(10) ** -20, 'Laplace tails')
        row('epsilon_for laplace %s %s %s' % (width, sensitivity, confidence),
            call('epsilon_for', width, sensitivity, confidence), guess)

        # the sum of what is beyond: 2 t^m / (1 + t), m the first integer outside
        m = int(mp.floor(w)) + 1
        tails = lambda e: mp.log(2 * (1 - mp.exp(-e / s)) / (1 + mp.exp(-e / s))
                                 * mp.exp(-e / s * m) / (1 - mp.exp(-e / s))) - mp.log(missed)
        row('epsilon_for discrete_laplace %s %s %s' % (width, sensitivity, confidence),
            call('epsilon_for', width, sensitivity, confidence, "'discrete_laplace'"),
            root(tails, mpf(10) ** -12, mpf(10) ** 4))

        # the standard normal quantile, by integrating the density
        z = root(lambda x: mp.log(2 * integral(lambda u: mp.npdf(x + u), panels(mpf(0), mpf(30), mpf(1))))
                 - mp.log(missed), mpf('0.001'), mpf(10))
        value = gaussian_epsilon(s, w / z, f8('1e-6'))
        row('epsilon_for gaussian %s %s %s' % (width, sensitivity, confidence),
            call('epsilon_for', width, sensitivity, confidence, "'gaussian'", '1e-6'), value)


# ---- Selection of groups ----

def share(epsilon, delta, groups):
    return f8(epsilon) / groups, -mp.expm1(mp.log1p(-f8(delta)) / groups)


def selection_rows():
    for epsilon, delta, groups, sizes in (
            ('1', '1e-5', 1, (0, 1, 2, 5, 11, 12, 13, 20, 24, 30)),
            ('0.1', '1e-6', 1, (1, 50, 100, 110, 120, 150, 230)),
            ('0.5', '1e-10', 3, (1, 30, 100, 130, 140, 200, 270)), ('10', '1e-18', 1, (1, 2, 4, 5, 6)),
            ('0.000001', '1e-4', 1, (1, 7, 1000, 5000, 9999, 10010)), ('3', '0.01', 20, (1, 10, 40, 80))):
        e, d = share(epsilon, delta, groups)
        keep = [mpf(0)]
        for _ in range(max(sizes)):
            keep.append(min(mp.exp(e) * keep[-1] + d, 1 - mp.exp(-e) * (1 - keep[-1] - d), mpf(1)))
        for n in sizes:
            row('selection_probability %s %s %s %s' % (n, epsilon, delta, groups),
                call('selection_probability', n, epsilon, delta, groups), keep[n], 'rel 1e-9' if n else 'abs 0')
    for epsilon, delta, groups in (('1', '1e-5', 1), ('0.1', '1e-6', 1), ('0.01', '1e-9', 1), ('20', '1e-18', 1),
                                   ('0.5', '1e-6', 4), ('3', '0.01', 100), ('0.000001', '1e-6', 1), ('2', '0.4', 1),
                                   ('1', '1e-12', 7)):
        e, d = share(epsilon, delta, groups)
        t = mp.exp(-e)
        # the probability that noise lifts a group of one to m: a sum, from its first term down
        tail = lambda m: (1 - t) / (1 + t) * t ** (m - 1) / (1 - t)
        m = int(mp.ceil(mp.log(d * (1 + t)) / mp.log(t) + 1)) - 3
        while tail(m) > d:
            m += 1
        check(tail(m) <= d < tail(m - 1) and m >= 1, 'threshold')
        row('selection_threshold %s %s %s' % (epsilon, delta, groups),
            call('selection_threshold', epsilon, delta, groups), str(m), 'abs 0')

        # Laplace noise of scale 1 / e on a count of one
        above = lambda x: mp.exp(-e * x) / 2 if x >= 0 else 1 - mp.exp(e * x) / 2
        threshold = 1 + root(lambda x: mp.log(above(x)) - mp.log(d), -10 / e, 400 / e)
        row('selection_threshold_continuous %s %s %s' % (epsilon, delta, groups),
            call('selection_threshold_continuous', epsilon, delta, groups), threshold)
        for n in (0, 1, 5, int(threshold), int(threshold) + 10):
            name = 'selection_probability_continuous %s %s %s %s' % (n, epsilon, delta, groups)
            if n and not any(r[0] == name for r in rows):
                row(name, call('selection_probability_continuous', n, epsilon, delta, groups), above(threshold - n))


# ---- Ends of the domains: what the definitions say in words ----

def edge_rows():
    for words, expression, expected in (
            ('nothing is composed', '(dpriv.compose_basic(1, 1e-6, 0)).delta', '0'),
            ('nothing is composed', "(dpriv.compose_advanced(1, 1e-6, 0, 1e-6)).epsilon", '0'),
            ('nothing is composed', "(dpriv.compose_advanced(1, 1e-6, 0, 1e-6, 'optimal')).epsilon", '0'),
            ('no unit in common', '(dpriv.group_privacy(1, 1e-6, 0)).delta', '0'),
            ('all slack', "(dpriv.compose_advanced(1, 0, 5, 1, 'optimal')).epsilon", '0'),
            ('no slack', "(dpriv.compose_advanced(1, 0, 5, 0, 'optimal')).epsilon", '5'),
            ('no slack', '(dpriv.compose_advanced(1, 0, 5, 0)).epsilon', 'Infinity'),
            ('one without privacy', "(dpriv.compose_basic('{Infinity,1}', '{0,0}')).epsilon", 'Infinity'),
            ('one without privacy', "(dpriv.compose_kov('{Infinity,1}', '{0,0}', 1e-6)).epsilon", 'Infinity'),
            ('one that fails', "(dpriv.compose_kov('{1,2}', '{0.5,1}', 0.1)).delta", '1'),
            ('delta 0', 'dpriv.gaussian_sigma(1, 1, 0)', 'Infinity'),
            ('nobody changes it', 'dpriv.gaussian_sigma(0, 1, 1e-6)', '0'),
            ('delta 0', 'dpriv.gaussian_epsilon(1, 1, 0)', 'Infinity'),
            ('delta 1', 'dpriv.gaussian_epsilon(1, 1, 1)', '0'),
            ('no noise', 'dpriv.gaussian_epsilon(1, 0, 1e-6)', 'Infinity'),
            ('no loss', 'dpriv.zcdp_epsilon(0, 1e-6)', '0'),
            ('delta 0', 'dpriv.zcdp_epsilon(1, 0)', 'Infinity'),
            ('delta 0', 'dpriv.zcdp_rho(1, 0)', '0'),
            ('no noise', 'dpriv.zcdp_gaussian(1, 0)', 'Infinity'),
            ('largest loss', "dpriv.rdp_gaussian(1, 1, 'Infinity')", 'Infinity'),
            ('largest loss', "dpriv.rdp_sampled_gaussian(0.5, 1, 'Infinity')", 'Infinity'),
            ('nobody sampled', 'dpriv.rdp_sampled_gaussian(0, 1, 2)', '0'),
            ('always the truth', 'dpriv.rdp_randomized_response(0, 3, 2)', 'Infinity'),
            ('one answer', 'dpriv.rdp_randomized_response(0.3, 1, 2)', '0'),
            ('pure, from the largest loss', "dpriv.rdp_epsilon('{Infinity}', '{0.3}', 0)", '0.3'),
            ('pure, from the largest loss', "dpriv.rdp_delta('{Infinity}', '{0.7}', 0.7)", '0'),
            ('no delta', "dpriv.rdp_epsilon('{2}', '{0.3}', 0)", 'Infinity'),
            ('no step', "dpriv.dpsgd_epsilon(1, 0.1, 0, 1e-5, 'rdp')", '0'),
            ('no noise', "dpriv.dpsgd_epsilon(0, 0.1, 1, 1e-5, 'rdp')", 'Infinity'),
            ('no privacy lost', 'dpriv.selection_probability(10, 0, 0.01)', '0.1'),
            ('no delta', 'dpriv.selection_probability(10, 1, 0)', '0'),
            ('no group', 'dpriv.selection_probability(0, 1, 1e-6)', '0'),
            ('a huge group', 'dpriv.selection_probability(9223372036854775807, 1e-6, 1e-300)', '1'),
            ('no delta', 'dpriv.selection_threshold_continuous(1, 0)', 'Infinity'),
            ('never outside', 'dpriv.epsilon_for(10, 1, 1)', 'Infinity'),
            ('no confidence', 'dpriv.epsilon_for(10, 1, 0)', '0')):
        row('%s: %s' % (words, expression), expression, expected,
            'abs 0' if expected in ('0', 'Infinity') else 'rel 1e-12', source='definition')


def main():
    for part in (gaussian_rows, discrete_gaussian_rows, renyi_rows, sampled_rows, zcdp_rows, curve_rows,
                 conversion_rows, training_rows, loss_rows, composition_rows, calibration_rows, selection_rows, edge_rows):
        part()
        print(part.__name__, len(rows), flush=True)
    target = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'computed.tsv')
    with open(target, 'w') as out:
        out.write('# Written by reference.py; columns and relations as in accounting.tsv.\n')
        for r in rows:
            out.write('\t'.join(r) + '\n')


if __name__ == '__main__':
    main()
