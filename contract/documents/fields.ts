import type { Field } from './field';
import { commandFields } from './fields/commands';
import { commonFields } from './fields/common';
import { controlFields } from './fields/control';
import { errorFields } from './fields/errors';
import { eventFields } from './fields/events';
import { fleetFields } from './fields/fleet';
import { jobFields } from './fields/jobs';
import { limitFields } from './fields/limits';
import { missionFields } from './fields/missions';
import { platformEventFields } from './fields/platform-events';
import { shareFields } from './fields/shares';
import { telemetryFields } from './fields/telemetry';
import { tokenFields } from './fields/token';
import { trackFields } from './fields/tracks';

/** Every field of requests, replies, messages and events. A test requires an entry for each field of the documents. */
const fields: ReadonlyMap<string, Field> = new Map(
  [
    commonFields,
    errorFields,
    tokenFields,
    jobFields,
    missionFields,
    shareFields,
    fleetFields,
    limitFields,
    eventFields,
    trackFields,
    telemetryFields,
    commandFields,
    controlFields,
    platformEventFields,
  ].flatMap((some) => Object.entries(some)),
);

/**
 * What the documents say of a field.
 * @param owner name of the schema that has the field, if it has a name
 */
export const fieldOf = (name: string, owner?: string): Field | undefined =>
  (owner === undefined ? undefined : fields.get(`${owner}.${name}`)) ?? fields.get(name);

/** The example of a field. @throws Error if it has none */
export function exampleValue(name: string): unknown {
  const [first] = fields.get(name)?.examples ?? [];
  if (first === undefined) throw new Error(`the field ${name} has no example in contract/documents/fields/`);
  return first;
}
