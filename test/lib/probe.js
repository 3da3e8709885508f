// probe.js: turns the pages of the course's book and reports what is wrong; added to the book by test/t/093_course.pl.
'use strict';
const complaints = [];
let figures = 0;

window.addEventListener('error', e => complaints.push(e.message));

function look(section) {
	const wrong = text => complaints.push(section.id + ': ' + text);
	const other = document.getElementById('language');

	location.hash = section.id;
	show();
	if (![...document.querySelectorAll('section')].every(s => (s.offsetHeight > 0) === (s === section))) wrong('other pages are shown');
	if (root.lang !== section.lang) wrong('language ' + root.lang);
	if (other.hidden || !other.offsetWidth) wrong('no way to the other language');
	if (root.scrollWidth > root.clientWidth) wrong('wider than the window: ' + root.scrollWidth);
	section.querySelectorAll('figure svg').forEach(svg => {
		const box = svg.getBoundingClientRect();

		figures++;
		if (box.width < 400 || box.height < 200) wrong('a figure of ' + box.width + ' by ' + box.height);
		svg.querySelectorAll('text').forEach(text => {
			const inner = text.getBoundingClientRect();

			if (inner.left < box.left - 1 || inner.right > box.right + 1 || inner.top < box.top - 1 || inner.bottom > box.bottom + 1)
				wrong('text outside of its figure: ' + text.textContent);
		});
	});
	section.querySelectorAll('math').forEach(math => {
		if (math.getBoundingClientRect().width < 4) wrong('a formula that is not seen: ' + math.textContent);
	});
	section.querySelectorAll('a[href^="#"]').forEach(a => {
		if (!document.getElementById(decodeURIComponent(a.hash.slice(1)))) wrong('a link to nothing: ' + a.hash);
	});
}

document.querySelectorAll('section').forEach(look);
const pages = document.querySelectorAll('section').length;
document.body.innerHTML = '<pre id="report"></pre>';
document.getElementById('report').textContent = complaints.length > 0 ? complaints.join('\n')
	: 'opened ' + pages + ' pages with ' + figures + ' figures';
