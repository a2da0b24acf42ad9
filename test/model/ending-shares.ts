import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from './caller';
import { followShare, type Connections } from './channel-operations';
import type { HistoryRecorder } from './history-recorder';
import type { Operation } from './operations';
import { createShare, revoke } from './share-operations';
import { watch } from './telemetry-operations';

type Input = Extract<Operation, { name: 'end watched share' }>['input'];

/** A number of viewers is sent about a second after one of them has connected, in ms. */
const COUNTED_AFTER_MS = 1000;

/** Creates a share that partners follow and viewers watch, and revokes it about when its followers are told how many watch. */
export async function endWatchedShare(
  recorder: HistoryRecorder,
  connections: Connections,
  caller: Caller,
  { device, viewers, afterMs }: Input,
): Promise<void> {
  const share = await createShare(recorder, caller, { whose: 'own', device, maxViewers: 3 });
  if (!share || !caller.hasScope('share:read')) return;
  await followShare(recorder, connections, caller, share);
  await Promise.all(Array.from({ length: viewers }, () => watch(recorder, caller, share)));
  await pause(COUNTED_AFTER_MS + afterMs);
  await revoke(recorder, caller, share);
}
