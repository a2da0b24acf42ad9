import * as z from 'zod';

/** Something that cfn-lint says of a template, of what its JSON format has. */
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

/** @throws ZodError when it is not what cfn-lint prints as JSON */
export const parseMatches = (json: string): Match[] => z.array(match).parse(JSON.parse(json));
