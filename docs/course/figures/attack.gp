# attack.gp: differences of two private totals, with and without the person that they are to betray.
set xlabel t('difference of the two totals, in persons', 'diferencia entre los dos totales, en personas')
set ylabel t('share of the attacks, in percent', 'proporción de los ataques, en %')
set xrange [-15.5:16.5]
set yrange [0:*]
set boxwidth 0.42
set arrow 1 from 0, graph 0 to 0, graph 1 nohead ls 9
set arrow 2 from 1, graph 0 to 1, graph 1 nohead ls 9
set label 1 t('exact: 0 or 1', 'exacta: 0 o 1') at 1.4, graph 0.97 textcolor rgb muted
plot data using (column('difference') - 0.21):(column('farmers')) with boxes lc rgb blue title t('with Karen', 'con Karen'), \
	data using (column('difference') + 0.21):(column('neighbour')) with boxes lc rgb orange title t('without Karen', 'sin Karen')
