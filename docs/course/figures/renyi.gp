# renyi.gp: Rényi divergence of one answer by its order: a line for Gaussian noise, bounded by epsilon for Laplace noise.
set xlabel t('order α', 'orden α')
set ylabel t('Rényi divergence', 'divergencia de Rényi')
set xrange [1:16]
set yrange [0:2]
set key top left
set label 1 'ε = 1' at graph 0.99, first 1.08 right textcolor rgb muted
plot data using 'alpha':'epsilon' with lines ls 9 notitle, \
	data using 'alpha':'laplace' with lines ls 1 title 'Laplace, ε = 1', \
	data using 'alpha':'gaussian' with lines ls 2 title 'Gauss, σ = 2'
