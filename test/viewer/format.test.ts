import { createFormat, type Format, type Units } from '../../viewer/format';
import { plainText } from '../../viewer/parse-message';
import { chooseLanguage } from '../../viewer/texts/languages';

describe('Format', () => {
  const formatIn = (tag: string, units: Units = 'metric'): Format =>
    createFormat({ ...chooseLanguage([tag]), units: () => units });
  const english = formatIn('en-GB');
  const german = formatIn('de-DE');
  const imperial = formatIn('en-US', 'imperial');
  const now = Date.parse('2026-11-25T12:00:10Z');
  const { droneStates, dockStates } = chooseLanguage(['en']).texts;

  test.each<[string, string]>([
    [english.number(85.46), '85.5'],
    [english.number(-0.04), '0.0'],
    [english.number(-0.3, 0), '0'],
    [english.number(-12.34), '-12.3'],
    [english.number(undefined), '–'],
    [english.amount(482.16, 'length'), '482.2'],
    [german.amount(482.16, 'length'), '482,2'],
    [formatIn('de-CH').amount(482.16, 'length'), '482.2'],
    [imperial.amount(482.16, 'length'), '1582'],
    [imperial.withUnit(10, 'speed'), '22.4 mph'],
    [imperial.withUnit(10, 'otherSpeed'), '33 ft/s'],
    [imperial.withUnit(-40, 'temperature'), '-40 °F'],
    [imperial.withUnit(25.4, 'rain'), '1.00 in/h'],
    [english.withUnit(12.5, 'otherSpeed'), '45 km/h'],
    [english.spoken(482.2, 'length'), '482 metres'],
    [german.spoken(12.2, 'speed'), '12 Meter pro Sekunde'],
    [english.unitName('length'), 'metres'],
    [english.heading(0), '0° N'],
    [english.heading(359.7), '0° N'],
    [english.heading(360), '0° N'],
    [english.heading(225), '225° SW'],
    [german.heading(100), '100° O'],
    [english.heading(undefined), '–'],
    [english.duration(0), '0 s'],
    [english.duration(-5000), '0 s'],
    [english.duration(59_000), '59 s'],
    [english.duration(61_000), '1 min 01 s'],
    [english.duration(3_599_000), '59 min 59 s'],
    [english.duration(3 * 3_600_000 + 5 * 60_000), '3 h 05 min'],
    [english.age(12_900), '12 s'],
    [english.age(600_000), '10 min'],
    [english.age(47 * 3_600_000), '47 h'],
    [english.age(50 * 3_600_000), '2 days'],
    [german.age(50 * 3_600_000), '2 Tagen'],
    [english.state('TASK_INPROGRESS', dockStates), 'Task in progress'],
    [english.state('WAYPOINT', droneStates), 'Flying its route'],
    [english.state('SOMETHING_NEW', droneStates), 'Something new'],
    [english.state(undefined, droneStates), '–'],
    [english.position(8.5417, 47.3769), '47.37690° N, 8.54170° E'],
    [english.position(-122.4194, -37.7749), '37.77490° S, 122.41940° W'],
    [german.position(8.5417, 47.3769), '47,37690° N, 8,54170° O'],
    [english.position(undefined, undefined), '–'],
    [english.time('2020-03-01T14:30:05Z', now, 'Europe/Zurich'), '1 Mar, 15:30:05 CET'],
    [german.time('2020-03-01T14:30:05Z', now, 'UTC'), '1. März, 14:30:05 UTC'],
    [english.time('2026-11-25T12:00:05Z', undefined, 'UTC'), '25 Nov 2026, 12:00:05 UTC'],
  ])('the share page shows %s', (shown, expected) => expect(shown).toBe(expected));

  test('the date is left out of today’s times', () => {
    expect(english.time('2026-11-25T12:00:05Z', now)).toMatch(/^\d\d:\d\d:\d\d \S+$/);
  });
});

describe('The text of others', () => {
  test.each([
    ['Falke 3', 'Falke 3'],
    ['עורב 7 ניצן', 'עורב 7 ניצן'],
    ['a\u202Egpj.exe', 'agpj.exe'],
    ['\u2066Kite\u2069 \u200F7', 'Kite 7'],
    ['line\nline\u2028line\tline', 'line line line line'],
    ['\u0000\u001B[31mred\u009B', '[31mred'],
    ['می\u200Cخواهم', 'می\u200Cخواهم'],
    ['👩\u200D✈️ pilot', '👩\u200D✈️ pilot'],
    ['\u00AD\u200B\uFEFFhidden', 'hidden'],
    [' \u202A\u202C ', ''],
  ])('%j is %j on the page', (text, expected) => expect(plainText(text)).toBe(expected));
});
