import { statusChannels } from './channels';
import { coldStart } from './cold-start';
import { docsSite } from './docs-site';
import { engineSoak } from './engine-soak';
import { eventLog } from './event-log';
import type { Measured, Measurement } from './figure';
import { fanOutCeiling } from './fan-out-ceiling';
import { fleetSoak } from './fleet-soak';
import { isolation } from './isolation';
import { jobTrack } from './job-track';
import { pageAmongMany } from './page-among-many';
import { platformIntegration } from './platform';
import { requestOverhead } from './request-overhead';
import { startUp } from './start-up';
import { endStorage } from './storage';
import { steadyLoad } from './steady-load';
import { storeCalls } from './store-calls';
import { telemetry } from './telemetry';

/** All measurements by name, in the order in which they run. */
const measurements: Readonly<Record<string, Measurement>> = {
  'store-calls': storeCalls,
  'start-up': startUp,
  'cold-start': coldStart,
  'docs-site': docsSite,
  'request-overhead': requestOverhead,
  'engine-soak': engineSoak,
  'page-among-many': pageAmongMany,
  'job-track': jobTrack,
  'status-channels': statusChannels,
  'event-log': eventLog,
  'fan-out-ceiling': fanOutCeiling,
  telemetry,
  platform: platformIntegration,
  isolation,
  'steady-load': steadyLoad,
  'fleet-soak': fleetSoak,
};

/** `npm run bench [-- <name>…]`: runs all or the named measurements, and fails when a value exceeds its limit. */
async function main(names: readonly string[]): Promise<void> {
  const wanted = names.length > 0 ? names : Object.keys(measurements);
  const unknown = wanted.filter((name) => !Object.hasOwn(measurements, name));
  if (unknown.length > 0)
    throw new Error(`No ${unknown.join(', ')}: there are ${Object.keys(measurements).join(', ')}`);
  const results: Measured[] = [];
  for (const name of wanted) {
    console.error(`Measuring ${name}`);
    results.push(...((await measurements[name]?.()) ?? []));
  }
  print(results);
  if (!results.every(({ ok }) => ok)) process.exitCode = 1;
}

function print(results: readonly Measured[]): void {
  const rows = results.map(({ figure, measured, mustBe, ok }) => [figure, measured, mustBe, ok ? 'ok' : 'OVER']);
  const lines = [['figure', 'measured', 'must be', ''], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

main(process.argv.slice(2))
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  })
  .finally(endStorage);
