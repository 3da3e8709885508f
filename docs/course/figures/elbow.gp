# elbow.gp: bias, noise and total error of the clipped sum of capital gains against the bound, at epsilon 0.1.
set xlabel t('bound b, in dollars', 'cota b, en dólares')
set ylabel t('error, in millions of dollars', 'error, en millones de dólares')
stats data using 'b':'total' nooutput
set label 1 at STATS_pos_min_y, STATS_min_y '' point linestyle 1
set logscale x
set xrange [1000:250000]
set yrange [0:6]
set format x '%.0f'
plot data using 'b':'bias' with lines ls 2 title t('bias', 'sesgo'), \
	data using 'b':'noise' with lines ls 3 title t('noise', 'ruido'), \
	data using 'b':'total' with lines ls 1 title t('total', 'total')
