# scalar.gp: how 10,000 answers of each noise lie around the truth, at epsilon 1 and delta 1e-5.
set xlabel t('answer minus truth, in persons', 'respuesta menos verdad, en personas')
set ylabel t('share of answers, %', 'proporción de respuestas, %')
set xrange [-12:12]
set yrange [0:*]
plot data using 'distance':'laplace' with histeps ls 1 title 'Laplace', \
	data using 'distance':'gauss' with histeps ls 2 dashtype 1 title 'Gauss'
