import fc from 'fast-check';

/**
 * How often a property is tried: a tenth of `all`, and in CI, which sets PROPERTY_RUNS=all, all.
 * @param setting of the environment
 * @throws Error for another setting than these
 */
export function propertyRuns(all: number, setting = process.env['PROPERTY_RUNS'] ?? ''): number {
  if (setting === 'all') return all;
  if (setting === '') return Math.ceil(all / 10);
  throw new Error(`PROPERTY_RUNS is ${setting}: leave it out, or set it to all`);
}

fc.configureGlobal({ numRuns: propertyRuns(100) });

export { fc };
