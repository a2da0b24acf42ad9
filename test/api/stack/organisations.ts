import { readFileSync, existsSync } from 'node:fs';
import * as z from 'zod';
import { dirname, join } from 'node:path';
import { scopes, scopesInAll, type Scope } from '../../../contract/terms/scopes';
import { partnersShape } from '../../../bin/start/stack-facts';
import { organisationsFile } from './readiness';

const all = scopes;

/**
 * The test organisations, and the scopes of the clients of each. Every test file has organisations of
 * its own, since limits count per client and lists show all of an organisation. A file that needs more than
 * the limit of a client has several clients.
 */
export const cast = {
  stranger: [all, all],
  refusals: [all, all, all, ...scopes.map((scope) => [scope])],
  paths: [all, ['stream:publish']],
  auth: [all, all, ['command:read']],
  throttled: [all],
  'create-job': [all, all, all],
  'dispatch-job': [all],
  'check-job': [all],
  missions: [all],
  'list-jobs': [all, all, all],
  'get-job-track': [all],
  'update-job': [all],
  'job-lifecycle': [all, all, all],
  'platforms-word': [all],
  shares: [all, all, all, all],
  'list-shares': [all, all],
  'list-resources': [all],
  limits: [all, all, all, all],
  'get-limits': [all, all, ['stream:publish']],
  idempotency: [all, all],
  'bad-input': [all],
  'strict-json': [all],
  'document-requests': [all],
  documents: [all, ['command:read'], ['share:read'], all, all, all],
  suspension: [all, all],
  'key-rotation': [all],
  confidentiality: [all, ['command:read']],
  'follow-job': [all],
  resume: [all],
  'list-events': [all, ['command:read'], ['share:read']],
  'waiting-calls': [all],
  'long-polls': [all, all],
  'cut-off': Array.from({ length: 15 }, () => all),
  'follow-device-group': [all],
  'follow-share': [all],
  handshake: [all],
  'socket-messages': [all],
  authenticate: [all, all, all],
  'connection-limit': [all, all, all],
  'mqtt-access': [all, ['command:read']],
  'subscription-limit': [all],
  'topic-audience': [all],
  'change-faults': [all],
  'slow-reader': [all],
  'telemetry-publish': [all],
  'telemetry-faults': [all, ['stream:publish'], ['resources:read']],
  'telemetry-viewers': [all],
  'telemetry-broadcast': [all],
  flight: [all],
  'viewer-limit': [all],
  'telemetry-share-end': [all],
  'telemetry-state': [all],
  'suspended-shares': [all, all],
  'share-control': [all],
  'snapshot-then-changes': [all],
  'revoked-share': [all],
  'documented-messages': [all],
  'documented-errors': [all],
  'share-page': [all],
  'typescript-client': [all, all],
  'docs-site-keyboard': [all],
  'typescript-channels': [all],
  'typescript-cut': [all, all, all],
  'typescript-readme': [all],
  'typescript-browser': [all],
  'platform-fleet': [all],
  'restore-items': [all],
  trace: [all],
  'platform-reports': [all],
  commands: [all, ['command:read', 'resources:read']],
  'command-listeners': [all],
  'command-faults': [all],
  'held-devices': [all, all],
  'platform-report-faults': [all],
  'write-faults': [all, all, all, all, all, all],
  'topic-audience-faults': [all],
  'authenticate-faults': [all, all],
  'token-faults': [all],
  'document-faults': [all],
  'seat-faults': [all, all, all],
  'long-poll-faults': [all],
  'alarm-day': [all, all, all],
  sabotage: [all, all, all, all, all, ['command:read']],
  'whole-story': [all, all, scopesInAll, ['command:read']],
} as const satisfies Record<string, readonly (readonly Scope[])[]>;

export type OrganisationName = keyof typeof cast;

/** Each organisation has two groups; only the first device of each has a video stream. */
const deviceGroups = ['North', 'South'].map((name) => ({
  name,
  description: `Docks in the ${name.toLowerCase()}`,
  devices: [{ name: `${name} 1`, stream: true }, { name: `${name} 2` }],
}));

/** Input of `partner onboard --file` for these test organisations. */
export const onboarding = (names: readonly OrganisationName[]) => ({
  organisations: names.map((name) => ({
    name,
    deviceGroups,
    clients: cast[name].map((held, index) => ({ name: `${name}-${index + 1}`, scopes: held })),
  })),
});

export type Credentials = z.output<typeof partnersShape>['partners'][number];

const onboardedShape = z.object({
  partners: z.array(partnersShape.shape.partners.element.extend({ organisation: z.string() })),
});
const onboarded = () => onboardedShape.parse(JSON.parse(readFileSync(organisationsFile(), 'utf8'))).partners;

/** Credentials of an organisation's clients, in the order of the cast. @throws Error when this run has not onboarded it */
export function clientsOf(name: OrganisationName): Credentials[] {
  const found = onboarded().filter(({ organisation }) => organisation === name);
  if (found.length === 0) throw new Error(`${name} was not onboarded: no test file of this run has it in quotes`);
  return found;
}

/** Ids of the onboarded test organisations. */
export const organisationIds = () => [...new Set(onboarded().map(({ organisationId }) => organisationId))];

const names = Object.keys(cast) as OrganisationName[];
const tests = join(__dirname, '../..');

/**
 * The test organisations that these test files name, or modules that they import: only these are onboarded, since to
 * onboard all takes half a minute.
 * @param files absolute paths
 * @returns one at least, since onboarding also tells the addresses of a remote stack
 */
export function namedOrganisations(files: readonly string[]): readonly OrganisationName[] {
  const texts = new Map<string, string>();
  const read = (file: string): void => {
    if (texts.has(file) || !existsSync(file)) return;
    const text = readFileSync(file, 'utf8');
    texts.set(file, text);
    const imported = Array.from(text.matchAll(/from '(\.{1,2}\/[^']+)'/g), ([, path = '']) =>
      join(dirname(file), path),
    );
    for (const path of imported) if (path.startsWith(tests)) read(`${path}.ts`);
  };
  files.forEach(read);
  texts.delete(join(__dirname, 'organisations.ts'));
  const quoted = new Set([...texts.values()].flatMap((text) => text.match(/(?<=')[a-z-]+(?=')/g) ?? []));
  const named = names.filter((name) => quoted.has(name));
  return named.length > 0 ? named : ['stranger'];
}
