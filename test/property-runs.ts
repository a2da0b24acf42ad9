import fc from 'fast-check';

/**
 * How often a property is tried: a tenth of `all`, and in CI, which sets PROPERTY_RUNS=all, all.
 * @param setting of the environment
 */
export const propertyRuns = (all: number, setting = process.env['PROPERTY_RUNS']): number =>
  setting === 'all' ? all : Math.ceil(all / 10);

fc.configureGlobal({ numRuns: propertyRuns(100) });

export { fc };
