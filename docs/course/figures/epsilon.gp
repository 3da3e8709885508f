# epsilon.gp: the factor e^epsilon, and how sure an attacker can become, against epsilon.
set xlabel t('ε, the privacy parameter', 'ε, el parámetro de privacidad')
set ylabel t('belief after the answer, in percent', 'creencia después de la respuesta, en %')
set logscale x
plot data using 'epsilon':'sure' with lines ls 1 title t('from 50 %', 'desde 50 %')
