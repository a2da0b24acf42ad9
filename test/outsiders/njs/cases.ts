import { viewerRequest, type ViewerRequestEvent } from './event';

export interface Case {
  readonly event: ViewerRequestEvent;
  /** The forwarded request, or the response instead; only these fields are compared. */
  readonly expected: Readonly<Record<string, unknown>>;
}

export interface FunctionCases {
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
export const casesFor = (stage: string): readonly FunctionCases[] => [
  { of: /ChannelPaths/, cases: channelPaths(stage) },
  { of: /^SharePagePaths/, cases: sharePaths },
  { of: /^DocsSitePaths/, cases: docsPaths },
];
