# learn-accountants.gp: epsilon of one and the same training against its number of steps, by four ways of counting.
set xlabel t('steps of training', 'pasos de entrenamiento')
set ylabel t('ε at δ = 10^{-5}', 'ε con δ = 10^{-5}')
set logscale xy
set format x '10^{%T}'
set format y '10^{%T}'
set key top left
plot data using 'steps':'sum' with lines ls 2 title t('sum of the steps', 'suma de los pasos'), \
	data using 'steps':'advanced' with lines ls 4 title t('advanced composition', 'composición avanzada'), \
	data using 'steps':'rdp' with lines ls 3 title t('Rényi DP', 'DP de Rényi'), \
	data using 'steps':'pld' with lines ls 1 title t('privacy loss distribution', 'distribución de la pérdida')
