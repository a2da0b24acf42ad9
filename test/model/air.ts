import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { isEnded, type CommandReason, type CommandStatus } from '../../domain/commands/command-lifecycle';
import { makePlatformQueue, publishPlatformEvent } from '../channels/platform-bus';
import type { Caller } from './caller';
import {
  commandViolations,
  type CommandChange,
  type CommandHistory,
  type HeardCommand,
  type ReportedOutcome,
  type SentCommand,
  type StoredCommand,
} from './command-violations';
import type { Organisation } from './organisations';

/** A command that was sent with a key, and may be sent again. */
export interface KeyedCommand {
  readonly clientId: string;
  readonly key: string;
  readonly deviceId: string;
  readonly name: string;
}

/** Devices in flight, an organisation of its own, and what has happened with their commands in all batches. */
export interface Air {
  readonly organisation: Organisation;
  readonly deviceIds: readonly string[];
  readonly keyed: KeyedCommand[];
  readonly sent: SentCommand[];
  readonly heard: HeardCommand[];
  readonly reported: ReportedOutcome[];
  readonly changes: CommandChange[];
  readonly revoked: Map<string, { readonly start: number; readonly end: number }>;
  /** Of the feed, where reading it goes on. */
  cursor: string;
}

export const newAir = (organisation: Organisation, deviceIds: readonly string[]): Air => ({
  organisation,
  deviceIds,
  keyed: [],
  sent: [],
  heard: [],
  reported: [],
  changes: [],
  revoked: new Map(),
  cursor: 'oldest',
});

/** The drone platform of the devices in flight. */
export interface AirPlatform {
  /** Whether it has reported all that it is going to. */
  isQuiet(): boolean;
  close(): Promise<void>;
}

const event = z.object({
  time: z.iso.datetime(),
  'detail-type': z.string(),
  detail: z.looseObject({}),
});
const requested = z.object({
  commandId: z.string(),
  deviceId: z.string(),
  sequence: z.int(),
  startBefore: z.string(),
  endBefore: z.string(),
});
type Requested = z.output<typeof requested>;

/** How long after the end of a command what is late comes, in ms. */
const LATE_BY_MS = 1500;

type Answer = 'done' | 'failed' | 'twice' | 'late' | 'silent';
const ANSWERS: readonly Answer[] = ['done', 'failed', 'done', 'twice', 'done', 'late', 'done', 'silent'];

/**
 * Takes the commands from the bus by the rules of docs/platform.md, "Control", and answers some well, some badly, and
 * some never.
 */
export async function flyInAir({ deviceIds, heard, reported }: Air): Promise<AirPlatform> {
  const queue = await makePlatformQueue(`model-air-${process.pid}`);
  const lastTaken = new Map<string, number>();
  const known = new Set<string>();
  const answering = new Set<Promise<void>>();
  let isClosed = false;

  async function report({ commandId, deviceId }: Requested, outcome: CommandStatus, reason?: CommandReason) {
    const now = new Date();
    reported.push({ commandId, outcome, sentAt: now.getTime() });
    const detail = { requestId: commandId, deviceId, outcome, reason, at: now.toISOString() };
    await publishPlatformEvent('control.outcome.reported', detail, now);
  }

  async function answer(command: Requested): Promise<void> {
    const { deviceId, sequence, startBefore, endBefore } = command;
    if (sequence <= (lastTaken.get(deviceId) ?? 0)) return report(command, 'REFUSED', 'OUT_OF_ORDER');
    if (Date.now() >= Date.parse(startBefore)) return report(command, 'REFUSED', 'TOO_LATE');
    lastTaken.set(deviceId, sequence);
    const how = ANSWERS[sequence % ANSWERS.length];
    if (how === 'silent') return;
    if (sequence % 3 === 0) await report(command, 'DELIVERED');
    if (how === 'late') await pause(Date.parse(endBefore) - Date.now() + LATE_BY_MS);
    await report(command, how === 'failed' ? 'FAILED' : 'DONE');
    if (how === 'twice') await report(command, 'DONE');
  }

  async function listen(): Promise<void> {
    while (!isClosed) {
      for (const message of await queue.take(1)) {
        const { time, detail, ...rest } = event.parse(message);
        if (rest['detail-type'] !== 'control.requested') continue;
        const command = requested.parse(detail);
        const { commandId, deviceId, sequence } = command;
        if (!deviceIds.includes(deviceId)) continue;
        heard.push({ commandId, deviceId, sequence, publishedAt: Date.parse(time) });
        if (known.has(commandId)) continue;
        known.add(commandId);
        const answered = answer(command).finally(() => answering.delete(answered));
        answering.add(answered);
      }
    }
  }
  const listening = listen();
  return {
    isQuiet: () => answering.size === 0,
    async close() {
      isClosed = true;
      await listening;
      await queue.remove();
    },
  };
}

const PAGE = 100;
/** Timeout of what must come by itself, in ms: a command of five seconds, and what is late, on a busy machine. */
const ENDED_WITHIN_MS = 40_000;
const POLL_EVERY_MS = 1000;

const commandEvent = z.object({
  type: z.literal('command.status'),
  commandId: z.string(),
  sequence: z.int(),
  status: z.string(),
});

/** Reads on in the feed. */
async function readChanges(air: Air, reader: Caller): Promise<void> {
  for (;;) {
    const query = new URLSearchParams({ after: air.cursor, limit: String(PAGE) });
    const { status, body } = await reader.call('GET', `/v3/events?${query.toString()}`);
    if (status !== 200) throw new Error(`the feed answered with ${status}`);
    const { events, cursor } = body as { readonly events: readonly unknown[]; readonly cursor: string };
    for (const one of events) {
      const { success, data } = commandEvent.safeParse(one);
      if (success) air.changes.push({ commandId: data.commandId, version: data.sequence, status: data.status });
    }
    air.cursor = cursor;
    if (events.length < PAGE) return;
  }
}

/** All commands of a device over REST. */
async function readCommands(deviceId: string, reader: Caller): Promise<StoredCommand[]> {
  const found: StoredCommand[] = [];
  let nextToken: string | undefined;
  do {
    const query = new URLSearchParams({ limit: String(PAGE), ...(nextToken !== undefined && { nextToken }) });
    const { status, body } = await reader.call('GET', `/v3/devices/${deviceId}/commands?${query.toString()}`);
    if (status !== 200) throw new Error(`the commands of ${deviceId} were answered with ${status}`);
    const page = body as { readonly commands: readonly StoredCommand[]; readonly nextToken?: string };
    found.push(...page.commands);
    ({ nextToken } = page);
  } while (nextToken !== undefined);
  return found;
}

async function historyOf(air: Air, reader: Caller): Promise<CommandHistory> {
  const stored = (await Promise.all(air.deviceIds.map((deviceId) => readCommands(deviceId, reader)))).flat();
  await readChanges(air, reader);
  return { ...air, stored };
}

/** Waits until all commands have ended and are told, or until a timeout. @returns what can't be explained */
export async function commandsWhenEnded(air: Air, platform: AirPlatform, reader: Caller): Promise<readonly string[]> {
  const deadline = performance.now() + ENDED_WITHIN_MS;
  for (;;) {
    const history = await historyOf(air, reader);
    const violations = commandViolations(history);
    const isOver = platform.isQuiet() && history.stored.every(({ status }) => isEnded(status));
    if ((isOver && violations.length === 0) || performance.now() > deadline) return violations;
    await pause(POLL_EVERY_MS);
  }
}
