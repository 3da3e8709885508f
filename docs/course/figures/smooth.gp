# smooth.gp: how far a median could jump with k persons more or less, and the same discounted by exp(-0.05 k).
set xlabel t('persons more or less, k', 'personas más o menos, k')
set ylabel t('jump of the median, in hours', 'salto de la mediana, en horas')
set xrange [0:59]
set yrange [0:*]
set key top left
plot data using 'k':'jump' with linespoints ls 2 title 'A_k', \
	data using 'k':'discounted' with linespoints ls 1 title t('e^{−βk} A_k, β = 0.05', 'e^{−βk} A_k, β = 0,05')
