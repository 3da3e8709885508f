# vector.gp: standard deviation of the noise on each of k numbers, when a person moves each by 1, at epsilon 1 and delta 1e-5.
set xlabel t('components that a person moves, k', 'componentes que mueve una persona, k')
set ylabel t('standard deviation of the noise', 'desviación estándar del ruido')
set logscale xy
set xrange [1:1000]
set key top left
plot data using 'k':'laplace' with lines ls 1 title 'Laplace', \
	data using 'k':'classic' with lines ls 4 title t('Gauss, classic', 'Gauss, clásico'), \
	data using 'k':'analytic' with lines ls 2 title t('Gauss, analytic', 'Gauss, analítico'), \
	data using 'k':'laplace_measured' with points ls 1 title t('Laplace, measured', 'Laplace, medido'), \
	data using 'k':'gauss_measured' with points ls 2 title t('Gauss, measured', 'Gauss, medido')
