import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { JobBook, type Bus, type Device } from './bus';
import type { RuleName, Transcript } from './judge';

export interface Stage {
  readonly bus: Bus;
  /** Tag of the organisation. */
  readonly tag: string;
  /** Two devices. */
  readonly devices: readonly [Device, Device];
  /** Kills the platform and starts it again; undefined when it can't be killed. */
  readonly restart: (() => Promise<void>) | undefined;
  /** How long a job may take to begin, and all of them to end, in seconds. */
  readonly patience: number;
}

const isReported = (bus: Bus, jobId: string, statuses: readonly string[]) =>
  bus.heard.some(
    ({ type, detail }) =>
      type === 'job.status.reported' && detail['jobId'] === jobId && statuses.includes(String(detail['status'])),
  );

/** Until then a platform has taken a message from its queue, in seconds. */
const TAKEN_S = 2;
/** What must not happen shows after that, in seconds. */
const QUIET_S = 4;

/** Plays the service: everything that docs/platform.md allows it to publish. @returns what was heard */
export async function play({ bus, tag, devices, restart, patience }: Stage): Promise<Transcript> {
  const book = new JobBook(bus, tag);
  const [d, e] = devices;
  const onD = { deviceId: d.deviceId };
  const onE = { deviceId: e.deviceId };
  const deletedAt = new Map<string, number>();
  const commands = new Map<string, { isLate: boolean; isOvertaken: boolean; ofJob?: string | undefined }>();
  const begins = (jobId: string) => bus.until(() => isReported(bus, jobId, ['IN_PROGRESS']), patience);
  interface Kind {
    readonly ageMs?: number;
    readonly sequence?: number;
    readonly isOvertaken?: boolean;
    /** The service calls the drone of a deleted job home. */
    readonly ofJob?: string;
  }
  const command = async ({ deviceId }: Device, name: string, kind: Kind) => {
    const { ageMs = 0, sequence = 0, isOvertaken = false, ofJob } = kind;
    const commandId = `command-${tag}-01conformance0000000${String(commands.size).padStart(6, '0')}`;
    commands.set(commandId, { isLate: ageMs > 0, isOvertaken, ofJob });
    const after = (ms: number) => new Date(Date.now() - ageMs + ms).toISOString();
    const times = { requestedAt: after(0), startBefore: after(10_000), endBefore: after(30_000) };
    const known = {
      requestId: commandId,
      commandId,
      organisationId: `org-${tag}`,
      ...(ofJob === undefined ? { origin: 'share', shareId: randomUUID() } : { origin: 'service', jobId: ofJob }),
    };
    const detail = { ...known, ...times, deviceId, sequence, command: { name, pitch: -30 } };
    await bus.publish('control.requested', detail);
    return () => bus.publish('control.requested', detail);
  };

  // What a platform need not know, and an event that comes twice.
  await bus.publish('job.sketched', { eventId: 'x/1', colour: 'red' });
  await bus.publish('job.created', { ...unknownShape(tag), deviceGroupId: `group-${tag}-01other0000000000000000000` });
  const busy = book.add('busy', d, onD);
  await book.publish('job.created', busy, { colour: 'red', more: { nested: [1] } });
  await book.publish('job.created', busy, { colour: 'red' });
  const gone = book.add('gone', e, onE, 'is stopped');
  await book.publish('job.created', gone);
  await begins(busy.jobId);

  // Jobs that wait for the device that flies.
  const low = book.add('low', d, { ...onD, priority: 4 });
  const high = book.add('high', d, { ...onD, priority: 8 });
  const lowered = book.add('lowered', d, { ...onD, priority: 2, version: 3 });
  const cancelled = book.add('cancelled', d, { ...onD, priority: 9 }, 'is not begun');
  const deleted = book.add('deleted', d, { ...onD, priority: 9 }, 'is not begun');
  await book.publish('job.deleted', { ...deleted, version: 2 });
  await book.publish('job.created', { ...lowered, priority: 10, version: 1 });
  await book.publish('job.created', low);
  await book.publish('job.updated', lowered);
  await pause(500);
  await book.publish('job.updated', { ...lowered, priority: 10, version: 2 });
  await book.publish('job.created', cancelled);
  await book.publish('job.cancelled', { ...cancelled, version: 2 }, { status: 'CANCELLED' });
  await book.publish('job.created', deleted);
  await book.publish('job.created', high);
  // The next job of a device comes before the end of the one before it.
  const given = book.add('given-up-cancelled', d, { ...onD, priority: 9 }, 'is not begun');
  const next = book.add('next', d, { ...onD, priority: 3 });
  await book.publish('job.created', given);
  await book.publish('job.created', next);
  await book.publish('job.cancelled', { ...given, version: 2 }, { status: 'CANCELLED' });
  const repeatCommand = await command(d, 'GIMBAL', { sequence: 2 });
  await repeatCommand();
  // Its number comes after that of the command which was sent before it.
  await bus.until(() => bus.heard.some(({ type }) => type === 'control.outcome.reported'), patience);
  await command(d, 'GIMBAL', { sequence: 1, isOvertaken: true });
  await command(d, 'no-such-command', { sequence: 3 });
  await command(d, 'RETURN_HOME', { sequence: 4, ofJob: gone.jobId });
  await command(e, 'GIMBAL', { sequence: 1, ageMs: 5 * 60_000 });

  // A deletion in flight, a crash in flight.
  await begins(gone.jobId);
  await book.publish('job.deleted', { ...gone, version: 2 }, { status: 'IN_PROGRESS' });
  deletedAt.set(gone.jobId, Date.now());
  // A message that was being received as the platform was killed comes again later: the deletion must not be that one.
  await bus.until(() => false, TAKEN_S);
  const isInFlight = !isReported(bus, busy.jobId, ['COMPLETED', 'FAILED']);
  await restart?.();
  await repeatCommand();

  // What follows: a job of a time, and what the service says of reports.
  const scheduledAt = new Date(Date.now() + 6000).toISOString();
  const scheduled = book.add('scheduled', e, { ...onE, scheduledAt });
  await book.publish('job.created', scheduled);
  await bus.publish('report.rejected', {
    eventId: `${randomUUID()}/rejected`,
    at: new Date().toISOString(),
    organisationId: `org-${tag}`,
    jobId: `job-${tag}-01nosuchjob000000000000000`,
    reportId: randomUUID(),
    reportType: 'job.status.reported',
    reason: 'unknown',
    details: [],
  });
  const last = book.add('last', d);
  await book.publish('job.created', last);

  const ending = [...book.expectations].filter(([, expected]) => expected === 'ends').map(([jobId]) => jobId);
  const haveEnded = () => ending.every((jobId) => isReported(bus, jobId, ['COMPLETED', 'FAILED']));
  await bus.until(haveEnded, patience);

  // The archive replays what has long been flown.
  await book.publish('job.created', busy);
  await book.publish('job.created', { ...lowered, priority: 10, version: 1 });
  await book.publish('job.created', cancelled);
  await repeatCommand();
  await bus.until(() => false, QUIET_S);
  const ranks: (readonly [RuleName, string, string])[] = [
    ['priority', high.jobId, low.jobId],
    ['versions', low.jobId, lowered.jobId],
  ];
  return {
    tag,
    heard: bus.heard,
    jobs: book.jobs,
    expectations: book.expectations,
    deletedAt,
    ranks,
    waiting: [low, high, lowered, next].map(({ jobId }) => jobId),
    commands,
    interrupted: restart && isInFlight ? busy.jobId : undefined,
    afterUnknown: last.jobId,
  };
}

/** A job of a group that the platform does not have. */
const unknownShape = (tag: string) => {
  const jobId = `job-${tag}-01conformanceofanothergroup`;
  const common = { eventId: `${jobId}/1`, organisationId: `org-${tag}`, at: new Date().toISOString() };
  return { ...common, jobId, version: 1, status: 'PENDING', name: 'Another fleet’s', priority: 5 };
};
