import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** Schemathesis's JSON report, as far as it is used. */
const report = z.object({
  schemathesis_version: z.string(),
  seed: z.int(),
  complete: z.boolean(),
  operations: z.object({ total: z.int(), tested: z.int() }),
  test_cases: z.object({ generated: z.int() }),
  failures: z.array(z.object({ code: z.string(), title: z.string(), count: z.int(), operations: z.array(z.string()) })),
  errors: z.array(z.unknown()),
  warnings: z.object({ missing_auth: z.array(z.unknown()), missing_test_data: z.array(z.unknown()) }),
});

const accepted = z.array(z.object({ reason: z.string(), count: z.int() }));

export type Report = z.output<typeof report>;

export const readReport = (file: string): Report => report.parse(JSON.parse(readFileSync(file, 'utf8')));

/** The counts of accepted failures that `hooks.py` writes. */
export const readAccepted = (file: string) => accepted.parse(JSON.parse(readFileSync(file, 'utf8')));
