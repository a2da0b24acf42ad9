import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fc, propertyRuns } from './property-runs';

const properties = readdirSync(__dirname, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.test.ts') && join(__dirname, name) !== __filename)
  .map((name) => ({ name, text: readFileSync(join(__dirname, name), 'utf8') }))
  .filter(({ text }) => text.includes('fc.assert('));

describe('A property', () => {
  test.each([
    [100, '', 10],
    [15, '', 2],
    [15, 'all', 15],
  ])('of %i tries with PROPERTY_RUNS=%s is tried %i times', (all, setting, times) => {
    expect(propertyRuns(all, setting)).toBe(times);
  });

  test.each(['ALL', '1000', 'none'])('of PROPERTY_RUNS=%s is an error', (setting) => {
    expect(() => propertyRuns(100, setting)).toThrow(`PROPERTY_RUNS is ${setting}`);
  });

  test('without a number of its own has a tenth of 100 too', () => {
    expect(fc.readConfigureGlobal().numRuns).toBe(propertyRuns(100));
  });

  test('has its number from there, in every file', () => {
    expect(properties.length).toBeGreaterThan(15);
    const others = properties.filter(({ text }) => /from 'fast-check'|numRuns: (?!propertyRuns\()/.test(text));
    expect(others.map(({ name }) => name)).toEqual([]);
  });
});
