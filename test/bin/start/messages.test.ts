import { thrownMessages } from '../fixtures/thrown-messages';

/** Folders whose errors end `npm start`, `npm run demo` and `npm run token` with their message. */
const folders = ['bin/start', 'bin/demo', 'bin/command-line', 'bin/client', 'packages/cloud-assembly-runner/stack'];

/** Every message that a person can get from them, and the words that tell what to do. */
const messages: readonly (readonly [message: string, tells: RegExp])[] = [
  ['The stack ended unexpectedly: what it printed last says why.', /what it printed last/],
  ['takes options only, such as --app', /such as --app/],
  ["--api-key is no option, since a secret is kept in the shell's history: see --help", /see --help/],
  ['unknown option --memry; did you mean --memory?', /did you mean --memory/],
  ['--instances must be from 1 to 1000.', /must be from 1 to 1000/],
  ['Port 3000 is in use. Stop the program that listens there, or set PORT.', /Stop the program .* or set PORT/],
  ['A stack that uses /x already runs: http://127.0.0.1:3000. Stop it, or set LOCAL_DIR.', /Stop it, or set LOCAL_DIR/],
  ['Seeding failed:\npartner: there is no space left', /partner: /],
  ['No stack is running here: start one with `npm start` in another terminal.', /start one with `npm start`/],
  ['the stack has no demo partner: stop it and remove .local to start afresh', /remove \.local/],
  ['the demo partner has no drones: stop the stack and remove .local to start afresh', /remove \.local/],
  [
    'no drone is free: each was dispatched in the last minute, or is in the air; wait a minute and try again',
    /wait a minute and try again/,
  ],
  ['the service dispatched device-1, and Kestrel 2 is nearest: see .local/functions.log', /see \.local/],
  ['the page behind the link answers 404: see .local/functions.log', /see \.local/],
  ['the job has failed: GET /v3/jobs/job-1 has its reason', /GET .* has its reason/],
  ['the drone has landed, and was never within 25 m of the alarm: see .local/functions.log', /see \.local/],
  ['PAUSE ended as REFUSED, TOO_LATE: see .local/functions.log', /see \.local/],
  ['waiting for the drone to land took too long: see the log', /see/],
  [
    'The MQTT broker refused the token: it must belong to this client and be valid for at least five more minutes.',
    /must belong to this client and be valid/,
  ],
];

test.each(messages)('the message %j tells what to do', (message, tells) => {
  expect(message).toMatch(tells);
  // It is one that the source has, to the letter.
  expect(patterns.some((pattern) => pattern.test(message))).toBe(true);
});

const patterns = folders.flatMap((folder) => thrownMessages(folder, ['Error', 'UsageError']));

test('every message that the source has is among them', () => {
  const unlisted = patterns.filter((pattern) => !messages.some(([message]) => pattern.test(message)));
  expect(unlisted).toEqual([]);
});
