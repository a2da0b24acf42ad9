import { endsFlight, isStop } from '../../domain/commands/stops';
import {
  commandLifecycle,
  commandStatuses,
  isEnded,
  type CommandStatus,
} from '../../domain/commands/command-lifecycle';
import { JOINED_FOR_MS } from '../../domain/commands/joined-stop';
import { groupBy } from './group-by';

/**
 * After its last look at the clock and at the share, a function needs a while until a command is on the bus; ms, on a
 * busy machine.
 */
const LOOK_TO_BUS_MS = 3000;

/** Times are in Unix ms, by the clock of this machine, which the stack shares. */
export interface SentCommand {
  readonly label: string;
  readonly deviceId: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Of a repeat the same as of the first: the key with its client. */
  readonly key: string | undefined;
  /** Of a viewer's command. */
  readonly shareCode?: string;
  /** Whether it was accepted; otherwise it was refused with `cannot_command`. */
  readonly commandId: string | undefined;
}

/** A command as the platform got it: once or several times. */
export interface HeardCommand {
  readonly commandId: string;
  readonly deviceId: string;
  readonly sequence: number;
  /** When it was published, in whole seconds, rounded down. */
  readonly publishedAt: number;
}

/** What the platform said of a command. */
export interface ReportedOutcome {
  readonly commandId: string;
  readonly outcome: CommandStatus;
  readonly sentAt: number;
}

/** A command over REST when all had ended. */
export interface StoredCommand {
  readonly commandId: string;
  readonly deviceId: string;
  readonly name: string;
  readonly origin: string;
  readonly sequence: number;
  readonly status: CommandStatus;
  readonly reason?: string;
  readonly startBefore: string;
  readonly endBefore: string;
  readonly endedAt?: string;
  readonly version: number;
}

/** A change of a command in the feed. */
export interface CommandChange {
  readonly commandId: string;
  readonly version: number;
  readonly status: string;
}

/** What has happened with the commands of some devices, from the first one on. */
export interface CommandHistory {
  readonly sent: readonly SentCommand[];
  readonly heard: readonly HeardCommand[];
  readonly reported: readonly ReportedOutcome[];
  readonly stored: readonly StoredCommand[];
  readonly changes: readonly CommandChange[];
  /** By share code, when its revocation was sent and answered. */
  readonly revoked: ReadonlyMap<string, { readonly start: number; readonly end: number }>;
}

const isStatus = (name: string): name is CommandStatus => commandStatuses.includes(name as CommandStatus);

/**
 * Violations in the statuses of one command as they were told. Delivery is at least once, so repeats are allowed; a
 * version whose status stays is a late outcome, of which there is one.
 */
export function commandStatusViolations(changes: readonly Omit<CommandChange, 'commandId'>[]): string[] {
  const violations: string[] = [];
  let last: Omit<CommandChange, 'commandId'> | undefined;
  let lateOutcomes = 0;
  for (const change of changes) {
    const { version, status } = change;
    if (!isStatus(status)) violations.push(`${status}, which is no status`);
    else if (last && version === last.version && status === last.status) continue;
    else if (last && version !== last.version + 1) violations.push(`version ${version} after ${last.version}`);
    else if (last && status === last.status && isEnded(status)) lateOutcomes += 1;
    else if (last && isStatus(last.status) && !commandLifecycle[last.status].next.includes(status))
      violations.push(`${last.status} → ${status}, which is not in the lifecycle`);
    last = change;
  }
  if (lateOutcomes > 1) violations.push(`${lateOutcomes} late outcomes`);
  return violations;
}

/** What the platform reports, or reported for a command that is over by itself, explains its end. */
function endViolations(
  { commandId, status, reason, version, endBefore, endedAt }: StoredCommand,
  { reported, changes, heard }: CommandHistory,
): string[] {
  const told = changes.filter((change) => change.commandId === commandId);
  const outcomes = reported.filter((report) => report.commandId === commandId).map(({ outcome }) => outcome);
  const isHeard = heard.some((one) => one.commandId === commandId);
  const isWithheld = status === 'SUPERSEDED' || reason === 'TOO_LATE' || reason === 'SHARE_ENDED';
  const last = told.at(-1);
  return [
    ...(isEnded(status) ? [] : [`has not ended, but is ${status}`]),
    ...(told[0]?.version === 1 && told[0].status === 'REQUESTED' ? [] : ['does not begin as REQUESTED in the feed']),
    ...(last?.status === status && last.version === version ? [] : [`is ${status}, but ${last?.status} in the feed`]),
    ...(['DONE', 'FAILED'].includes(status) && !outcomes.includes(status) ? [`is ${status}, which nobody said`] : []),
    ...(status === 'REFUSED' && !isWithheld && !outcomes.includes(status) ? ['is REFUSED, which nobody said'] : []),
    ...(status === 'TIMED_OUT' && Date.parse(endedAt ?? '') < Date.parse(endBefore) ? ['timed out too soon'] : []),
    ...(isHeard || isWithheld ? [] : ['was neither published nor refused']),
    ...commandStatusViolations(told),
  ];
}

/** Violations in what the platform got of one command. */
function deliveryViolations(
  heard: readonly HeardCommand[],
  command: StoredCommand | undefined,
  { sent, revoked }: CommandHistory,
): string[] {
  if (!command) return ['reached the platform, but is not stored'];
  const { commandId, deviceId, sequence, startBefore } = command;
  const shareCode = sent.find((one) => one.commandId === commandId)?.shareCode;
  const revokedAt = shareCode === undefined ? undefined : revoked.get(shareCode)?.end;
  return heard.flatMap((one) => [
    ...(one.sequence === sequence && one.deviceId === deviceId ? [] : ['reached the platform as another one']),
    ...(one.publishedAt > Date.parse(startBefore) + LOOK_TO_BUS_MS ? ['was published after startBefore'] : []),
    ...(one.publishedAt > (revokedAt ?? Infinity) + LOOK_TO_BUS_MS ? ['was published after its share had ended'] : []),
  ]);
}

/** Violations in the numbers of a device's commands: 1, 2, 3, …, in the order in which they were answered. */
function orderViolations(deviceId: string, stored: readonly StoredCommand[], sent: readonly SentCommand[]): string[] {
  const sequences = stored.map(({ sequence }) => sequence).sort((one, other) => one - other);
  const wrong = sequences.find((sequence, index) => sequence !== index + 1);
  const numbers = new Map(stored.map(({ commandId, sequence }) => [commandId, sequence]));
  // Of a repeat, and of a stop that several sent, it was stored between the earliest start and the earliest end.
  const first = new Map(
    [...groupBy(sent, ({ commandId }) => commandId ?? '')].map(([commandId, same]) => {
      const [start, end] = [same.map((one) => one.start), same.map((one) => one.end)];
      return [commandId, { label: same[0]?.label ?? '', commandId, start: Math.min(...start), end: Math.min(...end) }];
    }),
  );
  const inOrder = stored
    .flatMap(({ commandId }) => first.get(commandId) ?? [])
    .sort((one, other) => (numbers.get(one.commandId) ?? 0) - (numbers.get(other.commandId) ?? 0));
  const swapped = inOrder.flatMap((one, index) => {
    const before = inOrder.slice(0, index).find((former) => former.start > one.end);
    return before
      ? [`${deviceId}: ${before.label} has a lower number than ${one.label}, which was answered before`]
      : [];
  });
  return [...(wrong === undefined ? [] : [`${deviceId}: sequences ${sequences.join(', ')}`]), ...swapped];
}

/**
 * Whether calls may have got one stop as their answer: the same stop by the same way, all so close to the one that made
 * it ("Steer", limits).
 */
const isOneStop = (calls: readonly SentCommand[]): boolean =>
  calls.some((made) =>
    calls.every(
      ({ name, shareCode, start, end }) =>
        isStop(name) &&
        name === made.name &&
        shareCode === made.shareCode &&
        start - made.end < JOINED_FOR_MS &&
        made.start - end < JOINED_FOR_MS,
    ),
  );

/**
 * Violations of keys: a repeat is the same command, and each accepted call without one a command of its own, unless
 * several stop a device at once.
 */
function repeatViolations(sent: readonly SentCommand[]): string[] {
  const accepted = sent.filter(({ commandId }) => commandId !== undefined);
  const withKey = groupBy(
    accepted.filter(({ key }) => key !== undefined),
    ({ key }) => key ?? '',
  );
  const twice = [...withKey].flatMap(([key, same]) => {
    const ids = new Set(same.map(({ commandId }) => commandId));
    return ids.size === 1 ? [] : [`${key}: ${ids.size} commands with one key`];
  });
  const shared = [...groupBy(accepted, ({ commandId }) => commandId ?? '')].flatMap(([commandId, same]) => {
    const calls = [...groupBy(same, ({ key, label }) => key ?? label).values()].flatMap(([first]) => first ?? []);
    return calls.length === 1 || isOneStop(calls) ? [] : [`${commandId}: the answer to ${calls.length} commands`];
  });
  return [...twice, ...shared];
}

/** Commands that only one that does not end the flight waits for. */
const WHILE_ENDING: readonly string[] = ['PAUSE', 'RESUME', 'RETURN_HOME', 'LAND'];

/** Violations in what was refused: while a command that ends the flight is open, no other may come, and no other is refused. */
function refusalViolations({ sent, stored, reported }: CommandHistory): string[] {
  const byId = new Map(stored.map((command) => [command.commandId, command]));
  const ending = sent.flatMap((one) => {
    const command = byId.get(one.commandId ?? '');
    if (!command || !endsFlight(one.name)) return [];
    const said = reported.filter(({ commandId, outcome }) => commandId === one.commandId && isEnded(outcome));
    const openUntil = Math.min(Date.parse(command.endBefore), ...said.map(({ sentAt }) => sentAt));
    return [{ ...one, openUntil }];
  });
  return sent.flatMap((one) => {
    const others = ending.filter(({ deviceId, commandId }) => deviceId === one.deviceId && commandId !== one.commandId);
    if (one.commandId === undefined)
      return others.some(({ start }) => start <= one.end)
        ? []
        : [`${one.label}: refused while nothing ends the flight`];
    const isAllowed = WHILE_ENDING.includes(one.name) || isRepeat(one, sent);
    // It may be superseded by another one that ends the flight: then the later one is open.
    const closed = others.find(({ end, openUntil }) => end < one.start && openUntil > one.end);
    const newest = others.filter(({ start }) => start <= one.end);
    const isCertain = closed !== undefined && newest.every(({ openUntil }) => openUntil > one.end);
    return isCertain && !isAllowed ? [`${one.label}: accepted while ${closed.label} ends the flight`] : [];
  });
}

/** Whether an earlier call with the same key got the same answer. */
const isRepeat = ({ key, commandId, start }: SentCommand, sent: readonly SentCommand[]): boolean =>
  key !== undefined && sent.some((one) => one.key === key && one.commandId === commandId && one.start < start);

/**
 * Violations in the commands of devices, when all that were sent should have ended (docs/guides/steer.md,
 * docs/platform.md, "Control").
 */
export function commandViolations(history: CommandHistory): string[] {
  const { sent, heard, stored } = history;
  const byId = new Map(stored.map((command) => [command.commandId, command]));
  const unknown = sent.filter(({ commandId }) => commandId !== undefined && !byId.has(commandId));
  // The answer to a viewer may be lost with its socket, when its share ends.
  const asked = new Set(sent.map(({ commandId }) => commandId));
  const unasked = stored.filter(({ commandId, origin }) => origin === 'partner' && !asked.has(commandId));
  const devices = groupBy(stored, ({ deviceId }) => deviceId);
  return [
    ...unknown.map(({ label }) => `${label}: accepted, but not stored`),
    ...unasked.map(({ commandId }) => `${commandId}: stored, but nobody sent it`),
    ...stored.flatMap((command) =>
      endViolations(command, history).map((violation) => `${command.name} ${command.commandId} ${violation}`),
    ),
    ...[...groupBy(heard, ({ commandId }) => commandId)].flatMap(([commandId, same]) =>
      [...new Set(deliveryViolations(same, byId.get(commandId), history))].map((what) => `${commandId} ${what}`),
    ),
    ...[...devices].flatMap(([deviceId, own]) =>
      orderViolations(
        deviceId,
        own,
        sent.filter((one) => one.deviceId === deviceId),
      ),
    ),
    ...repeatViolations(sent),
    ...refusalViolations(history),
  ];
}
