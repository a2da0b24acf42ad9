import { prices, type PricedUnit } from './prices';

/** Quantities by caller and unit. */
export type Quantities = Readonly<Record<string, Readonly<Partial<Record<PricedUnit, number>>>>>;

/** A quantity of one caller times its price. */
export interface BillLine {
  readonly caller: string;
  readonly service: string;
  readonly quantity: number;
  readonly dollars: number;
  /** Such as `2,628.0 M × $0.625 a million`. */
  readonly arithmetic: string;
}

/** A scenario, and what its use costs. */
export interface Bill {
  readonly scenario: string;
  /** How the measured use was scaled. */
  readonly scale: string;
  readonly dollars: number;
  /** Dollars by service, largest first. */
  readonly services: readonly (readonly [service: string, dollars: number])[];
  /** Largest first. */
  readonly lines: readonly BillLine[];
}

/** Words for what a price is for. */
const scales: Readonly<Record<number, string>> = { 1000: ' thousand', 1e6: ' million', 1e9: ' GB' };

/** Fraction of the requests that X-Ray records of a function beyond one a second. */
const SAMPLED = 0.05;
const MONTH_SECONDS = 730 * 3600;

/** Bill of what was used in a month. */
export function billOf(scenario: string, scale: string, used: Quantities): Bill {
  const lines = Object.entries(used)
    .flatMap(([caller, charges]) => {
      const traced = charges['xray:traces'] ? { 'xray:traces': tracesOf(charges['lambda:requests'] ?? 0) } : {};
      const units = Object.entries({ ...charges, ...traced }) as [PricedUnit, number][];
      return units.map(([unit, quantity]) => lineOf(caller, unit, quantity));
    })
    .filter((line) => line !== undefined)
    .filter(({ dollars }) => dollars > 0)
    .sort((one, other) => other.dollars - one.dollars);
  const services = new Map<string, number>();
  for (const { service, dollars } of lines) services.set(service, (services.get(service) ?? 0) + dollars);
  return {
    scenario,
    scale,
    lines,
    services: [...services].sort(([, one], [, other]) => other - one),
    dollars: lines.reduce((sum, { dollars }) => sum + dollars, 0),
  };
}

function lineOf(caller: string, unit: PricedUnit, quantity: number): BillLine | undefined {
  const price = prices[unit];
  if (!price) return undefined;
  const dollars = (quantity / price.per) * price.dollars;
  const amount = (quantity / price.per).toLocaleString('en', { maximumSignificantDigits: 4 });
  return {
    caller: shortName(caller),
    service: price.service,
    quantity,
    dollars,
    arithmetic: `${amount}${scales[price.per] ?? ''} × $${price.dollars}`,
  };
}

/** Traces of a function in a month of evenly spread requests: one a second, and five percent of the others. */
function tracesOf(requests: number): number {
  return Math.min(requests, MONTH_SECONDS) + Math.max(0, requests - MONTH_SECONDS) * SAMPLED;
}

/** The construct's part of a function's name, without the hash at its end. */
export function shortName(caller: string): string {
  return caller.replace(/(Function[0-9A-F]{0,8}|[0-9A-F]{8})$/, '');
}
