import { steps } from '../../../bin/smoke/steps';
import { clients } from '../../api/client';
import { startMqttProxy } from './mqtt-proxy';
import { startProxy } from './proxy';
import { together } from './sabotage';
import { sabotages } from './sabotages';
import { credentialsFile, smoke, stepsThat, type Outcome } from './smoke-run';

const all = clients('sabotage');
const narrow = all.at(-1) ?? all[0];
/** Each creates 3 jobs of its 60 and a share of its 30 a minute in each run, and one is limited at the end of it. */
const [limited, ...others] = all.slice(0, -1);

/** Where these fail, steps after them have nothing to work with. */
const alone = ['token', 'resources', 'create a job', 'create a share'];
const LIMIT = '429 beyond the limit';
const TOGETHER = 6;

const names = Object.keys(sabotages);
const independent = names.filter((name) => name !== LIMIT && !alone.includes(name));
/** Steps that fail in one run; neighbours, which talk of the same things, fail in different ones. */
const runs = [
  ...[...alone, LIMIT].map((name) => [name]),
  ...Array.from({ length: TOGETHER }, (_, run) => independent.filter((_, index) => index % TOGETHER === run)),
];

/** The whole story, told through proxies that change what the service says. */
async function tellWith(failing: readonly string[], run: number): Promise<Outcome> {
  const limits = failing.includes(LIMIT);
  const client = limits ? limited : others[run % others.length];
  const sabotage = together(failing.map((name) => sabotages[name]?.[0]() ?? {}));
  const [proxy, mqtt] = [await startProxy(sabotage), await startMqttProxy(sabotage.mqtt)];
  try {
    const { baseUrl, wsUrl } = proxy;
    const urls = ['--base-url', baseUrl, '--ws-url', wsUrl, '--mqtt-url', mqtt.mqttUrl];
    const spared = limits ? [] : ['--without', 'limits'];
    return await smoke(['--credentials', credentialsFile(client ?? narrow, narrow), ...urls, ...spared]);
  } finally {
    await Promise.all([proxy.close(), mqtt.close()]);
  }
}

describe('A service that says something wrong', () => {
  test('is found out at every step.', () => {
    expect(names).toEqual([...steps.map(({ name }) => name), 'clean-up']);
    expect(runs.flat().toSorted()).toEqual(names.toSorted());
  });

  test.concurrent.each(runs.map((failing, run) => [failing.join('», «'), failing, run] as const))(
    'fails at «%s», and nowhere else.',
    async (_, failing, run) => {
      const outcome = await tellWith(failing, run);
      expect(stepsThat('FAIL', outcome)).toEqual(failing);
      for (const name of failing) {
        const line = outcome.lines.find((one) => one.startsWith(`FAIL  ${name}:`));
        expect(line).toMatch(sabotages[name]?.[1] ?? /^$/);
      }
      expect(outcome.exitCode).toBe(1);
    },
  );
});
