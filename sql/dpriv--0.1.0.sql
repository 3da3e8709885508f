-- dpriv 0.1.0: user functions in the extension's schema, administration in schema dpriv.

\echo Use "CREATE EXTENSION dpriv" to load this file. \quit

-- Administration and exact functions ---------------------------------------------------------------------

CREATE SCHEMA dpriv;
COMMENT ON SCHEMA dpriv IS 'Differential privacy: administration, accounting and the exact functions below releases.';
GRANT USAGE ON SCHEMA dpriv TO PUBLIC;
