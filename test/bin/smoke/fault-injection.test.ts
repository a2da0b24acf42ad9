import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { connect } from 'node:tls';
import { steps } from '../../../bin/smoke/steps';
import { clients } from '../../api/client';
import { startProxy, combined } from './proxy';
import { injectedFaults } from './injected-faults';
import { credentialsFile, smoke, stepsThat, type Outcome } from './smoke-run';
import { readFacts } from '../../api/stack/facts';

/** A proxy in front of the MQTT address of the stack under test: TLS upstream, plain TCP downstream. */
interface MqttProxy {
  readonly mqttUrl: string;
  close(): Promise<void>;
}

/** @param swap a word and its replacement of the same length, applied to everything that the broker sends */
async function startMqttProxy(swap?: readonly [word: string, other: string]): Promise<MqttProxy> {
  const { hostname, port } = new URL(readFacts().mqttUrl);
  const { caFile } = readFacts();
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const broker = connect({ host: hostname, port: Number(port), ...(caFile && { ca: readFileSync(caFile) }) });
    for (const socket of [client, broker]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        for (const each of [client, broker]) each.destroy();
      });
    }
    client.pipe(broker).pipe(swapping(swap)).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    mqttUrl: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A message is small enough for one chunk; with the same length the packet stays valid. */
const swapping = (swap?: readonly [word: string, other: string]) =>
  new Transform({
    transform(chunk: Buffer, _, done) {
      done(null, swap ? Buffer.from(chunk.toString('latin1').replaceAll(...swap), 'latin1') : chunk);
    },
  });

const all = clients('sabotage');
const narrow = all.at(-1) ?? all[0];
/** Per run a client creates 3 jobs of its 60 and a share of its 30 a minute; one client is rate-limited at the end. */
const [limited, ...others] = all.slice(0, -1);

/** Later steps depend on these, so each fails in a run of its own. */
const prerequisites = ['token', 'resources', 'create a mission', 'create a job', 'create a share'];
const LIMIT = '429 beyond the limit';
const RUNS = 6;

const names = Object.keys(injectedFaults);
const independent = names.filter((name) => name !== LIMIT && !prerequisites.includes(name));
/** The failing steps of each run; adjacent steps, which concern the same resource, fail in different runs. */
const runs = [
  ...[...prerequisites, LIMIT].map((name) => [name]),
  ...Array.from({ length: RUNS }, (_, run) => independent.filter((_, index) => index % RUNS === run)),
];

/** Runs the smoke test through proxies that inject faults. */
async function runWith(failing: readonly string[], run: number): Promise<Outcome> {
  const limits = failing.includes(LIMIT);
  const client = limits ? limited : others[run % others.length];
  const fault = combined(failing.map((name) => injectedFaults[name]?.[0]() ?? {}));
  const [proxy, mqtt] = [await startProxy(fault), await startMqttProxy(fault.mqtt)];
  try {
    const { baseUrl, wsUrl } = proxy;
    const urls = ['--base-url', baseUrl, '--ws-url', wsUrl, '--mqtt-url', mqtt.mqttUrl];
    const spared = limits ? [] : ['--without', 'limits'];
    return await smoke(['--credentials', credentialsFile(client ?? narrow, narrow), ...urls, ...spared]);
  } finally {
    await Promise.all([proxy.close(), mqtt.close()]);
  }
}

describe('A faulty service', () => {
  test('has an injected fault for every step', () => {
    expect(names).toEqual([...steps.map(({ name }) => name), 'clean-up']);
    expect(runs.flat().toSorted()).toEqual(names.toSorted());
  });

  test.concurrent.each(runs.map((failing, run) => [failing.join('», «'), failing, run] as const))(
    'fails at «%s» only',
    async (_, failing, run) => {
      const outcome = await runWith(failing, run);
      expect(stepsThat('FAIL', outcome)).toEqual(failing);
      for (const name of failing) {
        const line = outcome.lines.find((one) => one.startsWith(`FAIL  ${name}:`));
        expect(line).toMatch(injectedFaults[name]?.[1] ?? /^$/);
      }
      expect(outcome.exitCode).toBe(1);
    },
  );
});
