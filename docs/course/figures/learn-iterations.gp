# learn-iterations.gp: right answers at epsilon 0.5 against the number of steps, for two ways to count them.
set xlabel t('steps T that share ε = 0.5', 'pasos T que comparten ε = 0,5')
set ylabel t('right answers, in %', 'aciertos, en %')
set logscale x
set xrange [0.9:450]
set yrange [60:80]
set key bottom left
of(name, column_) = stringcolumn('accounting') eq name ? column(column_) : NaN
set style fill transparent solid 0.2 noborder
plot data using 'steps':(of('zcdp', 'low')):(of('zcdp', 'high')) with filledcurves linecolor rgb blue notitle, \
	data using 'steps':(of('basic', 'low')):(of('basic', 'high')) with filledcurves linecolor rgb orange notitle, \
	data using 'steps':'majority' with lines ls 9 title t('majority class', 'clase mayoritaria'), \
	data using 'steps':(of('zcdp', 'mean')) with linespoints ls 1 title t('steps counted by zCDP', 'pasos contados por zCDP'), \
	data using 'steps':(of('basic', 'mean')) with linespoints ls 2 title t('epsilons added up', 'épsilons sumados')
