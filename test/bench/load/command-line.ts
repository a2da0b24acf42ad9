import { didYouMean } from '../../../contract/terms/did-you-mean';
import { readOptionsAndWords } from '../../../bin/command-line/read-options';
import { UsageError } from '../../../bin/command-line/errors';

export const scenarios = ['rest', 'wss', 'mqtt'] as const;
export type Scenario = (typeof scenarios)[number];

/** What `npm run load -- --help` prints. */
export const help = `Sends load at a steady rate, whether or not earlier requests were answered, and prints latencies and errors.

npm run load                                  all scenarios, against the stack that \`npm start\` runs here
npm run load -- [scenarios] [options]

Scenarios
  rest   a mix of requests about jobs, devices and shares, by Grafana k6, which is built from the Go module proxy
  wss    changes of jobs that sockets follow
  mqtt   changes of jobs that MQTT clients follow

Options
  --rate N          requests a second of rest (default: 50), changes a second of wss and mqtt (default: 5)
  --duration N      seconds (default: 30); rest begins with 10 more that are not counted
  --connections N   sockets or MQTT clients (default, and at least: one for each job, which takes three changes)
  --max-errors N    percent of requests, connections and messages that may fail (default: 0)
  --credentials F   addresses and clients as printed by \`npm run partner -- onboard … --json\`: another stack
  --help

Without --credentials another stack is named by the environment: BASE_URL, WS_URL, MQTT_URL, CLIENT_ID, CLIENT_SECRET, API_KEY.
A client may create a job a second and has 50 sockets. Here as many are onboarded as that takes; elsewhere the load is
refused when the clients don't suffice. Jobs remain: use an organisation for tests, on this machine \`npm start -- --memory\`.

Exit code 0: no more errors than allowed. 1: more, or there is no stack. 2: invalid command line.
`;

/** The load that was asked for. */
export interface Load {
  readonly scenarios: readonly Scenario[];
  /** A second. */
  readonly rate: number | undefined;
  readonly seconds: number;
  readonly connections: number | undefined;
  /** Share of what may fail, 0 to 1. */
  readonly maxErrors: number;
  readonly credentials: string | undefined;
  readonly help: boolean;
}

/** @throws UsageError that names the wrong option or scenario */
export function readLoad(args: readonly string[]): Load {
  const { values, words } = readOptionsAndWords(args, {
    rate: { type: 'string' },
    duration: { type: 'string' },
    connections: { type: 'string' },
    'max-errors': { type: 'string' },
    credentials: { type: 'string' },
    help: { type: 'boolean' },
  });
  return {
    scenarios: words.length > 0 ? words.map(readScenario) : scenarios,
    rate: count('rate', values.rate),
    seconds: count('duration', values.duration) ?? 30,
    connections: count('connections', values.connections),
    maxErrors: percent('max-errors', values['max-errors'] ?? '0') / 100,
    credentials: values.credentials,
    help: values.help ?? false,
  };
}

function readScenario(word: string): Scenario {
  const found = scenarios.find((scenario) => scenario === word);
  if (found === undefined) throw new UsageError(`no scenario ${word}${didYouMean(word, scenarios)}; see --help`);
  return found;
}

function count(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new UsageError(`--${name} must be a whole number from 1`);
  return Number(value);
}

function percent(name: string, value: string): number {
  if (!/^\d+(\.\d+)?$/.test(value) || Number(value) > 100) throw new UsageError(`--${name} must be a percentage`);
  return Number(value);
}
