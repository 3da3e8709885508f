# learn-descent.gp: ten steps of gradient descent in the plane of two weights, without privacy and at two epsilons.
set xlabel t('weight of age', 'peso de la edad')
set ylabel t('weight of education', 'peso de la educación')
set key top left
set xrange [0:*]
of(walk) = sprintf("< awk -F, '$1 == \"%s\" { if ($3 == 1) print \"\\n0,0\"; print $4 \",\" $5 }' %s", walk, data)
set datafile nocolumnheaders
plot of('0.5') using 1:2 with linespoints linecolor rgb orange linewidth 1.2 pointtype 5 pointsize 0.5 title t('ε = 0.5', 'ε = 0,5'), \
	of('5') using 1:2 with linespoints linecolor rgb blue linewidth 1.2 pointtype 7 pointsize 0.5 title 'ε = 5', \
	of('exact') using 1:2 with linespoints linecolor rgb ink linewidth 2.5 pointtype 9 pointsize 0.7 title t('without noise', 'sin ruido')
