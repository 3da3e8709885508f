// Jdbc.java PORT PORT ...: the tour on the first port, questions on the others; see test/t/084_clients.pl.
import java.math.BigDecimal;
import java.sql.*;
import java.util.*;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

public class Jdbc {
	static Connection connect(String port, String options) throws SQLException {
		Map<String, String> env = System.getenv();
		return DriverManager.getConnection("jdbc:postgresql://" + env.get("PGHOST") + ":" + port + "/" + env.get("PGDATABASE") + options,
			env.get("PGUSER"), env.get("PGPASSWORD"));
	}

	static PreparedStatement prepare(Connection connection, String query, Object... values) throws SQLException {
		PreparedStatement statement = connection.prepareStatement(query);
		for (int i = 0; i < values.length; i++)
			statement.setObject(i + 1, values[i]);
		return statement;
	}

	static String list(ResultSet rows, String column) throws SQLException {
		StringJoiner list = new StringJoiner(",");
		while (rows.next())
			list.add(Objects.toString(rows.getString(column), "none"));
		return list.toString();
	}

	static String value(Connection connection, String query, Object... values) throws SQLException {
		ResultSet rows = prepare(connection, query, values).executeQuery();
		rows.next();
		return rows.getString(1);
	}

	static String refusal(SQLException error) {
		ServerErrorMessage server = ((PSQLException) error).getServerErrorMessage();
		return error.getSQLState() + " | " + server.getMessage() + " | " + server.getHint();
	}

	static void tour(String port) throws SQLException {
		try (Connection connection = connect(port, "")) {
			DatabaseMetaData catalog = connection.getMetaData();
			System.out.println("tables: " + list(catalog.getTables(null, "public", "%", new String[] {"TABLE"}), "TABLE_NAME"));
			System.out.println("columns: " + list(catalog.getColumns(null, "public", "adult", "%"), "COLUMN_NAME"));
			System.out.println("indexes: " + list(catalog.getIndexInfo(null, "public", "adult", false, true), "INDEX_NAME"));
			System.out.println("estimate: " + list(catalog.getIndexInfo(null, "public", "adult", false, true), "CARDINALITY"));

			PreparedStatement described = prepare(connection, "SELECT dp_count(adult, ?) AS n FROM adult WHERE age > ?");
			System.out.println("described: " + described.getParameterMetaData().getParameterTypeName(1) + "," +
				described.getParameterMetaData().getParameterTypeName(2) + "," + described.getMetaData().getColumnTypeName(1));
			System.out.println("count: " + value(connection, "SELECT dp_count(adult, ?) FROM adult WHERE age > ?", 0.5, 40));
			System.out.println("average: " + value(connection, "SELECT dp_avg(age, ?, ?, ?) FROM adult", 17, 90, new BigDecimal("0.5")));

			connection.setAutoCommit(false);
			PreparedStatement groups = prepare(connection, "SELECT sex, dp_count(adult, ?) FROM adult GROUP BY sex ORDER BY sex", 0.25);
			groups.setFetchSize(1);
			System.out.println("cursor: " + list(groups.executeQuery(), "sex"));
			connection.commit();
			connection.setAutoCommit(true);

			try {
				value(connection, "SELECT name FROM adult WHERE age > ?", 40);
			} catch (SQLException error) {
				System.out.println("refused: " + refusal(error));
			}
			System.out.println("after: " + value(connection,
				"SELECT remaining_epsilon FROM dpriv.my_budget WHERE grantee = session_user"));
		}
	}

	static void ask(String port) throws SQLException {
		int answers = 0;
		// 0: statements without a name, which a pooler may send to any server connection.
		try (Connection connection = connect(port, "?prepareThreshold=0")) {
			PreparedStatement question = prepare(connection, "SELECT dp_count(adult, ?) FROM adult", 0.05);
			try {
				for (; answers < 6; answers++)
					question.executeQuery();
				System.out.println("asked: " + answers);
			} catch (SQLException error) {
				System.out.println("asked: " + answers + " then " + refusal(error));
			}
		}
	}

	public static void main(String[] ports) throws SQLException {
		tour(ports[0]);
		for (int i = 1; i < ports.length; i++)
			ask(ports[i]);
	}
}
