import type { FaultsFile } from 'cloud-assembly-runner';
import { decodeJwt } from 'jose';
import { clients } from '../api/client';
import { fleetOf, givenJob } from '../api/given';
import { connectionsOf } from '../channels/changed-tokens';
import { seatsTaken } from '../channels/seats';
import { follow, type Socket } from '../channels/socket';
import { ask, openTelemetry, subscribeTo } from '../channels/telemetry-socket';
import { until } from '../channels/until';
import { RECOVERED_WITHIN_MS } from './drill';
import { injectFaults } from './inject-faults';

const [partner] = clients('authenticate-faults');
const { deviceId } = fleetOf(partner);
const PAIRS = 6;

const cases: [string, FaultsFile][] = [
  ['DynamoDB throttles', { dynamodb: { throttled: 0.7 } }],
  ['DynamoDB is down', { dynamodb: { down: true } }],
];

test.each(cases)('while %s, each socket goes on with one of its tokens, and none loses its seat', async (_, faults) => {
  const { jobId } = await givenJob(partner);
  const opened: Socket[] = [];
  for (let count = 0; count < PAIRS; count++) {
    const telemetry = await openTelemetry(partner);
    await subscribeTo(telemetry, { deviceId });
    opened.push(await follow(partner, { kind: 'job', id: jobId }), telemetry);
  }
  await Promise.all(opened.map((socket) => socket.first(1)));
  const [first, second] = [await partner.token(), await partner.newToken()];

  injectFaults(faults);
  const answers = await Promise.all(opened.map((socket) => ask(socket, { action: 'authenticate', token: second })));
  injectFaults({});

  for (const answer of answers) expect(['authenticated', 'internal_error']).toContain(answer['code'] ?? answer['type']);
  const ends = (await connectionsOf(partner)).map(({ expiresAt }) => expiresAt);
  for (const end of ends) expect([first, second].map((token) => decodeJwt(token).exp)).toContain(end);
  expect(await seatsTaken(partner)).toBe(opened.length);
  const again = await Promise.all(opened.map((socket) => ask(socket, { action: 'authenticate', token: second })));
  expect(again.map((answer) => answer['type'])).toEqual(opened.map(() => 'authenticated'));
  await Promise.all(opened.map((socket) => socket.close()));
  const isFree = async () => ((await seatsTaken(partner)) === 0 ? true : undefined);
  await until('releasing all seats', isFree, undefined, RECOVERED_WITHIN_MS);
});
