# neighbours.gp: answers of a private count over two tables that differ by one person; points are shares, lines are probabilities.
set xlabel t('answer of dp\_count, in persons', 'respuesta de dp\_count, en personas')
set ylabel t('share of the answers, in percent', 'proporción de las respuestas, en %')
set xrange [7.5:27.5]
set yrange [0:*]
plot data using 'n':'farmers_expected' with lines ls 1 title t('with Karen', 'con Karen'), \
	data using 'n':'farmers' with points pt 7 ps 0.7 lc rgb blue notitle, \
	data using 'n':'neighbour_expected' with lines ls 2 title t('without Karen', 'sin Karen'), \
	data using 'n':'neighbour' with points pt 5 ps 0.7 lc rgb orange notitle
