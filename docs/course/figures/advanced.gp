# advanced.gp: what k queries at epsilon 0.1 cost together by four theorems, at delta 1e-5.
set xlabel t('queries, k', 'consultas, k')
set ylabel t('total ε', 'ε total')
set logscale xy
set xrange [1:1000]
set yrange [0.05:200]
set format x '%g'
set key top left
plot data using 'k':'added_up' with lines ls 1 title t('added up', 'suma'), \
	data using 'k':'textbook' with lines ls 2 title t('textbook', 'libro'), \
	data using 'k':'long_form' with lines ls 4 title t('its long form', 'su forma larga'), \
	data using 'k':'best' with lines ls 3 title t('best possible', 'la mejor posible')
