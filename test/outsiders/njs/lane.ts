import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Template } from 'cloud-assembly-runner/cloudformation/template';
import { fullStack } from '../artifacts';
import { runCommand } from '../processes';
import { ensureDebianProgram } from '../install';
import type { Lane } from '../lane';

const viewerFunction = z.object({
  FunctionCode: z.string(),
  FunctionConfig: z.object({ Runtime: z.literal('cloudfront-js-2.0') }),
});
/** CloudFront developer guide, "Quotas on CloudFront Functions". */
const MAX_CODE_BYTES = 10 * 1024;

/**
 * njs, the engine that CloudFront's JavaScript runtime is based on. This version is older than runtime 2.0: what it rejects
 * is outside the documented language, or too new to rely on.
 */
export const njs: Lane = {
  title: 'the CloudFront functions, run by njs',
  run: async () => {
    await ensureDebianProgram('njs', 'njs');
    const { template } = await fullStack();
    const tables = casesFor(stageOf(template));
    const functions = Object.entries(template.Resources).filter(([, { Type }]) => Type === 'AWS::CloudFront::Function');
    const findings = tables
      .filter(({ of }) => !functions.some(([logicalId]) => of.test(logicalId)))
      .map(({ of }) => `there is no function ${of.source} in the template`);
    for (const [logicalId, { Properties }] of functions) {
      const { FunctionCode } = viewerFunction.parse(Properties);
      const cases = tables.find(({ of }) => of.test(logicalId))?.cases;
      if (!cases) findings.push(`${logicalId} has no table of cases in test/outsiders/njs/lane.ts`);
      else findings.push(...(await runCases(logicalId, FunctionCode, cases)));
    }
    return findings;
  },
};

/** Name of the WebSocket API's only stage. */
function stageOf({ Resources }: Template): string {
  const stages = Object.values(Resources).filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Stage');
  return z.tuple([z.object({ StageName: z.string() })]).parse(stages.map(({ Properties }) => Properties))[0].StageName;
}

async function runCases(logicalId: string, code: string, cases: readonly Case[]): Promise<string[]> {
  const bytes = Buffer.byteLength(code);
  if (bytes > MAX_CODE_BYTES) return [`${logicalId} has ${bytes} bytes, CloudFront takes ${MAX_CODE_BYTES}`];
  const folder = mkdtempSync(join(tmpdir(), 'outsiders-njs-'));
  const file = join(folder, 'function.js');
  const events = JSON.stringify(cases.map(({ event }) => event));
  // One line each: njs wraps long ones.
  writeFileSync(file, `${code}\n${events}.forEach((event) => console.log(JSON.stringify(handler(event))));\n`);
  try {
    const { exitCode, stdout, stderr } = await runCommand('njs', [file], { exitCodes: [0, 1], timeoutMs: 10_000 });
    if (exitCode !== 0) return [`${logicalId}: ${(stdout + stderr).trim().replaceAll(`${folder}/`, '')}`];
    const results = resultsIn(stdout, cases.length);
    console.log(`  ${logicalId}: ${cases.length} requests, ${bytes} bytes`);
    return cases.flatMap((one, index) => differences(logicalId, one, results[index] ?? {}));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @throws ZodError for another number of results, SyntaxError when one is not JSON */
function resultsIn(stdout: string, count: number) {
  const lines = stdout.trimEnd().split('\n');
  return z
    .array(z.record(z.string(), z.unknown()))
    .length(count)
    .parse(lines.map((line): unknown => JSON.parse(line)));
}

function differences(
  logicalId: string,
  { event, expected }: Case,
  result: Readonly<Record<string, unknown>>,
): string[] {
  return Object.keys(expected)
    .filter((field) => !isDeepStrictEqual(result[field], expected[field]))
    .map((field) => {
      const [is, must] = [result[field], expected[field]].map((value) =>
        value === undefined ? 'nothing' : JSON.stringify(value),
      );
      return `${logicalId}, ${JSON.stringify(event.request.uri)}: ${field} is ${is} instead of ${must}`;
    });
}

/** A viewer request in a CloudFront function's format (CloudFront developer guide, "Event structure"). */
interface ViewerRequest {
  readonly method: string;
  readonly uri: string;
  readonly querystring: Readonly<Record<string, Value>>;
  readonly headers: Readonly<Record<string, Value>>;
  readonly cookies: Readonly<Record<string, Value>>;
}

interface Value {
  readonly value: string;
  readonly multiValue?: readonly { readonly value: string }[];
}

interface ViewerRequestEvent {
  readonly version: '1.0';
  readonly context: object;
  readonly viewer: { readonly ip: string };
  readonly request: ViewerRequest;
}

/** The event of a GET request. */
export function viewerRequest(uri: string, querystring: ViewerRequest['querystring'] = {}): ViewerRequestEvent {
  return {
    version: '1.0',
    context: {
      distributionDomainName: 'd111111abcdef8.cloudfront.net',
      distributionId: 'EDFDVBD6EXAMPLE',
      eventType: 'viewer-request',
      requestId: 'EXAMPLEntjQpEXAMPLE_SG5Z-EXAMPLEPmPfEXAMPLEu3EqEXAMPLE==',
    },
    viewer: { ip: '198.51.100.11' },
    request: {
      method: 'GET',
      uri,
      querystring,
      headers: { host: { value: 'd111111abcdef8.cloudfront.net' } },
      cookies: {},
    },
  };
}

interface Case {
  readonly event: ViewerRequestEvent;
  /** The forwarded request, or the response instead; only these fields are compared. */
  readonly expected: Readonly<Record<string, unknown>>;
}

interface FunctionCases {
  /** Matches the logical id of the one function that they are for. */
  readonly of: RegExp;
  readonly cases: readonly Case[];
}

const on = (uri: string, expected: Case['expected'], querystring?: ViewerRequestEvent['request']['querystring']) => ({
  event: viewerRequest(uri, querystring),
  expected,
});

const NOT_FOUND = { statusCode: 404 };
const JOB = 'job-7k2m9qx4-01jd3m8fz4tq6v0x2y5a7c9e1g';
const TOKEN = { value: 'eyJhbGciOiJSUzI1NiJ9.eyJ4Ijoi_-A.c2ln' };
const TWICE = { value: 'a', multiValue: [{ value: 'a' }, { value: 'b' }] };

/** @param stage of the WebSocket API */
const channelPaths = (stage: string): readonly Case[] => {
  const uri = `/${stage}`;
  const channel = (kind: string, id: string, rest = {}) => ({
    uri,
    querystring: { ...rest, channel: { value: kind }, id: { value: id } },
  });
  return [
    on(`/v3/jobs/${JOB}/status/ws`, channel('job', JOB)),
    on('/v3/devices/group-7k2m9qx4-01/status/ws', channel('group', 'group-7k2m9qx4-01')),
    on('/v3/shares/share-7k2m9qx4-0A/status/ws', channel('share', 'share-7k2m9qx4-0A')),
    on('/v3/jobs/%2e%2e/status/ws', channel('job', '%2e%2e')),
    on(`/v3/jobs/${JOB}/status/ws`, channel('job', JOB, { token: TOKEN, other: TWICE }), {
      token: TOKEN,
      other: TWICE,
    }),
    on(`/v3/jobs/${JOB}/status/ws`, channel('job', JOB), { channel: TWICE, id: TWICE }),
    on('/telemetry', { uri, querystring: { channel: { value: 'telemetry' } } }),
    on('/telemetry', { uri, querystring: { shareCode: TWICE, channel: { value: 'telemetry' } } }, { shareCode: TWICE }),
    on('/', { statusCode: 302, headers: { location: { value: '/docs/' } } }),
    on(uri, NOT_FOUND),
    on('/telemetry/', NOT_FOUND),
    on(`/v3/jobs/${JOB}/status`, NOT_FOUND),
    on(`/v3/jobs/${JOB}/status/ws/`, NOT_FOUND),
    on('/v3/jobs//status/ws', NOT_FOUND),
    on('/v3/jobs/status/ws', NOT_FOUND),
    on('/v3/jobs/a/b/status/ws', NOT_FOUND),
    on('/v3/jobs/a&channel=share/status/ws', NOT_FOUND),
    on('/v3/jobs/a=b/status/ws', NOT_FOUND),
  ];
};

const PAGE = { uri: '/share/index.html', querystring: {} };

const sharePaths: readonly Case[] = [
  on('/share/share-7k2m9qx4-0A', PAGE),
  on('/share/share-7k2m9qx4-0A/', PAGE),
  on('/share/anything_else', PAGE, { other: TWICE }),
  on('/share/assets/main-0A.js', { uri: '/share/assets/main-0A.js', querystring: {} }, { other: TWICE }),
  on('/share', NOT_FOUND),
  on('/share/', NOT_FOUND),
  on('/share/a/b', NOT_FOUND),
  on('/share/a.html', NOT_FOUND),
  on('/', NOT_FOUND),
];

const docsPaths: readonly Case[] = [
  on('/docs', { statusCode: 302, headers: { location: { value: '/docs/' } } }),
  on('/docs/', { uri: '/docs/index.html', querystring: {} }, { other: TWICE }),
  on('/docs/reference/rest', { uri: '/docs/reference/rest.html', querystring: {} }),
  on('/docs/openapi.json', { uri: '/docs/openapi.json', querystring: {} }),
  on('/docs/llms.txt', { uri: '/docs/llms.txt', querystring: {} }),
  on('/docs/assets/app.0A.js', { uri: '/docs/assets/app.0A.js', querystring: {} }, { other: TWICE }),
  on('/docs/reference/', NOT_FOUND),
  on('/docs/constructor', NOT_FOUND),
  on('/docsx', NOT_FOUND),
];

/** The cases of every CloudFront function of the template. */
const casesFor = (stage: string): readonly FunctionCases[] => [
  { of: /ChannelPaths/, cases: channelPaths(stage) },
  { of: /^SharePagePaths/, cases: sharePaths },
  { of: /^DocsSitePaths/, cases: docsPaths },
];
