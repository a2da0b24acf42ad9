/** Flags of the simulated fleet, for `parseArgs` of `node:util`. */
export const fleetFlags = {
  /** Disables the fleet. */
  'no-fleet': { type: 'boolean', default: false },
  /** Flight speed as a multiple of a real drone's. */
  'fleet-speed': { type: 'string', default: '1' },
  /** Seconds between two status reports of an idle device. */
  'fleet-rest': { type: 'string', default: '10' },
} as const;

interface Values {
  readonly 'no-fleet': boolean;
  readonly 'fleet-speed': string;
  readonly 'fleet-rest': string;
}

/**
 * CDK context from the flags, and the folder below `cdk.out` for the app with that context. Each context has its own folder,
 * so that switching between them does not synthesise the app again.
 */
export function cdkContext(values: Values): { folder: string; context: Readonly<Record<string, string>> } {
  const { 'no-fleet': withoutFleet, 'fleet-speed': speed, 'fleet-rest': rest } = values;
  if (withoutFleet) return { folder: 'no-fleet', context: {} };
  const context = { simulatedFleet: 'true', simulatedFleetSpeed: speed, simulatedFleetRest: rest };
  return { folder: `fleet-${speed}-${rest}`, context: context };
}
