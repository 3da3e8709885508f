# belief.gp: the belief that an attacker may end with, against epsilon, for beliefs of 50, 10 and 1 percent before.
set xlabel t('ε, the loss of privacy', 'ε, la pérdida de privacidad')
set ylabel t('belief afterwards, in percent', 'creencia después, en %')
set logscale x
set xrange [0.01:10]
set yrange [0:100]
set key top left
plot data using 'epsilon':'from_50' with lines ls 1 title t('from 50 %, at most', 'desde 50 %, como máximo'), \
	data using 'epsilon':'down_50' with lines ls 1 dashtype 3 title t('from 50 %, at least', 'desde 50 %, como mínimo'), \
	data using 'epsilon':'from_10' with lines ls 2 title t('from 10 %, at most', 'desde 10 %, como máximo'), \
	data using 'epsilon':'from_1' with lines ls 3 title t('from 1 %, at most', 'desde 1 %, como máximo')
