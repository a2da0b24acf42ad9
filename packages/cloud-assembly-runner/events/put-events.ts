/** PutEvents: EventBridge API reference, and user guide, "Calculating PutEvents event entry size". */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { stepsOf, type Charges } from '../billing/meter';
import type { Quotas } from '../quotas';
import { EventsError, read, type EventsOperation } from './api';
import { busNameIn } from './rules';

const entry = z.object({
  EventBusName: z.string().default('default'),
  Source: z.string().default(''),
  DetailType: z.string().default(''),
  Detail: z.string().default(''),
  Resources: z.array(z.string()).default([]),
  /** Unix seconds. */
  Time: z.number().optional(),
});
type Entry = z.infer<typeof entry>;

const request = z.object({ Entries: z.array(entry).min(1).max(10) });

/** Of all entries of a request. */
const MAX_REQUEST_BYTES = 1_048_576;
/** EventBridge pricing: an event of more than 64 KB counts as several. */
const METERED_BYTES = 64 * 1024;

/** An event as rules match it and targets receive it: EventBridge user guide, "Events in Amazon EventBridge". */
export interface BusEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: object;
  /** Of an event of a replay. */
  readonly 'replay-name'?: string;
}

export interface PutEventsOptions {
  readonly region: string;
  readonly accountId: string;
  readonly quotas: Pick<Quotas, 'admits'>;
  hasBus(name: string): boolean;
  busArn(name: string): string;
  /** Passes an event to the rules of a bus. */
  publish(busName: string, event: BusEvent): void;
  /** Gives an event to the archives of a bus. @returns whether one of them keeps it */
  archive(busName: string, event: BusEvent): boolean;
}

/** Result of an entry, and the size of the event that it became. */
interface Outcome {
  readonly result: object;
  readonly bytes?: number;
  readonly isArchived?: boolean;
}

export function putEvents(options: PutEventsOptions): EventsOperation {
  const { region, accountId } = options;

  function put(one: Entry): Outcome {
    const { EventBusName, Source, DetailType, Detail, Resources, Time } = one;
    const refusal = (ErrorCode: string, ErrorMessage: string) => ({ result: { ErrorCode, ErrorMessage } });
    const missing = Object.entries({ Source, DetailType, Detail }).find(([, value]) => value === '')?.[0];
    if (missing !== undefined) {
      const reason = `Parameter ${missing} is not valid. Reason: ${missing} is a required argument.`;
      return refusal('InvalidArgument', reason);
    }
    if (Source.startsWith('aws.')) {
      return refusal('NotAuthorizedForSourceException', 'Not authorized for the source.');
    }
    const detail = parseObject(Detail);
    if (!detail) return refusal('MalformedDetail', 'Detail is malformed.');
    const busName = busNameIn(EventBusName);
    if (!options.hasBus(busName)) {
      return refusal('ResourceNotFoundException', `Event bus ${busName} does not exist.`);
    }
    const id = randomUUID();
    const event: BusEvent = {
      version: '0',
      id,
      'detail-type': DetailType,
      source: Source,
      account: accountId,
      time: new Date(Time === undefined ? Date.now() : Time * 1000).toISOString().replace(/\.\d+/, ''),
      region,
      resources: Resources,
      detail,
    };
    options.publish(busName, event);
    return { result: { EventId: id }, bytes: sizeOf(one), isArchived: options.archive(busName, event) };
  }

  return {
    permissions(input) {
      const action = 'events:PutEvents';
      const { data } = request.safeParse(input);
      if (!data) return [{ action, resource: '*' }];
      return data.Entries.map(({ EventBusName, Source, DetailType }) => ({
        action,
        resource: options.busArn(busNameIn(EventBusName)),
        context: { 'events:source': [Source], 'events:detail-type': [DetailType] },
      }));
    },

    run(input) {
      if (!options.quotas.admits('putEvents')) throw new EventsError('ThrottlingException', 'Rate exceeded');
      const { Entries: entries } = read(request, input);
      if (entries.reduce((sum, one) => sum + sizeOf(one), 0) > MAX_REQUEST_BYTES) {
        throw new EventsError('ValidationException', 'Total size of the entries in the request is over the limit.');
      }
      const outcomes = entries.map(put);
      const Entries = outcomes.map(({ result }) => result);
      const FailedEntryCount = Entries.filter((one) => 'ErrorCode' in one).length;
      return { answer: { FailedEntryCount, Entries }, charges: chargesOf(outcomes) };
    },
  };
}

/** `Time` counts as 14 bytes. */
function sizeOf({ Source, DetailType, Detail, Resources, Time }: Entry): number {
  const texts = [Source, DetailType, Detail, ...Resources];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), Time === undefined ? 0 : 14);
}

/** Of entries that became events: each in steps, and the bytes that an archive keeps. */
function chargesOf(outcomes: readonly Outcome[]): Charges {
  const sum = (quantityOf: (bytes: number, isArchived: boolean) => number) =>
    outcomes.reduce((total, { bytes, isArchived = false }) => total + (bytes ? quantityOf(bytes, isArchived) : 0), 0);
  return {
    'events:events': sum((bytes) => stepsOf(bytes, METERED_BYTES)),
    'events:bytes': sum((bytes, isArchived) => (isArchived ? bytes : 0)),
  };
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
