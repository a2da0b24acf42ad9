import { readCommand, type CommandTable, commonOptions } from '../program/read-command';
import type { OptionValues } from '../command-line/read-options';
import { scopes } from '../../contract/terms/scopes';

/** No flag takes a secret: the shell's history keeps command lines. */
const options = {
  organisation: { type: 'string' },
  'organisation-id': { type: 'string' },
  client: { type: 'string' },
  scopes: { type: 'string' },
  fleet: { type: 'string' },
  file: { type: 'string' },
  'client-id': { type: 'string' },
  'retire-old': { type: 'boolean' },
  since: { type: 'string' },
  yes: { type: 'boolean' },
  stack: { type: 'string' },
  local: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

type Flag = keyof typeof options;

/** The flags given, by name. */
export type Flags = OptionValues<typeof options>;

/** All commands with their own flags. */
export const commandFlags = {
  onboard: ['organisation', 'organisation-id', 'client', 'scopes', 'fleet', 'file'],
  list: [],
  suspend: ['client-id', 'organisation-id'],
  resume: ['client-id', 'organisation-id'],
  contain: ['client-id', 'since'],
  'rotate-secret': ['client-id', 'retire-old'],
  'rotate-key': ['client-id', 'retire-old'],
  offboard: ['client-id', 'organisation-id', 'yes'],
} as const satisfies Readonly<Record<string, readonly Flag[]>>;

export type CommandName = keyof typeof commandFlags;

const table: CommandTable<typeof options, CommandName> = {
  options,
  flags: commandFlags,
  commonFlags: ['stack', 'local', 'json', 'help'],
  // In a hurry.
  word: { contain: 'client-id' },
};

/** Reads a command and its flags. @throws UsageError as {@link readCommand} does */
export const readCommandLine = (args: readonly string[]) => readCommand(args, table);

/** What `npm run partner -- help` prints. */
export const overview = `Onboards and manages partners, on AWS and on this machine.

npm run partner -- <command> [options]
npm run partner -- <command> --help     its options, with an example

  onboard                   creates a client of a new or registered organisation
  list                      all organisations and their clients
  suspend                   takes access away from a client or an organisation
  resume                    gives it back
  contain                   ends all access of a leaked client, at once
  rotate-secret             adds a second secret; --retire-old deletes the older
  rotate-key                the same for the API key
  offboard                  deletes clients for good

${commonOptions}`;

const commands: Readonly<Record<CommandName, string>> = {
  onboard: `Creates a client: an OAuth client and an API key. Prints its id, its secret and
its key, which are not shown again, with the addresses that it needs. If a step
fails, everything created is deleted again.

  --organisation NAME       a new organisation of that name
  --organisation-id org-…   or a registered one, as \`list\` shows it
  --client NAME             name of the client
  --scopes all|SCOPE,SCOPE  what it may do: all but command:control, or some of
                            ${scopes.slice(0, 3).join(', ')},
                            ${scopes.slice(3, 6).join(', ')},
                            ${scopes.slice(6).join(', ')};
                            all,command:control is everything
  --fleet FILE              adds device groups with their devices to the new or
                            registered organisation, such as
      {"deviceGroups": [{"name": "North quarry", "devices": [
        {"name": "Kestrel 1", "stream": true}, {"name": "Kestrel 2"}]}]}
  --file FILE               instead of all these, several at once, such as
      {"organisations": [{"name": "Acme Survey", "deviceGroups": [],
        "clients": [{"name": "acme", "scopes": "all"}]}]}

docs/operations.md, "Device groups", has the format of both files.

  npm run --silent partner -- onboard --local --organisation 'Acme Survey' \\
    --client acme --scopes all --fleet fleet.json
`,
  list: `Lists all organisations with their clients: ids, names, status, number of API
keys (2 during a rotation) and scopes. The table fits the terminal; in a file it
has every scope.

  npm run --silent partner -- list --local
`,
  suspend: `Takes access away, until \`resume\`: no new tokens from now on; after at most five
minutes issued tokens are refused and connections closed. With the last active
client of an organisation, its share links are refused too.

  --client-id ID            one client
  --organisation-id org-…   or all clients of an organisation

  npm run --silent partner -- suspend --local --organisation-id org-7k2m9qx4
`,
  resume: `Gives suspended clients access again, and viewers the share links of their
organisation.

  --client-id ID            one client
  --organisation-id org-…   or all clients of an organisation

  npm run --silent partner -- resume --local --organisation-id org-7k2m9qx4
`,
  contain: `For a leaked secret or key: ends what it gives access to, in seconds. Suspends
the client and refuses its tokens for good, closes its sockets and MQTT
connections, replaces its secret and key, revokes the shares that it made.
Prints the new secret and key, once, and what the client has created. It stays
suspended until \`resume\`. Can be repeated; exit code 1 if a step failed.
To end REST calls at once, the authorizer forgets all clients: it runs once more
for each token in use.

  --client-id ID            the client; also as a word of its own
  --since TIME              lists what was created since; default: a day ago

  npm run --silent partner -- contain --local --client-id \\
    1h57kf5cpq17m0eml12example --since 2026-11-26T09:30:00Z
`,
  'rotate-secret': rotation('rotate-secret', 'client secret'),
  'rotate-key': rotation('rotate-key', 'API key'),
  offboard: `Deletes clients with their secrets and API keys, for good; with the last client
of an organisation also its shares. The organisation stays, with its device
groups and jobs. Asks before it deletes.

  --client-id ID            one client
  --organisation-id org-…   or all clients of an organisation
  --yes                     deletes without asking; needed without a terminal

  npm run --silent partner -- offboard --local --organisation-id org-7k2m9qx4
`,
};

function rotation(command: CommandName, what: string): string {
  return `Adds a second ${what} and prints it, once. Both are valid until the older
one is deleted with --retire-old; the partner switches in between.

  --client-id ID            the client
  --retire-old              deletes the older of the two

  npm run --silent partner -- ${command} --local \\
    --client-id 1h57kf5cpq17m0eml12example
  npm run --silent partner -- ${command} --local \\
    --client-id 1h57kf5cpq17m0eml12example --retire-old
`;
}

/** What `npm run partner -- <command> --help` prints. */
export const helpFor = (command: CommandName): string => `${commands[command]}\n${commonOptions}`;
