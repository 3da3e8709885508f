# histogram.gp: persons by level of education, exact and private at epsilon 0.5.
set terminal svg size 720,480 font 'sans-serif,16' enhanced
set xlabel t('level of education', 'nivel educativo')
set ylabel t('persons', 'personas')
set style data histograms
set style histogram clustered gap 1
set xtics rotate by -45 scale 0
set key top left
set yrange [0:*]
plot data using 'exact':xtic(1) lc rgb blue title t('exact', 'exacto'), \
	data using 'private' lc rgb orange title t('private, ε = 0.5', 'privado, ε = 0,5')
