# mirage.gp: answers with noise scaled to local sensitivity, in two tables that differ in one person, at epsilon 0.5.
set xlabel t('published sum of gains, in thousands of dollars', 'suma publicada de ganancias, en miles de dólares')
set ylabel t('share of answers, %', 'proporción de respuestas, %')
set xrange [-300:400]
set yrange [0:*]
plot data using 'thousands':'without_karen' with histeps ls 1 title t('without Karen', 'sin Karen'), \
	data using 'thousands':'with_karen' with histeps ls 2 dashtype 1 title t('with Karen', 'con Karen')
