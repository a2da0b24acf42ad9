import { untilSignal } from 'cloud-assembly-runner';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { conform } from './conform';
import { rules, type RuleName } from './rules';

export interface Surroundings {
  /** How people start it. */
  readonly usage: string;
  /** A shell's word for the Python that has the packages of the sample adapter. */
  readonly python: () => string | Promise<string>;
  /**
   * Cloud assembly of the platform's bus.
   * @param folder where it can be written
   * @param withFleet whether the simulated fleet is on it
   */
  readonly assembly: (folder: string, withFleet: boolean) => string;
}

const help = `
Plays the service to a drone platform's adapter over a bus on this machine, and says which rules of platform.md it keeps.

  --adapter COMMAND    starts the adapter under test; default: the sample adapter. It is killed and started again. Its
                       environment has PLATFORM_BUS_ARN, ORGANISATION_ID, AWS_ENDPOINT_URL, region and credentials, and
                       STATE_FOLDER, an empty folder. It registers two devices or more, whose flights take five to ten seconds.
  --simulated-fleet    tests the simulated fleet instead
  --patience SECONDS   how long a job may take to begin, and all of them to end; default: 60
`;

/** Beside the folder of this file, and beside that of its bundle. */
const adapter = join(__dirname, '../sample-adapter/adapter.py');
const sampleAdapter = (python: string) =>
  `PYTHONDONTWRITEBYTECODE=1 exec ${python} "${adapter}" --organisation "$ORGANISATION_ID" --state "$STATE_FOLDER/adapter.db" --speed 4`;

/** The command line of the conformance run. */
export function runCommandLine({ usage, python, assembly }: Surroundings): void {
  untilSignal(async (stopped) => {
    const { values } = parseArgs({
      options: {
        adapter: { type: 'string' },
        'simulated-fleet': { type: 'boolean', default: false },
        patience: { type: 'string', default: '60' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(`Usage: ${usage}\n${help}`);
      return;
    }
    const withFleet = values['simulated-fleet'];
    const log = join(tmpdir(), `platform-conformance-${process.pid}.log`);
    const { breaches, untested } = await conform(
      {
        adapter: withFleet ? undefined : (values.adapter ?? sampleAdapter(await python())),
        assembly: (folder) => assembly(folder, withFleet),
        patience: Number(values.patience),
        log,
      },
      stopped,
    );
    for (const rule of Object.keys(rules) as RuleName[]) {
      const broken = breaches.filter((breach) => breach.rule === rule);
      const mark = broken.length > 0 ? '✗' : untested.includes(rule) ? '-' : '✓';
      console.log(`${mark} ${rule.padEnd(14)}${rules[rule]}`);
      for (const { what } of broken) console.log(`    ${what}`);
    }
    if (untested.length > 0) console.log(`Not tested: ${untested.join(', ')}.`);
    const count = new Set(breaches.map(({ rule }) => rule)).size;
    console.log(count === 0 ? 'All rules were kept.' : `${count} rules were broken. The adapter printed ${log}.`);
    if (count > 0) process.exitCode = 1;
  });
}
