import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { flags, optionsFrom, run, untilSignal } from 'cloud-assembly-runner';
import { banner } from './start/banner';
import { writeDemoEnvironment } from './start/demo-environment';
import { addDemoPartners } from './start/demo-partners';
import { cdkContext, fleetFlags } from './start/fleet-flags';
import { root, synthesiseApp } from './start/synthesis';

/** Origins of the docs site, where endpoints can be tried: CloudFront's address, by either name of this machine. */
const docsOrigins = (wsPort: number) => ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${wsPort}`);

/** `npm start`: synthesises the app and runs it on this machine until Ctrl-C. */
untilSignal(async (stopped) => {
  const { values } = parseArgs({ options: { ...flags, ...fleetFlags } });
  const { folder, context: context } = cdkContext(values);
  const options = optionsFrom(values, process.env, join(root, '.local'));
  await run(
    {
      ...options,
      corsOrigins: docsOrigins(options.ports.wsPort),
      assembly: values.app === undefined ? (signal) => synthesiseApp(folder, context, signal) : resolve(values.app),
      async prepare(stack, ending) {
        const facts = await addDemoPartners(stack, ending);
        writeDemoEnvironment(options.folder, { ...stack, ...facts });
        return facts;
      },
      ready: (facts) => console.log(banner(facts, options.memory ? undefined : options.folder)),
    },
    stopped,
  );
});
