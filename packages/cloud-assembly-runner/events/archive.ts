/**
 * AWS::Events::Archive: EventBridge user guide, "Archiving and replaying events". Events are kept in memory, so they
 * end with the stack.
 */
import * as z from 'zod';
import { parseEventPattern, type EventPattern } from './event-pattern';
import { propertiesOf } from '../cloudformation/properties';
import type { Resource } from '../service';
import type { BusEvent } from './put-events';
import { busNameIn } from './rule';

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
