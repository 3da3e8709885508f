# pairs.gp: one Gaussian noise has a curve of pairs (epsilon, delta); showing a row with a fixed probability has a flat line.
set xlabel t('ε', 'ε')
set ylabel t('δ', 'δ')
set logscale y
set format y '10^{%T}'
set yrange [1e-15:1]
set xrange [0:2]
set key bottom left
plot data using 'epsilon':'gaussian' with lines ls 1 title t('Gaussian noise, σ = 3.73', 'ruido gaussiano, σ = 3,73'), \
	data using (column('epsilon') == 1 ? 1 : NaN):'gaussian' with points ls 1 pointsize 1 notitle, \
	data using 'epsilon':'shows_a_row' with lines ls 2 title t('shows a row with probability 10^{−5}', 'muestra una fila con probabilidad 10^{−5}')
