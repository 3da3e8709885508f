/*
 * fft.h
 *	  The discrete Fourier transform, with a bound on what rounding does to it.
 *
 * Data are n complex numbers, n a power of two: pairs of a real and an imaginary part.  The
 * transform leaves frequencies in bit-reversed order, which the inverse takes: whoever multiplies
 * spectra point by point need not sort them.
 */
#ifndef DPRIV_FFT_H
#define DPRIV_FFT_H

/*
 * Room for n complex numbers: at h + k, for h = 1, 2, 4 .. n / 2 and 0 <= k < h, comes
 * exp(-pi i k / h), within DPRIV_FFT_ROOT_ERROR.
 */
extern void dpriv_fft_roots(double *roots, int n);

/*
 * Sums of data[k] exp(-2 pi i k f / n), in place; frequency f comes to the reversed bits of f.  So
 * 0 and n / 2 are at 0 and 1; and of places 2^b .. 2^(b+1) - 1, f at the i-th from the front has -f
 * at the i-th from the end.
 */
extern void dpriv_fft(double *data, const double *roots, int n);

/* Back, without the factor 1 / n. */
extern void dpriv_fft_inverse(double *data, const double *roots, int n);

/*
 * Bound on the error of either transform, as a Euclidean norm and relative to that of the result:
 * log2(n) eta / (1 - log2(n) eta) with eta = mu + gamma_4 (sqrt(2) + mu), mu the error of the roots
 * and gamma_4 = 4 u / (1 - 4 u).  Higham, "Accuracy and Stability of Numerical Algorithms" (2002),
 * theorem 24.2: for radix 2 only.
 */
#define DPRIV_FFT_ROOT_ERROR 0x1p-51
extern double dpriv_fft_error(int n);

#endif							/* DPRIV_FFT_H */
