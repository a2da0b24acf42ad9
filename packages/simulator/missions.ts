import * as z from 'zod/mini';
import { missionLine } from '../../domain/missions/mission';
import { outboundEvents } from '../../domain/platform/outbound-events';
import { answers, failures } from './mission-plan';
import { endItem, finishedTtl, insertItem, updateItem } from './table';
import { taken, type Taken } from './commands';

const { desiredLocation, flight } = outboundEvents['job.created'].shape;

/** A job as the simulated platform stores it. */
export const mission = z.object({
  jobId: z.string(),
  deviceGroupId: z.string(),
  /** The device that the job requests, then the one that flies it. */
  deviceId: z.optional(z.string()),
  priority: z.number(),
  /** Of the latest event of the job; missing in missions that were stored before it was kept. */
  version: z.optional(z.number()),
  scheduledAt: z.optional(z.string()),
  plan: z._default(
    z.object({
      failure: z.optional(z.enum(failures)),
      laps: z.number(),
      speed: z.number(),
      commands: z.optional(z.enum(answers)),
      place: z.optional(z.object({ location: z.nonoptional(desiredLocation), action: z.string() })),
      line: z.optional(missionLine),
      flight,
    }),
    { laps: 1, speed: 1 },
  ),
  state: z.enum(['waiting', 'flying']),
  /** When a device was assigned, ISO 8601. */
  takenAt: z.optional(z.string()),
  /** How many of its reports have been published. */
  reported: z._default(z.number(), 0),
  /** When the last of them was, ISO 8601. */
  reportedAt: z.optional(z.string()),
  /** Commands to its device in this mission, in the order in which they were taken or refused. */
  commands: z._default(z.array(taken), []),
  /** How many of their outcomes have been published. */
  answered: z._default(z.number(), 0),
  /**
   * When its job was deleted, or ended by another than its drone, ISO 8601: the drone comes home, and nothing is
   * reported of the job.
   */
  recalledAt: z.optional(z.string()),
});
export type Mission = z.output<typeof mission>;

type NewMission = Omit<
  Mission,
  'state' | 'takenAt' | 'reported' | 'reportedAt' | 'commands' | 'answered' | 'recalledAt'
>;

/** Inserts a new mission; a known one, even a finished one, stays as it is. @returns false for a known one */
export const insertMission = (job: NewMission): Promise<boolean> =>
  insertItem({ ...job, state: 'waiting', reported: 0 });

/** Changes the priority of a mission, unless a later event of its job has come before. */
export const changePriority = (jobId: string, priority: number, version: number): Promise<boolean> =>
  updateItem(
    jobId,
    'SET priority = :priority, version = :version',
    { ':priority': priority, ':version': version },
    'attribute_exists(jobId) AND (attribute_not_exists(version) OR version < :version)',
  );

/** Ends a mission that is over. */
export const endMission = (jobId: string, now: Date): Promise<boolean> => endItem(jobId, now);

/** Ends a mission that nobody flies, also one not inserted yet: the job's events may arrive out of order. */
const endUnflown = (jobId: string, now: Date): Promise<boolean> =>
  updateItem(
    jobId,
    'SET #state = :over, #ttl = :ttl',
    { ':over': 'over', ':ttl': finishedTtl(now), ':flying': 'flying' },
    'attribute_not_exists(#state) OR #state <> :flying',
  );

/** Calls the drone of a mission home. @returns false when none flies it */
const recall = (jobId: string, now: Date): Promise<boolean> =>
  updateItem(
    jobId,
    'SET recalledAt = if_not_exists(recalledAt, :now)',
    { ':now': now.toISOString(), ':flying': 'flying' },
    '#state = :flying',
  );

/** Ends a mission whose job is over, but not by its flight: a drone in the air comes home first. */
export async function withdrawMission(jobId: string, now: Date): Promise<void> {
  // Between the first two a device may be assigned, once.
  if (!(await recall(jobId, now)) && !(await endUnflown(jobId, now))) await recall(jobId, now);
}

/** Assigns a waiting mission to a device. @returns false when it was ended or assigned by another run */
export const assignMission = (jobId: string, deviceId: string, now: Date): Promise<boolean> =>
  updateItem(
    jobId,
    'SET #state = :flying, deviceId = :deviceId, takenAt = :now',
    { ':flying': 'flying', ':deviceId': deviceId, ':now': now.toISOString(), ':waiting': 'waiting' },
    // The second half is the state after a write whose response was lost, and which the SDK retries.
    '#state = :waiting OR (#state = :flying AND deviceId = :deviceId AND takenAt = :now)',
  );

/** Stores how many reports of a mission have been published, and when the last was. */
export const storeReportCount = (jobId: string, reported: number, now: Date): Promise<boolean> =>
  updateItem(
    jobId,
    'SET reported = :reported, reportedAt = :now',
    { ':reported': reported, ':now': now.toISOString(), ':flying': 'flying' },
    '#state = :flying',
  );

/** Stores how many outcomes of its commands have been published. */
export const storeAnswerCount = (jobId: string, answered: number): Promise<boolean> =>
  updateItem(jobId, 'SET answered = :answered', { ':answered': answered, ':flying': 'flying' }, '#state = :flying');

/** Adds a command that the drone of a mission has taken or refused. @returns false when the mission has ended */
export const storeCommand = (jobId: string, command: Taken): Promise<boolean> =>
  updateItem(
    jobId,
    'SET commands = list_append(if_not_exists(commands, :none), :commands)',
    { ':none': [], ':commands': [command], ':flying': 'flying' },
    '#state = :flying',
  );
