import * as z from 'zod/mini';

/** Where in a value members may be left out; none where they may not. */
interface Places {
  readonly members: readonly Member[];
  /** Of the elements of a list. */
  readonly elements?: Places | undefined;
}
interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  readonly within: Places | undefined;
}

/** Looks through what a schema converts or checks before it reads an object. */
function placesIn(schema: z.core.$ZodType): Places | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional') return placesIn(def.innerType);
  if (def.type === 'pipe') return placesIn(def.out);
  if (def.type === 'array') {
    const elements = placesIn(def.element);
    return elements && { members: [], elements };
  }
  if (def.type !== 'object') return undefined;
  const all = Object.entries(def.shape).map(([name, member]): Member => {
    return { name, isOptional: member._zod.optin !== undefined, within: placesIn(member) };
  });
  const members = all.filter(({ isOptional, within }) => isOptional || within);
  return members.length > 0 ? { members } : undefined;
}

/** The value itself, unless there is something to leave out. A spread keeps `__proto__`, which schemas refuse. */
function withoutNulls(value: unknown, { members, elements }: Places): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return elements ? value.map((each) => withoutNulls(each, elements)) : value;
  const given = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined;
  for (const { name, isOptional, within } of members) {
    const member = Object.hasOwn(given, name) ? given[name] : undefined;
    if (member === null && isOptional) Reflect.deleteProperty((copy ??= { ...given }), name);
    const kept = within ? withoutNulls(member, within) : member;
    if (kept !== member) (copy ??= { ...given })[name] = kept;
  }
  return copy ?? value;
}

const made = new WeakSet<z.core.$ZodType>();

/** Whether a schema is one of {@link nullsLeftOut}. */
export const leavesNullsOut = (schema: z.core.$ZodType): boolean => made.has(schema);

/**
 * A schema for what others send, of which many programs write `null` for what they don't know: `null` in an optional
 * member is as if it were left out, also deeper. It stays in members that the schema does not name, and where it is an
 * element of a list. The documents say so in the JSON Schema.
 */
export function nullsLeftOut<Schema extends z.ZodMiniType>(
  schema: Schema,
): z.ZodMiniType<z.output<Schema>, z.input<Schema>> {
  const places = placesIn(schema) ?? { members: [] };
  const read = z.transform((value: z.input<Schema>) => withoutNulls(value, places));
  const taken = z.pipe(read, schema);
  made.add(taken);
  return taken;
}
