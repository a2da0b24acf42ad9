import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FakeService, type FollowerSocket } from '../../../clients/typescript/test/fake-service';
import { runCommand } from '../../outsiders/processes';
import { languages, type Command, type LanguageName } from '../languages';
import { clientCases, type ClientCase, type Connection } from './cases';

/** Inside of the project, so that a program finds the client as a package. */
const folderOf = (language: LanguageName) => join(__dirname, '../../../node_modules/.cache/client-cases', language);

/** Lines that a callback has printed. */
const CALLBACK = /^(lost$|gap |command .* )/;

/** Goes through all cases with the client of a language. */
export function passesCases(language: LanguageName): void {
  const folder = folderOf(language);
  let command: Command;

  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const file = languages[language].file('case');
    cpSync(join(__dirname, 'programs', file), join(folder, file));
    await languages[language].prepare?.(folder);
    command = await languages[language].run(folder, 'case');
    // A first build of Go takes minutes on a busy machine.
  }, 600_000);

  test('has a program that stands the strict checks of its language', async () => {
    for (const { program, args, env = {} } of await languages[language].checks(folder))
      expect(await runCommand(program, args, { env })).toMatchObject({ stdout: '' });
  });

  test.each(clientCases.map((each) => [each.title, each] as const))('%s', async (_, each) => {
    const service = await startScriptedService(each);
    try {
      const { baseUrl, wsUrl } = service;
      const env = { ...command.env, BASE_URL: baseUrl, WS_URL: wsUrl, ...each.variables };
      const { stdout } = await runCommand(command.program, [...command.args, each.call], { env, timeoutMs: 60_000 });
      const lines = stdout.trim().split('\n');
      expect({
        told: lines.filter((line) => !CALLBACK.test(line)),
        callbacks: lines.filter((line) => CALLBACK.test(line)),
        requests: service.requests,
      }).toEqual({ told: each.told, callbacks: each.callbacks ?? [], requests: each.requests });
      expect(service.lastedMs).toBeGreaterThanOrEqual(each.waitsMs ?? 0);
    } finally {
      await service.stop();
    }
  });
}

/** A service that does what a case says, and notes what it is asked for. */
interface ScriptedService {
  readonly baseUrl: string;
  readonly wsUrl: string;
  /** In the words of a case's `requests`. */
  readonly requests: readonly string[];
  /** Between the first request and the last one, in ms. */
  readonly lastedMs: number;
  stop(): Promise<void>;
}

/** Starts the service of a case on a free port. */
async function startScriptedService(script: ClientCase): Promise<ScriptedService> {
  const service = await new FakeService().start();
  const requests: string[] = [];
  const times: number[] = [];
  const keys: string[] = [];
  const note = (request: string) => {
    requests.push(request);
    times.push(performance.now());
  };
  service.tokenLifetimesS = script.tokenLifetimesS ?? [];

  const tokenAnswers = [...(script.tokenAnswers ?? [])];
  const issue = service.issueToken;
  service.issueToken = () => tokenAnswers.shift() ?? issue();

  const answers = [...(script.answers ?? [])];
  service.answer = ({ method, path, headers }) => {
    const key = headers['idempotency-key'];
    if (typeof key === 'string' && !keys.includes(key)) keys.push(key);
    const said = key === undefined ? '' : ` key ${'ABC'.charAt(keys.indexOf(String(key)))}`;
    const version = headers['if-match'] === undefined ? '' : ` version ${headers['if-match']}`;
    note(`${method} ${path} ${tokenIn(headers.authorization)}${said}${version}`);
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? 'destroy';
  };

  const connections = [...(script.connections ?? [])];
  service.answersPings = false;
  service.refuse = (path, authorization) => {
    note(`GET ${path} ${tokenIn(authorization)}`);
    const [next] = connections;
    if (!next || !('refused' in next)) return undefined;
    connections.shift();
    return next.refused;
  };
  service.welcome = (follower) => {
    const next = connections.shift();
    if (!next || !('messages' in next)) return;
    if (next.renewal) service.renewal = next.renewal.answer;
    serve(follower, next, note);
  };
  return {
    baseUrl: service.baseUrl,
    wsUrl: service.wsUrl,
    requests,
    get lastedMs() {
      return (times.at(-1) ?? 0) - (times[0] ?? 0);
    },
    stop: () => service.stop(),
  };
}

const tokenIn = (authorization = '') => authorization.replace('Bearer ', '');

/** Brings what a connection brings. It is cut when all of it has left, so that no message is lost in a buffer. */
function serve(
  { socket }: FollowerSocket,
  { messages, stays, renewal }: Extract<Connection, { messages: unknown }>,
  note: (request: string) => void,
): void {
  const send = (message: object, sent?: () => void) => socket.send(JSON.stringify(message), sent);
  // The answer itself is sent before.
  socket.on('message', (data: Buffer) => {
    const { action = '', token } = JSON.parse(data.toString()) as Record<string, string>;
    note(token === undefined ? action : `${action} ${token}`);
    if (action === 'authenticate') for (const message of renewal?.then ?? []) send(message);
  });
  for (const message of messages.slice(0, -1)) send(message);
  const last = messages.at(-1);
  if (last) send(last, () => (stays ? undefined : socket.terminate()));
}
