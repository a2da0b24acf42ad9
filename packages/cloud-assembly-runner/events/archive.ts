/** AWS::Events::Archive: EventBridge user guide, "Archiving and replaying events". Events are counted, not kept. */
import * as z from 'zod';
import { parseEventPattern, type EventPattern } from './event-pattern';
import { propertiesOf } from '../cloudformation/properties';
import type { Resource } from '../service';
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
  /** Whether it would keep an event. */
  readonly matches: EventPattern;
}

/** Parses an archive. @throws Error for invalid and unsupported properties, by name */
export function readArchive(resource: Resource): Archive {
  const { ArchiveName, EventPattern, SourceArn } = propertiesOf(resource, archiveProperties);
  return {
    name: ArchiveName ?? resource.logicalId,
    busName: busNameIn(SourceArn),
    matches: EventPattern === undefined ? () => true : parseEventPattern(JSON.stringify(EventPattern)),
  };
}
