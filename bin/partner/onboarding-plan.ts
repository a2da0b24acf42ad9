import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { scopes, scopesInAll } from '../../contract/terms/scopes';
import { text } from '../../domain/values/text';
import { UsageError } from '../command-line/errors';
import type { Flags } from './command-line';
import { organisationTag } from './selected-clients';

const device = z.strictObject({ name: text(1, 256), stream: z.literal(true).optional() });

const deviceGroup = z.strictObject({
  name: text(1, 256),
  description: z._default(text(0, 4096), ''),
  devices: z.array(device).default([]),
});

/** Matches Cognito's pattern for client names, with room for the organisation's prefix. */
const clientName = z
  .string()
  .regex(/^[\w+=,.@-][\w +=,.@-]{0,99}$/, 'must be 1 to 100 of A-Z a-z 0-9 _ + = , . @ - space');

const ALL = 'all';

const clientScopes = z
  .union([z.literal(ALL).transform(() => [ALL]), z.array(z.enum([ALL, ...scopes])).min(1)], {
    error: `must be all or some of ${scopes.join(', ')}`,
  })
  .transform((given) => [...given, ...(given.includes(ALL) ? scopesInAll : [])])
  .transform((given) => scopes.filter((scope) => given.includes(scope)));

const organisation = z
  .strictObject({
    name: z.optional(text(1, 256)),
    organisationId: organisationTag.optional(),
    deviceGroups: z.array(deviceGroup).default([]),
    clients: z.array(z.strictObject({ name: clientName, scopes: clientScopes })).min(1),
  })
  .transform(({ name, organisationId: tag, ...rest }, context) => {
    if (name !== undefined && tag === undefined) return { name, ...rest };
    if (tag !== undefined && name === undefined) return { tag, ...rest };
    context.addIssue('needs either a name, for a new one, or an organisationId, for a registered one');
    return z.NEVER;
  });

const manyOrganisations = z.strictObject({ organisations: z.array(organisation).min(1) });
const fleet = z.strictObject({ deviceGroups: z.array(deviceGroup) });

/** An organisation, new by name or registered by tag, and what to create for it. */
export type PlannedOrganisation = z.output<typeof organisation>;
export type PlannedClient = PlannedOrganisation['clients'][number];
export type PlannedGroup = PlannedOrganisation['deviceGroups'][number];

/**
 * Reads the onboarding plan from the flags and the files that they name, without calling AWS.
 * @throws UsageError that names what is wrong and where
 */
export async function readOnboardingPlan(flags: Flags): Promise<readonly PlannedOrganisation[]> {
  const { file, ...rest } = flags;
  if (file !== undefined) {
    const both = (['organisation', 'organisation-id', 'client', 'scopes', 'fleet'] as const).find((flag) => rest[flag]);
    if (both) throw new UsageError(`--file and --${both} exclude each other`);
    return check(file, manyOrganisations, await readJson(file)).organisations;
  }
  const groups = flags.fleet === undefined ? [] : check(flags.fleet, fleet, await readJson(flags.fleet)).deviceGroups;
  const client = {
    name: check('--client', clientName, expected(flags, 'client')),
    scopes: check('--scopes', clientScopes, listed(expected(flags, 'scopes'))),
  };
  const planned = { deviceGroups: groups, clients: [client] };
  const { organisation: name, 'organisation-id': id } = flags;
  if ((name === undefined) === (id === undefined)) {
    throw new UsageError(
      'onboard needs either --organisation NAME, for a new one, or --organisation-id org-…, for a registered one',
    );
  }
  if (id !== undefined) return [{ tag: check('--organisation-id', organisationTag, id), ...planned }];
  return [{ name: check('--organisation', text(1, 256), name), ...planned }];
}

const listed = (list: string) => list.split(',').map((scope) => scope.trim());

function expected(flags: Flags, flag: 'client' | 'scopes'): string {
  const given = flags[flag];
  if (given === undefined)
    throw new UsageError(`onboard needs --${flag}, or --file for several; --help has an example`);
  return given;
}

function check<T>(where: string, schema: z.core.$ZodType<T>, value: unknown): T {
  const read = z.safeParse(schema, value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new UsageError([where, z.core.toDotPath(issue?.path ?? []), issue?.message].filter(Boolean).join(': '));
}

async function readJson(file: string): Promise<unknown> {
  const content = await readFile(file, 'utf8').catch(() => {
    throw new UsageError(`${file}: can't be read: is the path right?`);
  });
  try {
    return JSON.parse(content);
  } catch {
    throw new UsageError(`${file}: is not JSON: docs/operations.md, "Device groups", has the format`);
  }
}
