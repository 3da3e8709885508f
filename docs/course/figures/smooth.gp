# smooth.gp: how far a median could jump if k persons were others, and the same discounted by exp(-0.1 k).
set xlabel t('persons exchanged, k', 'personas cambiadas, k')
set ylabel t('jump of the median, in hours', 'salto de la mediana, en horas')
set xrange [0:29]
set yrange [0:*]
set key top left
plot data using 'k':'jump' with linespoints ls 2 title 'A_k', \
	data using 'k':'discounted' with linespoints ls 1 title t('e^{−βk} A_k, β = 0.1', 'e^{−βk} A_k, β = 0,1')
