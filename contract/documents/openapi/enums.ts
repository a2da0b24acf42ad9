import { commandStatuses } from '../../../domain/commands/command-lifecycle';
import { actions } from '../../../domain/values/destination';
import { deviceStatuses } from '../../../domain/fleet/device';
import { jobStatuses } from '../../../domain/jobs/job-lifecycle';
import { permissions, shareTypes } from '../../../domain/shares/share';
import type { Field } from '../../terms/field';
import { findField } from '../fields';
import type { JsonSchema } from '../json-schema';
import type { Reference } from './openapi-types';

const enumeration = (values: readonly string[], { description, examples = values.slice(0, 1) }: Field): JsonSchema => ({
  description,
  type: 'string',
  enum: [...values],
  examples: [...examples],
});

/** The description and examples of a field that has such a value. */
function field(name: string, owner?: string): Field {
  const found = findField(name, owner);
  if (!found) throw new Error(`contract/documents/fields.ts has no ${name}`);
  return found;
}

/** Enumerations by name: generated clients have one type for each, however many schemas have it. */
export const enumerations: Readonly<Record<string, JsonSchema>> = {
  ActionOnArrival: enumeration(actions, field('actionOnArrival')),
  CommandStatus: enumeration(commandStatuses, field('status', 'Command')),
  DeviceStatus: enumeration(deviceStatuses, field('status', 'Device')),
  JobStatus: enumeration(jobStatuses, field('status')),
  Permission: enumeration(permissions, {
    description: '`view`: watch. `control`: also send commands to the drone.',
  }),
  ShareType: enumeration(shareTypes, field('shareType')),
};

const namesByValues = new Map(Object.entries(enumerations).map(([name, { enum: values }]) => [String(values), name]));

/** A part of a schema in which each of these enumerations is a reference to its component. */
export function withReferences<Part>(part: Part, refer: (name: string) => Reference): Part;
export function withReferences(part: unknown, refer: (name: string) => Reference): unknown {
  if (Array.isArray(part)) return part.map((one: unknown) => withReferences(one, refer));
  if (typeof part !== 'object' || part === null) return part;
  const name = 'enum' in part ? namesByValues.get(String(part.enum)) : undefined;
  if (name !== undefined) return refer(name);
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, withReferences(value, refer)]));
}
