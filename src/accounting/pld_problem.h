/*
 * pld_problem.h
 *	  Composition by the distribution of the privacy loss: what its parts share.
 *
 * Private to pld*.c.
 */
#ifndef DPRIV_PLD_PROBLEM_H
#define DPRIV_PLD_PROBLEM_H

#include "accounting/pld.h"
#include "accounting/pld_lattice.h"

/* Transforms have at most so many points. */
#define DPRIV_PLD_GREATEST_SIZE (1 << 20)

/* Cells per mechanism: of the lattice, and of all sketches and each at most. */
#define DPRIV_PLD_CELLS 8192
#define DPRIV_PLD_SKETCH_CELLS 256
#define DPRIV_PLD_ALL_SKETCH_CELLS 32768
#define DPRIV_PLD_SKETCH_CELLS_FOR(n) Min(DPRIV_PLD_SKETCH_CELLS, DPRIV_PLD_ALL_SKETCH_CELLS / (n))

/* One of the two directions: a row more, or a row less. */
typedef struct DprivPldSide
{
	bool		back;
	double		epsilon;		/* what is asked, and what moments of the sketches say */
	double		log_delta;
	double		best;			/* the exponent by which they do */
	double		s;				/* of the tilt */
	double		beyond;			/* a larger one, for what is above the window */
	double		start;			/* of the window */
	double		width;
	int64		first;			/* the start, in steps */
	double		log_moment;		/* K(s) */
	double		log_beyond;		/* K(beyond) */
	double		log_finite;		/* ln P[loss is finite] */
} DprivPldSide;

typedef struct DprivPldProblem
{
	const DprivPldMechanism *mechanisms;
	int			n;
	double		steps;			/* mechanisms, with repetitions */
	bool		to_epsilon;		/* else to delta */
	double		target;			/* the other one */
	double		tail;			/* of noise, per mechanism */
	int			nsides;
	DprivPldSide sides[2];
	double		step;			/* of the lattice */
	int			size;
	double		loss_error;		/* of the sum */
	double		mass_error;		/* logarithm of a factor */
	double		spectrum_error; /* Euclidean norm */
	double		squares;		/* of the product of spectra, summed up */
	DprivLattice lattice;		/* of one mechanism after the other */
	DprivLattice *sketches;
	double	   *roots;
	double	   *data;
	double	   *product;
} DprivPldProblem;

/* ln of the sum of mass exp(t loss), and mean and variance of the losses weighted so. */
extern double dpriv_pld_log_sum(const DprivLattice *lattice, double t, double *mean,
								double *variance);

/*
 * The exponent at the losses of the lattice that tilts one side by s.  With P and Q exchanged the
 * loss is -l with probability mass exp(-l); what is symmetric is not exchanged.
 */
extern double dpriv_pld_tilt_of(const DprivPldMechanism *mechanism, const DprivPldSide *side,
								double s);

/* -ln(s^s / (1 + s)^(1 + s)): by it delta is below E[exp(s (loss - epsilon))]. */
extern double dpriv_pld_gain(double s);

/*
 * Sketch all mechanisms, when tail may be lost of the noise of each, into points, and ask their
 * moments.  False if nothing finite can come of it.
 */
extern bool dpriv_pld_prepare(DprivPldProblem *problem, double tail, DprivLatticePoint *points);

/* Choose the window, and with it the tilt.  below is 0 if epsilon is known, else see BELOW. */
extern void dpriv_pld_choose_tilt(const DprivPldProblem *problem, DprivPldSide *side, double below);

/* Choose the step of the lattice, and the number of its points. */
extern void dpriv_pld_choose_lattice(DprivPldProblem *problem);

/* Compute the tilted distributions of the sums, real and imaginary parts for the two sides. */
extern void dpriv_pld_convolve(DprivPldProblem *problem);

/* Bound on the sum of all errors of such a distribution. */
extern double dpriv_pld_distribution_error(const DprivPldProblem *problem);

/* The epsilon, or the delta, of merged mechanisms by lattice and moments. */
extern double dpriv_pld_solve(const DprivPldMechanism *mechanisms, int n, bool to_epsilon,
							  double target, void *work);

#endif							/* DPRIV_PLD_PROBLEM_H */
