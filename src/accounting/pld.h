/*
 * pld.h
 *	  What mechanisms cost together, by the distribution of their privacy loss.
 *
 * The loss ln(P[outcome] / Q[outcome]), for an outcome drawn from P, adds up when mechanisms whose
 * parameters are fixed in advance are run together, and its distribution has the exact guarantee:
 * delta(epsilon) = E[max(0, 1 - exp(epsilon - loss))].  Results are never below that; every error
 * is bounded by what is computed on the way, and added.
 */
#ifndef DPRIV_PLD_H
#define DPRIV_PLD_H

typedef enum DprivPldKind
{
	DPRIV_PLD_GAUSSIAN,			/* sensitivity, sigma */
	DPRIV_PLD_DISCRETE_GAUSSIAN,	/* sensitivity, whole; sigma up to DPRIV_PLD_MAX_STEPS */
	DPRIV_PLD_LAPLACE,			/* epsilon = sensitivity / scale */
	DPRIV_PLD_DISCRETE_LAPLACE, /* epsilon; steps, whole, up to DPRIV_PLD_MAX_STEPS */
	DPRIV_PLD_RANDOMIZED_RESPONSE,	/* noise; buckets, whole; another true answer */
	DPRIV_PLD_APPROXIMATE,		/* epsilon, delta: the worst that is (epsilon, delta)-private */
	DPRIV_PLD_SAMPLED_GAUSSIAN, /* sampling_rate, noise_multiplier */
	DPRIV_PLD_SAMPLED_LAPLACE,	/* sampling_rate, epsilon of the noise without sampling */
} DprivPldKind;

#define DPRIV_PLD_KINDS 8
#define DPRIV_PLD_MAX_PARAMETERS 2
#define DPRIV_PLD_MAX_STEPS 1e5

/* Sampling is Poisson's, and neighbours have one row more or less; see sampled_gaussian.h. */
typedef struct DprivPldMechanism
{
	DprivPldKind kind;
	double		parameters[DPRIV_PLD_MAX_PARAMETERS];
	int64		count;			/* how often it is run, >= 0 */
} DprivPldMechanism;

extern const char *dpriv_pld_kind_name(DprivPldKind kind);

/* More mechanisms than this, equal ones counted once, are not composed. */
#define DPRIV_PLD_MAX_MECHANISMS 500

/*
 * Bring a list into the form that the functions below take.  Equal mechanisms become one, all
 * Gaussians one, and those that do nothing none.  Returns how many are left.
 */
extern int	dpriv_pld_merge(DprivPldMechanism *mechanisms, int n);

/*
 * An epsilon >= 0 for which n mechanisms, merged, together are (epsilon, delta)-DP, and a delta,
 * 0 .. 1, for which they are at epsilon.  Gaussians alone: exact, up to rounding.  Else the losses
 * are divided among the points of a lattice so that privacy can only suffer, and epsilon is above
 * the truth by about (1 + s) steps h^2 / 8, with h the distance of the points and s the exponent
 * at which the moment of the loss says most about delta: below 5e-5, or 5e-6 epsilon, unless the
 * lattice would need more than 2^20 points.  Never above what the moments of the loss give at the
 * best order, which is the bound by Renyi divergence, or the sum of epsilons of pure mechanisms.
 *
 * The caller passes dpriv_pld_size() bytes, aligned for a double, to work in: 53 million, of which
 * small problems touch little.
 */
extern size_t dpriv_pld_size(void);
extern double dpriv_pld_epsilon(const DprivPldMechanism *mechanisms, int n, double delta,
								void *work);
extern double dpriv_pld_delta(const DprivPldMechanism *mechanisms, int n, double epsilon,
							  void *work);

#endif							/* DPRIV_PLD_H */
