import { MOST_PER_MINUTE } from '../../contract/limits';
import { commonOptions } from '../program/common-options';
import { limitFlags, type CommandName } from './command-line';

/** What `npm run operator -- help` prints. */
export const overview = `Shows what a partner or a viewer sees, and acts on it. Prints no secret, API key
or share code.

npm run operator -- <command> <id> [options]
npm run operator -- <command> --help    its options, with an example

  job                       state, timeline, creator, followers
  share                     state, device, viewers, expiry
  device                    state, group, job, stream, followers, shares
  client                    status, scopes, connections, limits, last jobs
  revoke-share              ends a share
  limits                    shows the limits of a client, or gives it its own

${commonOptions}`;

const show = (kind: string, what: string, example: string) => `Shows a ${kind}: ${what}

  --id ID                   the ${kind}; also as a word of its own

  npm run --silent operator -- ${kind} --local \\
    ${example}
`;

const commands: Readonly<Record<CommandName, string>> = {
  job: show('job', 'state, timeline, who made and changed it, followers.', 'job-7k2m9qx4-01jd8x2v4n6q8s0t2w4y6z8b0c'),
  share: show(
    'share',
    'state, device, viewers, expiry, creator. Takes its code or\nits digest, as logs have it, and prints the digest.',
    '3b7c1e0f9d2a4c6e8b1d3f5a7c9e0b2d',
  ),
  device: show('device', 'state, group, job, stream, followers, shares.', 'device-7k2m9qx4-01jd8x2v4n6q8s0t2w4y6z8b0c'),
  client: show(
    'client',
    'status, scopes, number of keys, from when its tokens count,\nconnections, limits, last jobs.',
    '1h57kf5cpq17m0eml12example',
  ),
  'revoke-share': `Ends a share, as its partner could: viewers are told, and disconnected. Asks
before it does.

  --id ID                   its code or digest; also as a word of its own
  --yes                     revokes without asking; needed without a terminal

  npm run --silent operator -- revoke-share --local --yes \\
    3b7c1e0f9d2a4c6e8b1d3f5a7c9e0b2d
`,
  limits: `Shows how often a client may call what in a minute. With an option it gives the
client its own limit, from what every client has to ${MOST_PER_MINUTE}. GET /v3/limits
lists it.

  --id ID                   the client; also as a word of its own
${Object.keys(limitFlags)
  .map((flag) => `  --${flag} COUNT`)
  .join('\n')}
  --default                 the limits of every client again
  --now                     in force at once instead of within five minutes: the
                            authorizer runs once more for each token in use

  npm run --silent operator -- limits --local --jobs-per-minute 300 \\
    1h57kf5cpq17m0eml12example
`,
};

/** What `npm run operator -- <command> --help` prints. */
export const helpFor = (command: CommandName): string => `${commands[command]}\n${commonOptions}`;
