# learn-utility.gp: right answers of private models against epsilon, mean and middle 80 % of runs, for two methods.
set xlabel t('ε of the training', 'ε del entrenamiento')
set ylabel t('right answers, in %', 'aciertos, en %')
set logscale x
set xrange [0.018:11]
set yrange [60:80]
set key bottom right
of(name, column_) = stringcolumn('method') eq name ? column(column_) : NaN
set style fill transparent solid 0.2 noborder
plot data using 'epsilon':(of('gd', 'low')):(of('gd', 'high')) with filledcurves linecolor rgb blue notitle, \
	data using 'epsilon':(of('course', 'low')):(of('course', 'high')) with filledcurves linecolor rgb orange notitle, \
	data using 'epsilon':'majority' with lines ls 9 title t('majority class', 'clase mayoritaria'), \
	data using 'epsilon':(of('gd', 'mean')) with linespoints ls 1 title t('method gd', 'método gd'), \
	data using 'epsilon':(of('course', 'mean')) with linespoints ls 2 title t('method course', 'método course')
