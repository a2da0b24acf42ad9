import { untilSignal } from 'cloud-assembly-runner';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { pythonWith } from '../test/outsiders/install/python';
import { conform } from './conform';
import { rules, type RuleName } from './rules';

const help = `Usage: npm run platform-conformance -- [options]

Plays the service to a drone platform's adapter over a bus on this machine, and says which rules of docs/platform.md it keeps.

  --adapter COMMAND    starts the adapter under test; default: the sample adapter. It is killed and started again. Its
                       environment has PLATFORM_BUS_ARN, ORGANISATION_ID, AWS_ENDPOINT_URL, region and credentials, and
                       STATE_FOLDER, an empty folder. It registers two devices or more, whose flights take five to ten seconds.
  --simulated-fleet    tests the simulated fleet instead
  --patience SECONDS   how long a job may take to begin, and all of them to end; default: 60
`;

const sample = join(__dirname, '../examples/platform-adapter');

/** The sample adapter with the packages that it needs. @throws NotInstalled */
async function sampleAdapter(): Promise<string> {
  const python = await pythonWith('platform-adapter', join(sample, 'requirements.txt'));
  return `PYTHONDONTWRITEBYTECODE=1 exec ${python} ${sample}/adapter.py --organisation "$ORGANISATION_ID" --state "$STATE_FOLDER/adapter.db" --speed 4`;
}

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
    process.stdout.write(help);
    return;
  }
  const adapter = values['simulated-fleet'] ? undefined : (values.adapter ?? (await sampleAdapter()));
  const log = join(tmpdir(), `platform-conformance-${process.pid}.log`);
  const { breaches, untested } = await conform({ adapter, patience: Number(values.patience), log }, stopped);
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
