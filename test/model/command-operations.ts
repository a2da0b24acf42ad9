import { randomUUID } from 'node:crypto';
import { type Caller, callChecked, expectStatus } from './caller';
import type { KeyedCommand } from './air';
import { openViewer } from './telemetry-socket';
import type { Operation } from './operations';
import type { HistoryRecorder } from './history-recorder';

type Input<Name extends Operation['name']> = Extract<Operation, { name: Name }>['input'];

const place = { type: 'Point', coordinates: [8.5417, 47.3769] };
/** So soon an unanswered command has timed out. */
const TIMEOUT_S = 5;

const bodyOf = (name: string) => ({
  name,
  ...(name === 'GO_TO' && { position: place }),
  ...(name === 'GIMBAL' && { pitch: -30 }),
});

/** Sends a command, and with a key several times at once; later ones may repeat it. */
export async function sendCommands(
  recorder: HistoryRecorder,
  { device, name, client, repeat, atOnce }: Input<'send command'>,
): Promise<void> {
  const { callers, deviceIds, keyed } = recorder.air;
  const caller = callers[client % callers.length];
  const deviceId = deviceIds[device % deviceIds.length];
  if (!caller || deviceId === undefined) return;
  const earlier = repeat ? keyed.findLast((one) => one.clientId === caller.clientId) : undefined;
  const command = earlier ?? { clientId: caller.clientId, key: randomUUID(), deviceId, name };
  if (atOnce > 1 && !earlier) keyed.push(command);
  const isKeyed = earlier !== undefined || atOnce > 1;
  await Promise.all(Array.from({ length: atOnce }, () => sendCommand(recorder, caller, command, isKeyed)));
}

async function sendCommand(
  recorder: HistoryRecorder,
  caller: Caller,
  { key, deviceId, name }: KeyedCommand,
  isKeyed: boolean,
): Promise<void> {
  const label = `${caller.name} tells ${name}${isKeyed ? ` with key ${key}` : ''}`;
  const start = Date.now();
  const answer = await callChecked(recorder, caller, label, 'command:control', () =>
    caller.call('POST', `/v3/devices/${deviceId}/commands`, {
      body: { ...bodyOf(name), timeoutSeconds: TIMEOUT_S },
      headers: isKeyed ? { 'idempotency-key': key } : {},
    }),
  );
  if (!answer) return;
  // One device, told by many at once: it asks to try again.
  if (answer.status === 429) return;
  expectStatus(recorder, label, answer, 202, 409);
  const { commandId } = (answer.body['command'] ?? {}) as { readonly commandId?: string };
  const sent = { label: `${label} → ${answer.status}`, deviceId, name, start, end: Date.now(), commandId };
  recorder.air.sent.push({ ...sent, key: isKeyed ? key : undefined });
}

/** Shares a device, lets a viewer command it, and revokes the share meanwhile. */
export async function steerAsViewer(
  recorder: HistoryRecorder,
  { device, names, isRevokedMeanwhile }: Input<'steer as viewer'>,
): Promise<void> {
  const { callers, deviceIds, revoked, sent } = recorder.air;
  const caller = callers[0];
  const deviceId = deviceIds[device % deviceIds.length];
  if (!caller || deviceId === undefined) return;
  const label = `${caller.name} lets a viewer steer`;
  const answer = await callChecked(recorder, caller, label, 'stream:share', () =>
    caller.call('POST', '/v3/streams/share', {
      body: { resourceId: deviceId, shareType: 'DEVICE_STATUS', permissions: ['view', 'control'] },
    }),
  );
  if (!answer || answer.status === 429) return;
  expectStatus(recorder, label, answer, 201);
  const { shareCode } = answer.body['share'] as { readonly shareCode: string };
  const viewer = await openViewer(recorder, shareCode);
  if (typeof viewer === 'number') {
    recorder.addViolation(label, `the viewer was refused with ${viewer}`);
    return;
  }
  const tell = async (name: string) => {
    const start = Date.now();
    const reply = await viewer.request({ action: 'control', command: bodyOf(name) });
    const end = Date.now();
    const [commandId, error] = [reply['requestId'], reply['error'] ?? reply['code']];
    const told = { label: `a viewer tells ${name} → ${String(error ?? reply['type'])}`, deviceId, name, start, end };
    const isRefused = error === 'cannot_command';
    const revokedAt = revoked.get(shareCode);
    if (typeof commandId === 'string') {
      if (revokedAt !== undefined && revokedAt.end < start)
        recorder.addViolation(told.label, 'after the share had ended');
      sent.push({ ...told, key: undefined, shareCode, commandId });
    } else if (isRefused) sent.push({ ...told, key: undefined, shareCode, commandId: undefined });
    else if (revokedAt === undefined) recorder.addViolation(told.label, JSON.stringify(reply));
  };
  const revoke = async () => {
    const start = Date.now();
    revoked.set(shareCode, { start, end: Infinity });
    const gone = await callChecked(recorder, caller, label, 'share:manage', () =>
      caller.call('DELETE', `/v3/shares/${shareCode}`),
    );
    if (gone) expectStatus(recorder, label, gone, 200);
    revoked.set(shareCode, { start, end: Date.now() });
  };
  // The socket is closed by the revocation, also before an answer.
  const telling = names.map((name) => Promise.race([tell(name), viewer.socket.closed]));
  if (!isRevokedMeanwhile) await Promise.all(telling);
  await Promise.all([...telling, revoke()]);
  viewer.socket.close();
}
