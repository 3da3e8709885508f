# style.gp: what all figures of the course have in common; read before each of them.
#
# lang is 'en' or 'es', data a file of CSV with a header.  Colours are those of the palette in test/lib/Figure.pm, which gives them
# classes, so that figures follow light and dark; blue and orange are for what is compared, green and purple for what is added.

set terminal svg size 720,420 font 'sans-serif,16' enhanced
set encoding utf8
set datafile separator ','
set datafile columnheaders
if (lang eq 'es') set decimalsign ','

# Words in either language, and numbers with its decimal sign.
t(en, es) = lang eq 'es' ? es : en

ink = '#1f2328'
muted = '#59636e'
grid = '#d1d9e0'
blue = '#0072b2'
orange = '#d55e00'
green = '#009e73'
purple = '#cc79a7'
paper = '#ffffff'

set border 3 linecolor rgb muted
set tics nomirror out scale 0.6 textcolor rgb ink
set grid ytics linecolor rgb grid linetype 1 linewidth 1
set key top right samplen 2 spacing 1.2 textcolor rgb ink
set xlabel textcolor rgb ink
set ylabel textcolor rgb ink
set style fill solid 0.8 noborder
set style line 1 linecolor rgb blue linewidth 2.5 pointtype 7 pointsize 0.6
set style line 2 linecolor rgb orange linewidth 2.5 dashtype 2 pointtype 5 pointsize 0.6
set style line 3 linecolor rgb green linewidth 2.5 dashtype 4 pointtype 9 pointsize 0.7
set style line 4 linecolor rgb purple linewidth 2.5 dashtype 5 pointtype 13 pointsize 0.7
set style line 9 linecolor rgb muted linewidth 1.2 dashtype 3
