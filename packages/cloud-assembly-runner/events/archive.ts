/**
 * AWS::Events::Archive and replays: EventBridge user guide, "Archiving and replaying events", and API reference, StartReplay
 * and DescribeReplay. Events are kept in memory, so they end with the stack. Each minute's events are replayed together,
 * here the latest first: whoever relies on an order notices.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import { EventsError, read, type EventsOperation } from './api';
import { busNameIn, type Rule } from './rules';
import { parseEventPattern, type EventPattern } from './event-pattern';
import { propertiesOf } from '../cloudformation/properties';
import type { Resource } from '../service';
import type { BusEvent } from './put-events';

const archiveProperties = z.strictObject({
  ArchiveName: z
    .string()
    .regex(/^[\w.-]{1,48}$/)
    .optional(),
  Description: z.string().max(512).optional(),
  EventPattern: z.record(z.string(), z.unknown()).optional(),
  RetentionDays: z.number().int().min(0).optional(),
  SourceArn: z.string().regex(/^arn:[^:]+:events:/),
  /** Nothing is kept, so nothing is encrypted. */
  KmsKeyIdentifier: z.string().optional(),
});

export interface Archive {
  readonly name: string;
  readonly busName: string;
  /** Keeps an event that matches its pattern. @returns whether it did */
  keep(event: BusEvent): boolean;
  /** Kept events from one time to another, without that one, in Unix seconds; in the order of their arrival. */
  eventsBetween(from: number, to: number): readonly BusEvent[];
}

/** Bounds the memory; an archive of AWS has no such limit. */
const MAX_EVENTS = 10_000;

/** Parses an archive. @throws Error for invalid and unsupported properties, by name */
export function readArchive(resource: Resource): Archive {
  const { ArchiveName, EventPattern, SourceArn } = propertiesOf(resource, archiveProperties);
  const matches: EventPattern =
    EventPattern === undefined ? () => true : parseEventPattern(JSON.stringify(EventPattern));
  const events: BusEvent[] = [];
  return {
    name: ArchiveName ?? resource.logicalId,
    busName: busNameIn(SourceArn),
    keep(event) {
      if (!matches(event)) return false;
      if (events.push(event) > MAX_EVENTS) events.shift();
      return true;
    },
    eventsBetween: (from, to) =>
      events.filter(({ time }) => Date.parse(time) / 1000 >= from && Date.parse(time) / 1000 < to),
  };
}

const name = z.string().regex(/^[\w.-]{1,64}$/);
const startInput = z.object({
  ReplayName: name,
  Description: z.string().max(512).optional(),
  EventSourceArn: z.string(),
  /** Unix seconds, like the end. */
  EventStartTime: z.number(),
  EventEndTime: z.number(),
  Destination: z.object({ Arn: z.string(), FilterArns: z.array(z.string()).optional() }),
});
const describeInput = z.object({ ReplayName: name });

export interface ReplaysOptions {
  /** The archive with this ARN. */
  archiveAt(arn: string): Archive | undefined;
  busArn(name: string): string;
  replayArn(name: string): string;
  rulesOf(busName: string): readonly Rule[];
  /** Delivers an event to the targets of a rule, if it matches. */
  deliver(rule: Rule, event: BusEvent): void;
}

/** The operations by name. A replay that runs ends with the stack. */
export function replayOperations(options: ReplaysOptions): Readonly<Record<string, EventsOperation>> {
  const { archiveAt, busArn, replayArn, rulesOf, deliver } = options;
  const replays = new Map<string, object>();

  function start(input: unknown): object {
    const wanted = read(startInput, input);
    const { ReplayName, EventSourceArn, EventStartTime, EventEndTime, Destination } = wanted;
    if (replays.has(ReplayName)) {
      throw new EventsError('ResourceAlreadyExistsException', `Replay ${ReplayName} already exists.`);
    }
    const archive = archiveAt(EventSourceArn);
    if (!archive) throw new EventsError('ResourceNotFoundException', `Archive ${EventSourceArn} does not exist.`);
    if (EventStartTime >= EventEndTime) throw invalid('EventEndTime', 'EventStartTime must be before EventEndTime.');
    if (Destination.Arn !== busArn(archive.busName)) {
      throw invalid('Destination.Arn', 'Cannot replay events to an event bus that is not the source of the archive.');
    }
    const rules = rulesOf(archive.busName).filter(({ arn }) => Destination.FilterArns?.includes(arn) ?? true);
    if (rules.length < (Destination.FilterArns?.length ?? 0)) throw invalid('Destination.FilterArns', 'No such rule.');
    const ReplayStartTime = Date.now() / 1000;
    const view = { ...wanted, ReplayArn: replayArn(ReplayName), State: 'STARTING', ReplayStartTime };
    replays.set(ReplayName, view);
    const events = byMinute(archive.eventsBetween(EventStartTime, EventEndTime));
    void run(view, rules, events);
    return { ReplayArn: view.ReplayArn, State: view.State, ReplayStartTime };
  }

  async function run(view: object & { ReplayName: string }, rules: readonly Rule[], events: readonly BusEvent[]) {
    for (const event of events) {
      await nextTurn();
      for (const rule of rules) deliver(rule, { ...event, 'replay-name': view.ReplayName });
      Object.assign(view, { State: 'RUNNING', EventLastReplayedTime: secondsOf(event) });
    }
    Object.assign(view, { State: 'COMPLETED', ReplayEndTime: Date.now() / 1000 });
  }

  function describe(input: unknown): object {
    const { ReplayName } = read(describeInput, input);
    const view = replays.get(ReplayName);
    if (!view) throw new EventsError('ResourceNotFoundException', `Replay ${ReplayName} does not exist.`);
    return view;
  }

  const onReplay = (operation: string, input: unknown) => {
    const { data } = describeInput.safeParse(input);
    return { action: `events:${operation}`, resource: data ? replayArn(data.ReplayName) : '*' };
  };

  return {
    StartReplay: {
      permissions(input) {
        const resource = startInput.pick({ EventSourceArn: true }).safeParse(input).data?.EventSourceArn ?? '*';
        return [onReplay('StartReplay', input), { action: 'events:StartReplay', resource }];
      },
      run: (input) => ({ answer: start(input) }),
    },
    DescribeReplay: {
      permissions: (input) => [onReplay('DescribeReplay', input)],
      run: (input) => ({ answer: describe(input) }),
    },
  };
}

const secondsOf = ({ time }: BusEvent) => Date.parse(time) / 1000;

/** Minute after minute, within each the latest first. */
function byMinute(events: readonly BusEvent[]): BusEvent[] {
  const minuteOf = (event: BusEvent) => Math.floor(secondsOf(event) / 60);
  return [...events].reverse().sort((one, other) => minuteOf(one) - minuteOf(other));
}

const invalid = (parameter: string, reason: string) =>
  new EventsError('ValidationException', `Parameter ${parameter} is not valid. Reason: ${reason}`);
