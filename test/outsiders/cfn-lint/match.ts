import * as z from 'zod';

/** A finding of cfn-lint, with the used fields of its JSON output. */
const match = z.object({
  Filename: z.string(),
  Level: z.string(),
  Location: z.object({
    Path: z
      .array(z.union([z.string(), z.number()]))
      .nullish()
      .transform((path) => path ?? []),
    Start: z.object({ LineNumber: z.number() }),
  }),
  Message: z.string(),
  Rule: z.object({ Id: z.string() }),
});

export type Match = z.output<typeof match>;

/** @throws ZodError unless it is cfn-lint's JSON output */
export const parseMatches = (json: string): Match[] => z.array(match).parse(JSON.parse(json));
