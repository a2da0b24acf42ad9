import { decodeJwt } from 'jose';
import { fleetOf, givenJob } from '../api/given';
import { connectionsOf } from '../channels/changed-tokens';
import { seatsTaken } from '../channels/seats';
import { follow, type Socket } from '../channels/socket';
import { ask, openTelemetry, subscribeTo } from '../channels/telemetry-socket';
import { until } from '../channels/until';
import { injectFaults } from './inject-faults';
import { RECOVERED_WITHIN_MS, type Trial } from './trial';

const PAIRS = 6;

/** Lets sockets go on with a new token during a fault. Each goes on with one of its tokens, and none loses its seat. */
export const authenticateDuring: Trial = async (partner, faults) => {
  const { deviceId } = fleetOf(partner);
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
  return async () => {
    const isFree = async () => ((await seatsTaken(partner)) === 0 ? true : undefined);
    await until('releasing all seats', isFree, undefined, RECOVERED_WITHIN_MS);
  };
};
