# Coverage.pm
#	  Which aggregates a list of queries uses, and which dp_* aggregates of the extension none of them does.
#
# The server says it: a view depends on the aggregates of its query.  So a measure that is added is missed here until
# an audit has a case for it.
#
package Coverage;

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use List::Util qw(uniq);
use PostgreSQL::Test::Utils;
use Variant qw(script);

our @EXPORT_OK = qw(aggregates kinds_without signatures_without);

# All dp_* aggregates: [signature, name with types as in the table of measures], but for those that only explain why
# a call is refused, and say so.
sub aggregates
{
	my ($node, $library) = @_;
	my ($status, $out, $err) = script($node, $library, <<'SQL');
SELECT p.oid::regprocedure, p.proname || '(' || coalesce((SELECT string_agg(regexp_replace(t.typname, '^_(.*)', '\1[]'), ',' ORDER BY a.n)
	FROM unnest(p.proargtypes) WITH ORDINALITY a (type, n) JOIN pg_type t ON t.oid = a.type), '') || ')'
FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
	JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
WHERE p.prokind = 'a' AND p.proname LIKE 'dp\_%' AND e.extname = 'dpriv' 
	AND obj_description(p.oid, 'pg_proc') NOT LIKE 'exists only to explain%'
ORDER BY 1;
SQL
	die $err if $status;
	return map { [ split /~/ ] } split /\n/, $out;
}

# The signatures that queries use.  Those of one word (EXECUTE) and with marks ({rows}) are left out.
sub used
{
	my ($node, $library, @queries) = @_;
	my $sql = '';
	foreach my $query (grep { /^(?:SELECT|WITH)\b/ && !/\{/ } @queries)
	{
		$sql .= "CREATE TEMPORARY VIEW used AS SELECT 1 AS found FROM ($query) q;\n"
		  . "SELECT DISTINCT d.refobjid::regprocedure FROM pg_depend d JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid "
		  . "WHERE r.ev_class = 'used'::regclass AND d.refclassid = 'pg_proc'::regclass;\nDROP VIEW used;\n";
	}
	my ($status, $out, $err) = script($node, $library, $sql);
	die $err if $status;
	return { map { $_ => 1 } split /\n/, $out };
}

# Signatures that none of the queries uses.
sub signatures_without
{
	my ($node, $library, @queries) = @_;
	my $used = used($node, $library, @queries);
	return grep { !$used->{$_} } map { $_->[0] } aggregates($node, $library);
}

# Measures, as rows of dpriv_measures[], that none of the queries uses in any form: alone, with epsilon, with epsilon and
# delta.  An aggregate that belongs to no row is one of them as well.
sub kinds_without
{
	my ($node, $library, @queries) = @_;
	my $used = used($node, $library, @queries);
	my $table = slurp_file(abs_path(dirname(__FILE__) . '/../../src/mechanism/measure.c'));
	my %kind;
	while ($table =~ /^\t\t"(dp_\w+)", \d+, \{([^}]*)\}/gm)
	{
		my ($name, $types) = ($1, $2);
		$kind{"$name(" . join(',', map { lc s/OID$//r =~ s/ARRAY$/[]/r } grep { $_ ne '0' } split /,\s*/, $types) . ')'} = 0;
	}
	my @stray;
	foreach my $aggregate (aggregates($node, $library))
	{
		my ($signature, $types) = @$aggregate;
		my $form = $types;
		for (1 .. 2)
		{
			last if exists $kind{$form};
			$form =~ s/,?float8\)$/)/;
		}
		if (exists $kind{$form}) { $kind{$form} ||= $used->{$signature} }
		else                     { push @stray, $signature }
	}
	return (@stray, sort grep { !$kind{$_} } keys %kind);
}

1;
