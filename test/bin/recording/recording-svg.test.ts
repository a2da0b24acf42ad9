import { recordingSvg } from '../../../bin/recording/recording-svg';

const lines = [
  { at: 0.5, text: '  0.5 s  token' },
  { at: 10, text: 'a < b & c' },
];

test('each line of a recording appears at its time, and all stay for a while', () => {
  const svg = recordingSvg('npm run demo', lines);
  expect(svg).toContain('@keyframes l1{0%,3.13%{opacity:0}3.14%,100%{opacity:1}}');
  expect(svg).toContain('@keyframes l2{0%,62.50%{opacity:0}62.51%,100%{opacity:1}}');
  expect(svg).toContain('.l2{animation:l2 16.0s infinite}');
});

test('a recording is well-formed and has no script', () => {
  const svg = recordingSvg('npm run demo', lines);
  expect(svg).toContain('>a &lt; b &amp; c</text>');
  expect(svg).not.toContain('<script');
  expect(svg.match(/<text /g)).toHaveLength(3);
});
