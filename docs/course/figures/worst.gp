# worst.gp: the loss of privacy of each person, sorted, when noise is made for the average person.
set xlabel t('persons, sorted by their loss, in percent', 'personas, ordenadas por su pérdida, en %')
set ylabel t('loss of privacy, ε', 'pérdida de privacidad, ε')
set xrange [85:100.3]
set yrange [0:50]
set key top left
plot data using 'percent_of_persons':'epsilon' with fsteps ls 1 title t('what each person loses', 'lo que pierde cada persona'), \
	0.5 ls 2 title t('what was promised: 0.5', 'lo que se prometió: 0,5')
