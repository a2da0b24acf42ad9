import { steps } from '../../../bin/smoke/steps';
import { clients } from '../../api/client';
import { startMqttProxy } from './mqtt-proxy';
import { startProxy } from './proxy';
import type { Sabotage } from './sabotage';
import { sabotages } from './sabotages';
import { credentialsFile, smoke, stepsThat, type Outcome } from './smoke-run';

const all = clients('sabotage');
const narrow = all.at(-1) ?? all[0];
/** Each creates 3 jobs of its 60 and a share of its 30 a minute in each run, and one is limited at the end of it. */
const [limited, ...others] = all.slice(0, -1);

let turn = 0;

/** The whole story, told through proxies that change what the service says. */
async function tellWith(name: string, sabotage: Sabotage): Promise<Outcome> {
  const client = name.startsWith('429') ? limited : others[++turn % others.length];
  const [proxy, mqtt] = [await startProxy(sabotage), await startMqttProxy(sabotage.mqtt)];
  try {
    const { baseUrl, wsUrl } = proxy;
    const urls = ['--base-url', baseUrl, '--ws-url', wsUrl, '--mqtt-url', mqtt.mqttUrl];
    const spared = name.startsWith('429') ? [] : ['--without', 'limits'];
    return await smoke(['--credentials', credentialsFile(client ?? narrow, narrow), ...urls, ...spared]);
  } finally {
    await Promise.all([proxy.close(), mqtt.close()]);
  }
}

describe('A service that says one thing wrong', () => {
  test('is found out at every step.', () => {
    expect(Object.keys(sabotages)).toEqual([...steps.map(({ name }) => name), 'clean-up']);
  });

  test.concurrent.each(Object.entries(sabotages))(
    'fails at the step «%s», and at no other.',
    async (name, sabotage) => {
      const [make, complaint] = sabotage;
      const outcome = await tellWith(name, make());
      expect(stepsThat('FAIL', outcome)).toEqual([name]);
      expect(outcome.lines.find((line) => line.startsWith('FAIL'))).toMatch(complaint);
      expect(outcome.exitCode).toBe(1);
    },
  );
});
