import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { broadcastProtocol, shareProtocols } from '../../../contract/shares/viewer-protocol';
import { TELEMETRY_PATH } from '../../../contract/websocket-actions';
import type { Measured } from './figure';
import type { LocalStack } from './local-stack';
import type { ChannelClient } from './many-clients';

const VIEWERS = 1000;
/** Handshakes that are open at the same time. */
const AT_ONCE = 100;
const MAX_IN_S = 10;
const MAX_OUT_S = 5;
const MAX_SEAT_UNITS = 4;
/** DynamoDB developer guide, "Best practices for designing and using partition keys effectively". */
const PARTITION_UNITS = 1000;
/** A socket that nobody has closed by then stays open. */
const OUT_LIMIT_MS = 60_000;
/** Until the functions of closed sockets have run. */
const SETTLING_MS = 10_000;

/** What a partition key was charged with, as the stack tells it. */
interface PartitionUse {
  readonly table: string;
  readonly partitionKey: string;
  readonly writeUnits: number;
  readonly throttled: number;
}

async function partitionsOf({ access }: LocalStack): Promise<readonly PartitionUse[]> {
  const headers = { authorization: `Bearer ${access.accessKeyId}` };
  const response = await fetch(`${access.endpointUrl}/_statistics/dynamodb`, { headers });
  return (await response.json()) as PartitionUse[];
}

const total = (uses: readonly PartitionUse[]) => uses.reduce((sum, { writeUnits }) => sum + writeUnits, 0);
const seatsIn = (uses: readonly PartitionUse[]) =>
  total(uses.filter(({ table, partitionKey }) => table.includes('Connections') && partitionKey.includes('"seats#')));

/** The partition key that most was written to between two looks, and how long DynamoDB takes for that at least. */
function hottest(before: readonly PartitionUse[], after: readonly PartitionUse[]) {
  const known = new Map(before.map(({ table, partitionKey, writeUnits }) => [table + partitionKey, writeUnits]));
  const grown = after.map((use) => ({
    ...use,
    units: use.writeUnits - (known.get(use.table + use.partitionKey) ?? 0),
  }));
  const [first] = grown.toSorted((one, other) => other.units - one.units);
  const name = /"S":"([a-z]+)#/.exec(first?.partitionKey ?? '')?.[1] ?? first?.table ?? '';
  const seconds = (first?.units ?? 0) / PARTITION_UNITS;
  return { seconds, text: `${seconds.toFixed(1)} s for ${Math.round(first?.units ?? 0)} units of ${name}` };
}

/** Opens a viewer's socket. @returns its socket, or the status that refused it */
function enter(wsUrl: string, shareCode: string): Promise<WebSocket | number> {
  const protocols = [...Object.values(shareProtocols), broadcastProtocol];
  const socket = new WebSocket(`${wsUrl}${TELEMETRY_PATH}?shareCode=${shareCode}`, protocols);
  return new Promise((resolve) => {
    socket.once('open', () =>
      resolve(socket.protocol === 'share' || socket.protocol === broadcastProtocol ? socket : 429),
    );
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('error', () => resolve(0));
  });
}

/** A thousand viewers come at once, and leave at once when their share is revoked. The stack has AWS's quotas. */
export async function viewerRush(stack: LocalStack, client: ChannelClient, deviceId: string): Promise<Measured[]> {
  const wsUrl = stack.facts.wsUrl ?? '';
  const share = await client.api.shares.create({
    resourceId: deviceId,
    shareType: 'DEVICE_STATUS',
    maxViewers: VIEWERS,
  });
  const start = await partitionsOf(stack);
  const begin = performance.now();
  const results: (WebSocket | number)[] = [];
  let left = VIEWERS;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) results.push(await enter(wsUrl, share.shareCode));
    }),
  );
  const inS = (performance.now() - begin) / 1000;
  await pause(SETTLING_MS);
  const open = results.filter((result) => result instanceof WebSocket);
  const statuses = results.filter((result) => typeof result === 'number');
  const entered = await partitionsOf(stack);
  let out = 0;
  const closed = open.map((socket) => new Promise((resolve) => socket.once('close', resolve)).then(() => (out += 1)));
  const revoke = performance.now();
  const revoked = client.api.shares.revoke(share.shareCode).then(
    () => 'answered',
    (error: unknown) => String(error),
  );
  const answer = revoked.then((how) => `${how} after ${((performance.now() - revoke) / 1000).toFixed(1)} s`);
  await Promise.race([Promise.all(closed), pause(OUT_LIMIT_MS)]);
  const outS = (performance.now() - revoke) / 1000;
  const answered = await answer;
  await pause(SETTLING_MS);
  const gone = await partitionsOf(stack);
  const seatUnits = seatsIn(entered) - seatsIn(start);
  const coming = hottest(start, entered);
  const leaving = hottest(entered, gone);
  const failed = statuses.filter((status) => status >= 500 || status === 0).length;
  return [
    {
      figure: `${VIEWERS} viewers of a share come, ${AT_ONCE} handshakes at a time: by the most written partition`,
      measured: `${open.length} in, ${coming.text}; ${inS.toFixed(1)} s with the processors of this machine`,
      mustBe: `all within ${MAX_IN_S} s`,
      ok: open.length === VIEWERS && coming.seconds <= MAX_IN_S,
    },
    {
      figure: 'handshakes that end in 5xx',
      measured: `${failed} of ${VIEWERS}`,
      mustBe: 'none',
      ok: failed === 0,
    },
    {
      figure: 'write units of a handshake for the seat',
      measured: (seatUnits / VIEWERS).toFixed(2),
      mustBe: `at most ${MAX_SEAT_UNITS}`,
      ok: seatUnits / VIEWERS <= MAX_SEAT_UNITS,
    },
    {
      figure: `revoke → ${open.length} viewers are out: by the most written partition`,
      measured: `${out} out, ${leaving.text}; ${outS.toFixed(1)} s with the processors of this machine; ${answered}`,
      mustBe: `within ${MAX_OUT_S} s`,
      ok: out === VIEWERS && leaving.seconds <= MAX_OUT_S && answered.startsWith('answered'),
    },
    {
      figure: 'write units for seats after the revoke',
      measured: String(Math.round(seatsIn(gone) - seatsIn(entered))),
      mustBe: 'at most 50',
      ok: seatsIn(gone) - seatsIn(entered) <= 50,
    },
  ];
}
