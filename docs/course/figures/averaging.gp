# averaging.gp: the error of the average of k private answers, measured and expected, on logarithmic axes.
set xlabel t('answers that are averaged, k', 'respuestas promediadas, k')
set ylabel t('error of the average, in persons', 'error del promedio, en personas')
set logscale xy
set xrange [0.9:1100]
plot data using 'k':'expected' with lines ls 1 title t('expected: 2.8 / √k', 'esperado: 2,8 / √k'), \
	data using 'k':'measured' with points pt 5 ps 1 lc rgb orange title t('measured', 'medido')
