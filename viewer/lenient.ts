import * as z from 'zod/mini';

// The page's Content-Security-Policy allows no code made at run time.
z.config({ jitless: true });

/** What a value is without the fields that are undefined, so that merging it hides nothing that was known. */
const withoutUndefined = z.transform((value: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)),
);

/** The items of a list that hold. */
const holding = (item: z.ZodMiniType) =>
  z.transform((items: unknown[]) =>
    items.flatMap((one) => {
      const read = item.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );

function relax(schema: unknown): z.ZodMiniType {
  if (schema instanceof z.ZodMiniOptional) return z.catch(z.optional(relax(schema._zod.def.innerType)), undefined);
  if (schema instanceof z.ZodMiniArray) return z.pipe(z.array(z.unknown()), holding(relax(schema._zod.def.element)));
  if (schema instanceof z.ZodMiniObject) {
    const fields = Object.entries(schema.shape).map(([name, field]) => [name, relax(field)] as const);
    return z.pipe(z.object(Object.fromEntries(fields)), withoutUndefined);
  }
  return schema as z.ZodMiniType;
}

/**
 * A schema for what a service of another version sends, or a device that reports nonsense: what does not hold is left out, and
 * the rest counts. An optional field is left out by itself, an item of a list too, and unknown fields. Without a required field
 * its object does not hold.
 */
export const lenient = <Schema extends z.ZodMiniType>(schema: Schema) =>
  relax(schema) as z.ZodMiniType<z.output<Schema>>;
