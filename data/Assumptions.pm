#
# Assumptions.pm
#	  What generate.pl takes from general knowledge, where the published tables are silent.
#
# Weights chosen by hand: only their ratios within a row matter, and they only shape who combines
# with whom.  How often each value occurs is fixed by the published marginals, whatever stands here.
#
package Assumptions;

use strict;
use warnings;
use integer;
use Exporter qw(import);

our @EXPORT = qw(
	%KAREN @AGE_GROUP %AGE_MARITAL %AGE_RELATIONSHIP %SEX_RELATIONSHIP %BAND_OCCUPATION
	%SEX_OCCUPATION @EVEN_AGES %AGE_OCCUPATION %WORKCLASS_OCCUPATION %AGE_WORKCLASS
	%COUNTRY_REGION %RACE_REGION %SEX_RACE %BAND_REGION @AGE_HOURS @SEX_HOURS @BAND_HOURS
	@HOURS_BIN @BAND_CAPITAL @AGE_CAPITAL %DEGREE_AGE @GAIN_REST @LOSS_REST @HOURS_REST
	@FEMALE_NAMES @MALE_NAMES @SURNAMES);

# The group, counted from 0, that x falls in when the later groups start at the given values.
sub group_of
{
	my ($x, @starts) = @_;
	return scalar grep { $x >= $_ } @starts;
}


# The atypical one.  Nobody else with a doctorate works on a farm.
our %KAREN = (
	name => 'Karen Holloway', age => 58, workclass => 'Self-emp-inc', education => 'Doctorate',
	marital_status => 'Widowed', occupation => 'Farming-fishing', relationship => 'Not-in-family',
	race => 'White', sex => 'Female', capital => '99999 0', hours_per_week => 70,
	native_country => 'United-States', income => '>50K',
	age_cell => '55-64 14-16', home_cell => 'Widowed Female');


# Age groups: 17-19, 20-24, 25-29, 30-34, 35-44, 45-54, 55-64, 65-90.
our @AGE_GROUP = map { group_of($_, 20, 25, 30, 35, 45, 55, 65) } 0 .. 90;

our %AGE_MARITAL = (
	'Never-married' => [ 960, 800, 450, 270, 150, 80, 50, 50 ],
	'Married-civ-spouse' => [ 20, 160, 430, 560, 630, 660, 660, 550 ],
	'Divorced' => [ 5, 20, 80, 120, 170, 200, 170, 90 ],
	'Separated' => [ 5, 15, 30, 40, 40, 40, 30, 20 ],
	'Widowed' => [ 1, 1, 3, 5, 10, 30, 80, 280 ],
	'Married-spouse-absent' => [ 3, 7, 13, 15, 15, 14, 13, 12 ],
	'Married-AF-spouse' => [ 3, 10, 10, 10, 5, 2, 1, 1 ]);

our %AGE_RELATIONSHIP = (
	'Husband' => [ 30, 30, 30, 30, 30, 30, 30, 30 ],
	'Wife' => [ 30, 30, 30, 30, 30, 30, 30, 30 ],
	'Own-child' => [ 100, 60, 25, 14, 8, 4, 1, 1 ],
	'Not-in-family' => [ 10, 40, 60, 50, 45, 45, 45, 45 ],
	'Unmarried' => [ 3, 12, 25, 30, 35, 35, 30, 20 ],
	'Other-relative' => [ 20, 25, 20, 15, 10, 10, 10, 10 ]);

# [female, male], for those who do not live with a spouse.
our %SEX_RELATIONSHIP = (
	'Own-child' => [ 10, 12 ],
	'Not-in-family' => [ 10, 12 ],
	'Unmarried' => [ 30, 8 ],
	'Other-relative' => [ 10, 12 ]);

# Education bands: below high school, high school, some college, associate, bachelor, above.
our %BAND_OCCUPATION = (
	'Prof-specialty' => [ 1, 2, 8, 15, 45, 100 ],
	'Exec-managerial' => [ 4, 14, 22, 25, 42, 40 ],
	'Adm-clerical' => [ 6, 18, 24, 22, 14, 5 ],
	'Sales' => [ 8, 14, 18, 16, 20, 8 ],
	'Craft-repair' => [ 16, 20, 14, 16, 4, 2 ],
	'Other-service' => [ 24, 18, 13, 8, 4, 2 ],
	'Machine-op-inspct' => [ 18, 14, 6, 5, 2, 1 ],
	'Transport-moving' => [ 14, 12, 7, 5, 2, 1 ],
	'Handlers-cleaners' => [ 12, 9, 6, 3, 2, 1 ],
	'Farming-fishing' => [ 10, 6, 4, 4, 3, 2 ],
	'Tech-support' => [ 1, 5, 10, 18, 10, 5 ],
	'Protective-serv' => [ 2, 6, 9, 8, 5, 2 ],
	'Priv-house-serv' => [ 10, 4, 3, 2, 1, 1 ],
	'Armed-Forces' => [ 1, 4, 4, 3, 3, 1 ],
	'?' => [ 14, 10, 12, 6, 5, 4 ]);

our %SEX_OCCUPATION = (
	'Prof-specialty' => [ 10, 9 ],
	'Exec-managerial' => [ 9, 10 ],
	'Adm-clerical' => [ 20, 5 ],
	'Sales' => [ 9, 10 ],
	'Craft-repair' => [ 1, 18 ],
	'Other-service' => [ 16, 7 ],
	'Machine-op-inspct' => [ 8, 10 ],
	'Transport-moving' => [ 1, 18 ],
	'Handlers-cleaners' => [ 3, 12 ],
	'Farming-fishing' => [ 1, 14 ],
	'Tech-support' => [ 10, 9 ],
	'Protective-serv' => [ 2, 10 ],
	'Priv-house-serv' => [ 30, 1 ],
	'Armed-Forces' => [ 0, 10 ],
	'?' => [ 12, 9 ]);

our @EVEN_AGES = (10) x 8;
our %AGE_OCCUPATION = (
	'Prof-specialty' => [ 1, 5, 10, 11, 12, 12, 11, 9 ],
	'Exec-managerial' => [ 1, 4, 9, 11, 12, 12, 11, 10 ],
	'Other-service' => [ 22, 14, 9, 9, 8, 8, 10, 11 ],
	'Sales' => [ 17, 12, 10, 9, 9, 9, 10, 13 ],
	'Handlers-cleaners' => [ 22, 17, 11, 9, 7, 6, 5, 4 ],
	'Armed-Forces' => [ 4, 20, 20, 15, 5, 1, 0, 0 ],
	'Protective-serv' => [ 2, 8, 12, 12, 12, 10, 7, 5 ],
	'?' => [ 20, 14, 7, 5, 5, 5, 16, 60 ]);

our %WORKCLASS_OCCUPATION = (    # where not named: the weight under '*'
	'Private' => { '*' => 300, 'Armed-Forces' => 0, 'Protective-serv' => 60,
		'Farming-fishing' => 150, 'Prof-specialty' => 200, 'Priv-house-serv' => 3000 },
	'Federal-gov' => { '*' => 3, 'Adm-clerical' => 25, 'Prof-specialty' => 12,
		'Exec-managerial' => 12, 'Tech-support' => 15, 'Craft-repair' => 6,
		'Protective-serv' => 10, 'Armed-Forces' => 100, 'Priv-house-serv' => 0 },
	'Local-gov' => { '*' => 4, 'Prof-specialty' => 40, 'Protective-serv' => 150,
		'Other-service' => 20, 'Adm-clerical' => 14, 'Exec-managerial' => 10,
		'Transport-moving' => 14, 'Craft-repair' => 8, 'Armed-Forces' => 0,
		'Priv-house-serv' => 0 },
	'State-gov' => { '*' => 2, 'Prof-specialty' => 30, 'Adm-clerical' => 20,
		'Exec-managerial' => 14, 'Protective-serv' => 50, 'Other-service' => 12,
		'Tech-support' => 14, 'Armed-Forces' => 0, 'Priv-house-serv' => 0 },
	'Self-emp-not-inc' => { '*' => 3, 'Farming-fishing' => 200, 'Craft-repair' => 30,
		'Sales' => 24, 'Exec-managerial' => 22, 'Prof-specialty' => 18, 'Other-service' => 10,
		'Transport-moving' => 12, 'Armed-Forces' => 0, 'Protective-serv' => 1,
		'Priv-house-serv' => 0 },
	'Self-emp-inc' => { '*' => 2, 'Exec-managerial' => 40, 'Sales' => 30,
		'Prof-specialty' => 18, 'Craft-repair' => 14, 'Farming-fishing' => 20,
		'Armed-Forces' => 0, 'Priv-house-serv' => 0 },
	'Without-pay' => { '*' => 3, 'Farming-fishing' => 60, 'Armed-Forces' => 0,
		'Priv-house-serv' => 0 },
	'?' => { '*' => 0, '?' => 1 },
	'Never-worked' => { '*' => 0, '?' => 1 });

our %AGE_WORKCLASS = (
	'Self-emp-not-inc' => [ 2, 4, 7, 9, 11, 12, 15, 22 ],
	'Self-emp-inc' => [ 2, 3, 6, 9, 11, 13, 15, 17 ],
	'Federal-gov' => [ 2, 5, 8, 10, 13, 13, 11, 5 ],
	'Never-worked' => [ 100, 50, 5, 1, 1, 1, 1, 1 ]);

our %COUNTRY_REGION = (
	'United-States' => 'home',
	map({ $_ => 'asia' } qw(Philippines India China South Japan Vietnam Taiwan Thailand Hong
		Cambodia Laos)),
	map({ $_ => 'latin' } qw(Mexico Puerto-Rico El-Salvador Cuba Dominican-Republic Guatemala
		Columbia Nicaragua Peru Ecuador Honduras)),
	map({ $_ => 'caribbean' } qw(Jamaica Haiti Trinadad&Tobago)),
	map({ $_ => 'europe' } qw(Germany Canada England Italy Poland Portugal Greece France Ireland
		Yugoslavia Scotland Hungary Holand-Netherlands Iran)));

our %RACE_REGION = (
	'White' => { home => 100, asia => 4, latin => 100, caribbean => 3, europe => 100,
		other => 60 },
	'Black' => { home => 100, asia => 1, latin => 8, caribbean => 300, europe => 3,
		other => 60 },
	'Asian-Pac-Islander' => { home => 6, asia => 400, latin => 1, caribbean => 1, europe => 1,
		other => 120 },
	'Amer-Indian-Eskimo' => { home => 100, asia => 1, latin => 10, caribbean => 1,
		europe => 1, other => 20 },
	'Other' => { home => 40, asia => 4, latin => 300, caribbean => 10, europe => 2,
		other => 40 });

our %SEX_RACE = ('Black' => [ 18, 10 ]);

our %BAND_REGION = (
	'latin' => [ 50, 12, 8, 6, 5, 4 ],
	'asia' => [ 8, 8, 9, 9, 14, 18 ]);

# Hours bins: 1-19, 20-34, 35-39, 40, 41-49, 50-59, 60-79, 80-99; a row per age group.
our @AGE_HOURS = (
	[ 50, 60, 15, 9, 3, 2, 2, 1 ],
	[ 15, 28, 13, 22, 11, 9, 7, 5 ],
	[ 8, 13, 10, 25, 12, 12, 9, 8 ],
	[ 8, 11, 9, 25, 13, 14, 11, 10 ],
	[ 7, 10, 9, 25, 13, 15, 12, 10 ],
	[ 7, 9, 10, 25, 13, 15, 12, 10 ],
	[ 14, 16, 12, 24, 10, 11, 9, 8 ],
	[ 90, 60, 12, 10, 4, 5, 5, 5 ]);

our @SEX_HOURS = ([ 16, 16, 17, 11, 8, 6, 4, 3 ], [ 9, 8, 7, 10, 11, 11, 11, 11 ]);

# A row per education band.
our @BAND_HOURS = (
	[ 10, 11, 11, 12, 9, 8, 8, 9 ],
	[ 9, 9, 10, 12, 10, 9, 9, 9 ],
	[ 12, 12, 10, 10, 10, 9, 9, 9 ],
	[ 9, 9, 10, 10, 11, 10, 10, 10 ],
	[ 9, 9, 9, 10, 11, 11, 10, 10 ],
	[ 9, 9, 9, 8, 11, 12, 13, 13 ]);

our @HOURS_BIN = map { group_of($_, 20, 35, 40, 41, 50, 60, 80) } 0 .. 99;

# A capital gain at the cap, another gain, or a loss: by education band and by age group.
our @BAND_CAPITAL = (
	[ 5, 7, 7, 20 ], [ 6, 8, 8, 20 ], [ 7, 9, 9, 20 ], [ 10, 10, 10, 20 ], [ 14, 11, 12, 20 ],
	[ 40, 13, 17, 20 ]);
our @AGE_CAPITAL = (
	[ 2, 4, 4, 10 ], [ 3, 5, 6, 10 ], [ 6, 7, 8, 10 ], [ 8, 8, 9, 10 ], [ 9, 10, 10, 10 ],
	[ 11, 11, 11, 10 ], [ 13, 12, 11, 10 ], [ 14, 14, 12, 10 ]);

# Youngest age at which a degree is held; 17 where not named.
our %DEGREE_AGE = ('Some-college' => 17, 'Assoc-voc' => 19, 'Assoc-acdm' => 19, 'Bachelors' => 20,
	'Masters' => 22, 'Prof-school' => 24, 'Doctorate' => 25);

# What the published lists of frequent values leave over, spread so that the published quantiles,
# means and shares come out: [first, last, persons of 48,842, rate of high incomes].
our @GAIN_REST = (
	[ 114, 593, 15, 500 ], [ 595, 1506, 123, 500 ], [ 1507, 2202, 115, 500 ],
	[ 2203, 3324, 307, 500 ], [ 3326, 4999, 386, 500 ], [ 5000, 6418, 52, 7300 ],
	[ 6419, 8613, 90, 7300 ], [ 8615, 15023, 112, 7300 ], [ 15025, 27827, 50, 7300 ],
	[ 27829, 41310, 12, 7300 ]);
our @LOSS_REST = (
	[ 155, 624, 23 ], [ 625, 1408, 91 ], [ 1409, 1484, 43 ], [ 1511, 1589, 109 ],
	[ 1603, 1672, 109 ], [ 1673, 1875, 250 ], [ 1888, 1901, 30 ], [ 1978, 2339, 230 ],
	[ 2340, 2414, 42 ], [ 2416, 2824, 91 ], [ 2825, 4356, 23 ]);

# Hours that are not in the published list: [persons of 48,842, values to draw from].
our @HOURS_REST = (
	[ 520, 1 .. 7, (8) x 5 ], [ 450, 9, 11, (12) x 4, 13, 14 ], [ 425, (16) x 5, 17 ],
	[ 148, 18, 18, 19 ], [ 460, 21, 22, 23, (24) x 4 ], [ 250, 26, 27, (28) x 3, 29 ],
	[ 151, 31, 33, 34 ], [ 641, 36, 36, 37, 37, 39 ],
	[ 1184, 41, 42, 42, (43) x 3, (44) x 4, 46, 46, 47, 49 ],
	[ 531, 51, (52) x 3, 53, 54, (56) x 2, 57, 58 ],
	[ 711, 62, 64, (65) x 6, 66, 68, 72, 75, 75, 78 ],
	[ 528, (80) x 5, 84, 84, 85, 90, 90, 96, 98, 99, 99 ]);

our @FEMALE_NAMES = qw(
	Abigail Ada Alice Amanda Amelia Amy Andrea Angela Anita Ann Annette April Audrey Barbara
	Beatrice Belinda Bernice Beth Beverly Bonnie Brenda Bridget Camille Carla Carmen Carol
	Caroline Catherine Cecilia Celia Charlotte Cheryl Christine Clara Claudia Connie Cora
	Cynthia Daisy Dana Deborah Delia Denise Diana Dolores Donna Doris Dorothy Edith Eileen
	Elaine Eleanor Elena Elizabeth Ella Ellen Elsie Emily Emma Erica Esther Ethel Eunice Eva
	Evelyn Faye Florence Frances Gail Geraldine Gina Gladys Gloria Grace Hannah Harriet Hazel
	Heather Helen Hilda Holly Ida Inez Irene Iris Isabel Jane Janet Jean Jessica Joan Josephine
	Joyce Juanita Judith Julia June Kathleen Kay Kim Laura Leah Lena Lillian Linda Lois
	Lorraine Louise Lucy Lydia Mabel Marcia Margaret Maria Marion Martha Mary Maxine Melissa
	Mildred Minnie Miriam Molly Monica Nancy Naomi Nina Nora Norma Olga Olive Pamela Patricia
	Paula Pauline Peggy Phyllis Rachel Rebecca Rita Roberta Rosa Rose Ruby Ruth Sally Sandra
	Sara Sheila Shirley Sonia Stella Susan Sylvia Teresa Thelma Tina Vera Veronica Victoria
	Viola Virginia Vivian Wanda Wendy Wilma Yvonne);

our @MALE_NAMES = qw(
	Aaron Adam Alan Albert Alexander Alfred Allen Alvin Andrew Anthony Arnold Arthur Barry
	Benjamin Bernard Brandon Brian Bruce Byron Calvin Carl Carlos Cecil Charles Chester
	Christopher Clarence Claude Clifford Clinton Clyde Craig Curtis Dale Daniel David Dean
	Dennis Derek Donald Douglas Duane Dwight Earl Edgar Edward Edwin Elmer Eric Ernest Eugene
	Felix Floyd Francis Frank Franklin Fred Gary Gene George Gerald Gilbert Glenn Gordon Greg
	Harold Harry Harvey Hector Henry Herbert Herman Homer Horace Howard Hugh Ian Ira Isaac Ivan
	Jack Jacob James Jason Jeffrey Jeremy Jerome Jesse Joel John Jonathan Jorge Joseph Joshua
	Juan Julian Karl Keith Kenneth Kevin Kurt Lance Larry Lawrence Leo Leonard Leroy Leslie
	Lester Lewis Lloyd Louis Luis Luther Manuel Mario Mark Martin Marvin Matthew Maurice Max
	Melvin Michael Miguel Milton Mitchell Morris Nathan Neil Nicholas Norman Oliver Oscar Otto
	Patrick Paul Pedro Perry Peter Philip Rafael Ralph Ramon Randall Raymond Richard Robert
	Roger Roland Ronald Roy Russell Samuel Scott Sidney Simon Stanley Stephen Steven Terry
	Theodore Thomas Timothy Todd Tom Vernon Victor Vincent Walter Warren Wayne Wesley Willard
	William);

our @SURNAMES = qw(
	Abbott Adler Ainsworth Aldridge Alvarez Ames Andersen Archer Arroyo Ashby Atkins Ballard
	Barlow Barrett Bauer Baxter Beck Bellamy Benson Berg Bishop Blake Blanchard Bloom Bowers
	Bradford Brandt Brewster Briggs Brock Buckley Burgess Burnett Caldwell Calloway Campos
	Carey Carver Castillo Chandler Chang Chavez Clayton Cobb Coleman Collier Conrad Cortez
	Crane Crosby Cruz Dalton Davenport Dawson Delaney Delgado Dempsey Dillard Dominguez Donovan
	Drake Dudley Durham Eaton Ellison Emerson Espinoza Farrell Faulkner Fields Finch Fletcher
	Flores Foley Forrest Fowler Fraser Frost Fuentes Gallagher Garner Garrison Gibbs Gilmore
	Glover Goodwin Grady Graves Griffith Guerrero Haines Hale Halloran Hansen Harding Harmon
	Hartley Hawkins Hayden Herrera Hess Hobbs Hoffman Holt Horton Huang Hubbard Huffman Ibarra
	Ingram Irwin Jacobs Jarvis Jennings Jensen Kaplan Keller Kendall Kessler Kirby Klein Knox
	Kramer Lambert Landry Larsen Lawson Levine Lindgren Logan Lowell Lozano Lutz Lynch MacKay
	Maddox Maldonado Mann Marsh Mathis Maxwell McBride McCall McCoy Mendez Mercer Merritt
	Meyers Molina Monroe Morales Morrow Moss Mueller Nash Navarro Newell Nielsen Nolan Norris
	Norwood Oakley Ochoa Olsen Ortega Osborne Pacheco Padilla Parrish Patel Payne Pearce Penn
	Peters Pickett Pierce Porter Prescott Pruitt Quinn Ramsey Randolph Reeves Rhodes Rivas
	Robbins Rojas Rowe Rutledge Salazar Sandoval Sawyer Schmidt Schroeder Sewell Shannon
	Shelton Sinclair Skinner Slater Snyder Solis Spencer Stafford Stanton Steele Stokes
	Strickland Suarez Sutton Swanson Talbot Tate Thornton Tierney Townsend Tran Trevino
	Underwood Valdez Vance Vaughn Vega Wagner Walden Walters Warner Watts Weaver Webster Weiss
	Whitaker Wilcox Winslow Winters Wolfe Woodward Yates York Zamora Zimmerman);

1;
