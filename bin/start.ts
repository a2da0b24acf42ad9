import { join, resolve } from 'node:path';
import { flags, optionsFrom, run, untilSignal, flagsHelp } from 'cloud-assembly-runner';
import { createProgress } from './command-line/progress';
import { readOptions } from './command-line/read-options';
import { banner } from './start/banner';
import { writeDemoEnvironment } from './start/stack-facts';
import { startDemoFlight } from './start/demo-flight';
import { addDemoPartners } from './start/demo-partners';
import { lateFiles } from './start/late-files';
import { buildFirst } from './start/late-functions';
import { root } from './start/synthesis';

/** What `npm start -- --help` prints. */
const help = `Synthesises the app and runs the whole service on this machine until Ctrl-C, with demo partners and a simulated fleet.

npm start
npm start -- [options]

${flagsHelp}
  --no-fleet            no simulated fleet: report the status of jobs yourself
  --fleet-speed FACTOR  how many times faster than a real drone the fleet flies (default: 1)
  --fleet-rest SECONDS  between two status reports of a drone at rest (default: 10)
  --help

Environment: LOCAL_DIR (default: .local), PORT (3000), WS_PORT (3001), IDENTITY_PORT (3443), MQTT_PORT (8883), AWS_PORT (as at the last start).
.local/stack.json has the addresses and the demo partners' credentials while it runs.
`;

/** Flags of the simulated fleet, for `parseArgs` of `node:util`. */
const fleetFlags = {
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
function cdkContext(values: Values): { folder: string; context: Readonly<Record<string, string>> } {
  const { 'no-fleet': withoutFleet, 'fleet-speed': speed, 'fleet-rest': rest } = values;
  if (withoutFleet) return { folder: 'no-fleet', context: {} };
  const context = { simulatedFleet: 'true', simulatedFleetSpeed: speed, simulatedFleetRest: rest };
  return { folder: `fleet-${speed}-${rest}`, context: context };
}

/** Origins of the docs site, where endpoints can be tried: CloudFront's address, by either name of this machine. */
const docsOrigins = (wsPort: number) => ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${wsPort}`);

/** `npm start`: synthesises the app and runs it on this machine until Ctrl-C. */
untilSignal(async (stopped) => {
  const values = readOptions(process.argv.slice(2), { ...flags, ...fleetFlags, help: { type: 'boolean' } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const { folder, context } = cdkContext(values);
  const defaultFolder = join(root, '.local');
  const options = optionsFrom(values, process.env, defaultFolder);
  const progress = createProgress(process.stderr);
  stopped.addEventListener('abort', () => progress.waitFor('stopping, which takes some seconds'));
  let noFlight: string | undefined;
  let show: () => void = () => undefined;
  const shown = new Promise<void>((resolve) => (show = resolve));
  await run(
    {
      ...options,
      corsOrigins: docsOrigins(options.ports.wsPort),
      assembly(signal) {
        if (values.app !== undefined) return Promise.resolve(resolve(values.app));
        progress.waitFor('building the app, which takes some seconds the first time');
        return buildFirst(folder, context, signal).then((assembly) => {
          progress.waitFor('starting it');
          return assembly;
        });
      },
      async prepare(stack, ending) {
        progress.waitFor('onboarding the demo partners');
        const facts = await addDemoPartners(stack, ending);
        const flight = values['no-fleet'] ? undefined : await startDemoFlight(stack.baseUrl, facts.partners[0], ending);
        if (flight && 'reason' in flight) noFlight = flight.reason;
        const all = { ...facts, demoFlightUrl: flight && 'url' in flight ? flight.url : null };
        writeDemoEnvironment(options.folder, { ...stack, ...all });
        return all;
      },
      ready(facts) {
        progress.end();
        show();
        console.log(banner(facts, { ...options, isDefaultFolder: options.folder === defaultFolder, noFlight }));
      },
      ...(values.app === undefined && { complete: lateFiles(shown) }),
    },
    stopped,
  ).finally(() => progress.end());
});
