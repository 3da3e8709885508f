# counts.gp: how far off released counts are, in percent of the number of persons counted, at epsilon 0.5.
set xlabel t('persons counted, n', 'personas contadas, n')
set ylabel t('error, % of n', 'error, % de n')
set logscale xy
set xrange [10:5000]
set yrange [0.01:100]
set format y '%g'
plot data using 'n':(column('percent') > 0 ? column('percent') : NaN) with points ls 1 title t('released counts', 'conteos publicados'), \
	data using 'n':'percent_95' with lines ls 2 title t('95 of 100 are below', '95 de 100 están debajo')
