# curve.gp: released sums of capital gains against their bounds, with the errors of their noise, at epsilon 1 for all.
set xlabel t('bound b, in dollars', 'cota b, en dólares')
set ylabel t('released sum, in millions of dollars', 'suma publicada, en millones de dólares')
set xrange [0:210000]
set yrange [0:*]
set key bottom right
set xtics 50000
plot data using 'bound':'sum':'error' with yerrorbars ls 1 title t('95 % of answers', '95 % de las respuestas'), \
	data using 'bound':'sum' with lines ls 1 linewidth 1.2 notitle
