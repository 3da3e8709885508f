# learn-lines.gp: where models draw the line between low and high incomes, exact and private at two epsilons.
set xlabel t('age, in years', 'edad, en años')
set ylabel t('level of education', 'nivel educativo')
set xrange [17:90]
set yrange [1:16]
set key outside top center horizontal
of(epsilon) = sprintf("< awk -F, '$1 == \"%s\" { if ($3 == 17) print \"\"; print $3 \",\" $4 }' %s", epsilon, data)
set datafile nocolumnheaders
plot of('0.1') using 1:2 with lines linecolor rgb orange linewidth 1.5 dashtype 2 title t('ε = 0.1', 'ε = 0,1'), \
	of('1') using 1:2 with lines ls 1 linewidth 1.2 title 'ε = 1', \
	of('exact') using 1:2 with lines linecolor rgb ink linewidth 3 title t('without noise', 'sin ruido')
