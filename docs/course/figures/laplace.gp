# laplace.gp: the noise of a count for three epsilon; points are shares of released answers, lines are probabilities.
set xlabel t('noise, in persons', 'ruido, en personas')
set ylabel t('share of the answers, in percent', 'proporción de las respuestas, en %')
set xrange [-20.5:20.5]
set yrange [0:*]
e(x) = 'ε = ' . gprintf('%g', x)
plot data using 'noise':'one_expected' with lines ls 1 title e(1), \
	data using 'noise':'one' with points pt 7 ps 0.6 lc rgb blue notitle, \
	data using 'noise':'half_expected' with lines ls 2 title e(0.5), \
	data using 'noise':'half' with points pt 5 ps 0.6 lc rgb orange notitle, \
	data using 'noise':'tenth_expected' with lines ls 3 title e(0.1), \
	data using 'noise':'tenth' with points pt 9 ps 0.7 lc rgb green notitle
