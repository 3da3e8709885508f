/*
 * fft.c
 *	  The discrete Fourier transform, with a bound on what rounding does to it.
 *
 * Radix 2 and nothing cleverer: its rounding error has a proved bound, and the results of privacy
 * accounting are only as good as that.  The transform divides frequencies, the inverse time, so
 * that neither sorts.
 */
#include "server.h"

#include <math.h>

#include "accounting/fft.h"

/* Below this a part of the data is in the processor's cache. */
#define CACHED 4096

/* All angles from those below pi / 4, where sine and cosine have the most digits. */
void
dpriv_fft_roots(double *roots, int n)
{
	double	   *last = roots + n;	/* those for the whole length */

	Assert(n >= 8);
	for (int k = 0; k <= n / 8; k++)
	{
		double		c = cos(2.0 * M_PI * k / n);
		double		s = sin(2.0 * M_PI * k / n);
		int			place[4] = {k, n / 4 - k, n / 4 + k, n / 2 - k};
		double		re[4] = {c, s, -s, -c};
		double		im[4] = {-s, -c, -c, -s};

		if (k % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < (k > 0 ? 4 : 3); i++)
		{
			last[2 * place[i]] = re[i];
			last[2 * place[i] + 1] = im[i];
		}
	}
	for (int half = n / 4; half >= 1; half /= 2)
	{
		for (int k = 0; k < half; k++)
		{
			roots[2 * (half + k)] = roots[4 * (half + k)];
			roots[2 * (half + k) + 1] = roots[4 * (half + k) + 1];
		}
	}
}

/* One stage of the transform: sums to the first half, differences to the second, turned. */
static inline void
divide_frequencies(double *data, const double *roots, int half)
{
	double	   *a = data;
	double	   *b = data + 2 * (size_t) half;
	const double *root = roots + 2 * (size_t) half;

	for (int k = 0; k < 2 * half; k += 2)
	{
		double		re = a[k] - b[k];
		double		im = a[k + 1] - b[k + 1];

		a[k] += b[k];
		a[k + 1] += b[k + 1];
		b[k] = re * root[k] - im * root[k + 1];
		b[k + 1] = re * root[k + 1] + im * root[k];
	}
}

/* And its inverse, but for a factor of 2. */
static inline void
divide_time(double *data, const double *roots, int half)
{
	double	   *a = data;
	double	   *b = data + 2 * (size_t) half;
	const double *root = roots + 2 * (size_t) half;

	for (int k = 0; k < 2 * half; k += 2)
	{
		double		re = b[k] * root[k] + b[k + 1] * root[k + 1];
		double		im = b[k + 1] * root[k] - b[k] * root[k + 1];

		b[k] = a[k] - re;
		b[k + 1] = a[k + 1] - im;
		a[k] += re;
		a[k + 1] += im;
	}
}

/* Large parts half by half, so that small ones stay in the cache from stage to stage. */
void
dpriv_fft(double *data, const double *roots, int n)
{
	if (n > CACHED)
	{
		CHECK_FOR_INTERRUPTS();
		divide_frequencies(data, roots, n / 2);
		dpriv_fft(data, roots, n / 2);
		dpriv_fft(data + n, roots, n / 2);
		return;
	}
	for (int half = n / 2; half >= 1; half /= 2)
	{
		for (int start = 0; start < n; start += 2 * half)
			divide_frequencies(data + 2 * start, roots, half);
	}
}

void
dpriv_fft_inverse(double *data, const double *roots, int n)
{
	if (n > CACHED)
	{
		CHECK_FOR_INTERRUPTS();
		dpriv_fft_inverse(data, roots, n / 2);
		dpriv_fft_inverse(data + n, roots, n / 2);
		divide_time(data, roots, n / 2);
		return;
	}
	for (int half = 1; half < n; half *= 2)
	{
		for (int start = 0; start < n; start += 2 * half)
			divide_time(data + 2 * start, roots, half);
	}
}

double
dpriv_fft_error(int n)
{
	const double gamma = 4.0 * 0x1p-53 / (1.0 - 4.0 * 0x1p-53);
	const double eta = DPRIV_FFT_ROOT_ERROR + gamma * (M_SQRT2 + DPRIV_FFT_ROOT_ERROR);
	double		stages = 0.0;

	for (int size = 1; size < n; size *= 2)
		stages++;
	return stages * eta / (1.0 - stages * eta) * (1.0 + 0x1p-40);
}
