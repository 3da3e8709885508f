# learn-schooling.gp: share of persons with a high income against the level of education, for two groups of age; released.
set xlabel t('level of education (1 preschool, 9 high school, 13 bachelor, 16 doctorate)', 'nivel educativo (1 preescolar, 9 secundaria, 13 pregrado, 16 doctorado)')
set ylabel t('persons above 50,000, in %', 'personas sobre 50.000, en %')
set yrange [0:100]
set xrange [0.5:16.5]
set key top left
plot data using (stringcolumn('older') eq 't' ? column('years') : NaN):'percent' with linespoints ls 1 title t('40 years and more', '40 años o más'), \
	data using (stringcolumn('older') eq 'f' ? column('years') : NaN):'percent' with linespoints ls 2 title t('under 40', 'menos de 40')
