import { parseArgs } from 'node:util';
import { resolve } from 'node:path';
import { flags, optionsFrom, run, untilSignal } from './index';

/** `npm start -- --app cdk.out`: runs a synthesised app. */
untilSignal(async (stopped) => {
  const { values } = parseArgs({ options: flags });
  if (values.app === undefined) throw new Error('Name the folder of a synthesised app: --app cdk.out.');
  await run(
    {
      ...optionsFrom(values, process.env, '.local'),
      assembly: resolve(values.app),
      prepare: ({ outputs }) => Promise.resolve({ outputs }),
      ready: (facts) => console.log(JSON.stringify(facts, null, 2)),
    },
    stopped,
  );
});
