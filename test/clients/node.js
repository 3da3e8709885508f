// node.js PORT PORT ...: the tour on the first port, questions on the others; see test/t/084_clients.pl.
const { Client } = require('pg');
const Cursor = require('pg-cursor');

const refusal = error => `${error.code} | ${error.message} | ${error.hint}`;

async function tour(port) {
	const client = new Client({ port });
	const value = async (query, values) => Object.values((await client.query(query, values)).rows[0])[0];

	await client.connect();
	const columns = await client.query(
		"SELECT column_name FROM information_schema.columns WHERE table_name = 'adult' ORDER BY ordinal_position");
	console.log('columns:', columns.rows.map(row => row.column_name).join());
	console.log('estimate:', await value('SELECT reltuples FROM pg_class WHERE relname = $1', ['adult']));
	console.log('count:', await value('SELECT dp_count(adult, $1) FROM adult WHERE age > $2', [0.5, 40]));
	console.log('average:', await value('SELECT dp_avg(age, $1, $2, $3) FROM adult', [17, 90, '0.5']));

	const cursor = client.query(new Cursor(
		'SELECT sex, dp_count(adult, $1) FROM adult GROUP BY sex ORDER BY sex', [0.25]));
	const groups = [];
	for (let rows; (rows = await cursor.read(1)).length > 0;)
		groups.push(rows[0].sex ?? 'none');
	await cursor.close();
	console.log('cursor:', groups.join());

	await client.query('SELECT name FROM adult WHERE age > $1', [40])
		.catch(error => console.log('refused:', refusal(error)));
	console.log('after:', await value(
		'SELECT remaining_epsilon FROM dpriv.my_budget WHERE grantee = session_user'));
	await client.end();
}

async function ask(port) {
	const client = new Client({ port });
	let answers = 0;

	await client.connect();
	try {
		// Without a name, so that a pooler may send it to any server connection.
		for (; answers < 6; answers++)
			await client.query('SELECT dp_count(adult, $1) FROM adult', [0.05]);
		console.log('asked:', answers);
	} catch (error) {
		console.log('asked:', answers, 'then', refusal(error));
	}
	await client.end();
}

(async () => {
	const [first, ...others] = process.argv.slice(2);

	await tour(first);
	for (const port of others)
		await ask(port);
})();
