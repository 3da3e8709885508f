# loss.gp: the privacy loss of an answer, by its distance from the true count: bounded for Laplace noise, a line for Gaussian noise.
set xlabel t('answer minus true count, in persons', 'respuesta menos conteo verdadero, en personas')
set ylabel t('privacy loss', 'pérdida de privacidad')
set xrange [-20:20]
set yrange [-1.6:1.6]
set key at first 19.5, -0.15 top right
set label 1 'ε = 1' at graph 0.02, first 1.12 left textcolor rgb muted
set label 2 '−ε' at graph 0.99, first -0.88 right textcolor rgb muted
plot 1 with lines ls 9 notitle, -1 with lines ls 9 notitle, \
	data using 'distance':'laplace' with lines ls 1 title 'Laplace', \
	data using 'distance':'gaussian' with lines ls 2 title 'Gauss'
