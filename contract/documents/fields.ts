import type { Field } from '../terms/field';
import { commandFields } from '../commands/commands.texts';
import { commonFields } from '../terms/common.texts';
import { controlFields } from '../commands/control.texts';
import { errorFields } from '../terms/errors.texts';
import { eventFields } from '../events/events.texts';
import { fleetFields } from '../fleet/fleet.texts';
import { jobFields } from '../jobs/jobs.texts';
import { limitFields } from '../access/limits.texts';
import { missionFields } from '../missions/missions.texts';
import { platformEventFields } from '../platform/platform-events.texts';
import { shareFields } from '../shares/shares.texts';
import { telemetryFields } from '../telemetry/telemetry.texts';
import { tokenFields } from '../access/token.texts';
import { trackFields } from '../telemetry/tracks.texts';

/** Every field of requests, replies, messages and events. A test requires an entry for each field of the documents. */
const entries: readonly (readonly [name: string, Field])[] = [
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
].flatMap((some) => Object.entries(some));

/** Of two entries of one name, one would say what the other means. */
const twice = entries.map(([name]) => name).filter((name, index, names) => names.indexOf(name) !== index);
if (twice.length > 0) throw new Error(`two fields have one name, say <schema>.<field>: ${twice.join(', ')}`);

const fields: ReadonlyMap<string, Field> = new Map(entries);

/**
 * What the documents say of a field.
 * @param owner name of the schema that has the field, if it has a name
 */
export const findField = (name: string, owner?: string): Field | undefined =>
  (owner === undefined ? undefined : fields.get(`${owner}.${name}`)) ?? fields.get(name);

/** The example of a field. @throws Error if it has none */
export function exampleValue(name: string): unknown {
  const [first] = fields.get(name)?.examples ?? [];
  if (first === undefined) throw new Error(`the field ${name} has no example in a .texts.ts of contract/`);
  return first;
}
