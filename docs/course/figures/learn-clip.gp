# learn-clip.gp: error of one clipped and noisy gradient against the clipping bound, with its two parts; exact.
set xlabel t('clipping bound C', 'cota de recorte C')
set ylabel t('length of the error', 'norma del error')
set xrange [0.5:1.3]
set yrange [0:300]
plot data using 'c':'bias' with lines ls 2 title t('bias of clipping', 'sesgo del recorte'), \
	data using 'c':'noise' with lines ls 3 title t('noise', 'ruido'), \
	data using 'c':'total' with lines ls 1 title t('both', 'ambos')
