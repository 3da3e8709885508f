# accountings.gp: epsilon of k steps of the same Gaussian noise by four ways of counting, sigma 20, delta 1e-5.
set xlabel t('repetitions, k', 'repeticiones, k')
set ylabel t('total ε', 'ε total')
set logscale xy
set xrange [1:10000]
set format x '10^{%T}'
set format y '10^{%T}'
set yrange [0.1:20000]
set key top left

# The last point of a line, with its value.
last(name) = column('k') == 10000 ? column(name) : NaN
plot data using 'k':'sequential' with lines ls 1 title t('sequential', 'secuencial'), \
	data using 'k':'advanced' with lines ls 4 title t('advanced', 'avanzada'), \
	data using 'k':'renyi' with lines ls 2 title 'Rényi', \
	data using 'k':'exact' with lines ls 3 title t('exact', 'exacta'), \
	data using 'k':(last('sequential')):(sprintf('%.0f', column('sequential'))) with labels right offset -0.5,0.6 textcolor rgb ink notitle, \
	data using 'k':(last('renyi')):(sprintf('%.0f', column('renyi'))) with labels right offset -0.5,0.9 textcolor rgb ink notitle
