import { scopeDescriptions } from '../../contract/terms/scopes';
import { endpointTable } from '../../contract/endpoint-table';
import { channelKinds, channels, MAX_CONNECTIONS, MAX_SUBSCRIPTIONS } from '../../contract/channels/status-channels';
import { CONTROLS_PER_MINUTE, HANDSHAKES_PER_MINUTE } from '../../contract/terms/rates';
import { dispatchedJobReply } from '../../contract/dispatch/dispatch.schemas';
import { MAX_SAMPLES } from '../../contract/telemetry/telemetry.actions';
import { shareProtocols } from '../../contract/shares/viewer-protocol';
import { commandReasons, commandStatuses, isEnded, laterStatuses } from '../../domain/commands/command-lifecycle';
import { passedOver } from '../../domain/dispatch/candidate';
import { lifecycle } from '../../domain/jobs/job-lifecycle';
import { jobRequest } from '../../domain/jobs/job-request';
import { shareRequest } from '../../domain/shares/new-share';
import { sample } from '../../domain/telemetry/reported-sample';
import { deviceState } from '../../domain/telemetry/sample';
import { readGuide, rowsBelow, type Guide } from '../guides/read/guide';
import { commandNames } from '../../domain/commands/command';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { refusals } from '../../contract/refusals';
import { errorMessage } from '../../contract/channels/socket-messages';
import { webSocketActions } from '../../contract/websocket-actions';
import { refusalCodes } from '../../domain/values/refusal';

const root = join(__dirname, '../..');

describe('Facts of the guides', () => {
  const wordsIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
  const firstColumn = (guide: Guide, heading: string) => rowsBelow(guide, heading).flatMap(([cell]) => wordsIn(cell));

  const [jobs, sharing, telemetry, limits, realTime] = ['jobs', 'sharing', 'telemetry', 'limits', 'real-time'].map(
    readGuide,
  ) as [Guide, Guide, Guide, Guide, Guide];

  test('the lifecycle of jobs has exactly the moves of the service', () => {
    const moves = rowsBelow(jobs, 'Lifecycle').map(([from, to]) => [wordsIn(from)[0], wordsIn(to)]);
    expect(moves).toEqual(Object.entries(lifecycle).map(([status, { next }]) => [status, next]));
  });

  test('the fields of a job and of a share are all described', () => {
    expect(firstColumn(jobs, 'Create').sort()).toEqual(Object.keys(jobRequest.shape).sort());
    expect(firstColumn(sharing, 'Create').sort()).toEqual(Object.keys(shareRequest.shape).sort());
  });

  test('the fields of the answer to a dispatch, and the reasons why a device is passed over, are all described', () => {
    const fields = Object.keys(dispatchedJobReply.shape).filter((name) => name !== 'success');
    expect(firstColumn(jobs, 'Dispatch')).toEqual([...fields, ...Object.keys(passedOver)]);
  });

  test('the fields of a sample are all described', () => {
    expect(firstColumn(telemetry, 'Publish').sort()).toEqual(Object.keys(sample.shape).sort());
    expect(Object.keys(deviceState.shape).length).toBeGreaterThan(5);
  });

  test('the scopes are all described', () => {
    expect(firstColumn(readGuide('authentication'), 'Scopes')).toEqual(Object.keys(scopeDescriptions));
  });

  test('the limits of endpoints are those of the service', () => {
    const stated = rowsBelow(limits, 'Requests').map(([key, calls]) => [wordsIn(key)[0], Number(calls)]);
    const limited = Object.entries(endpointTable).flatMap(([key, { perMinute }]) =>
      perMinute === undefined ? [] : [[key, perMinute]],
    );
    expect(Object.fromEntries(stated)).toEqual(Object.fromEntries(limited));
  });

  test.each([
    ['MQTT subscriptions of a client', `${MAX_SUBSCRIPTIONS} over all its connections`],
    ['WebSocket connections of a client', `${MAX_CONNECTIONS}, channels and telemetry together`],
    ['WebSocket handshakes of a client', `${HANDSHAKES_PER_MINUTE} a minute, refused ones too`],
    ['samples in one `publish`', String(MAX_SAMPLES)],
    [
      'commands of viewers',
      `${CONTROLS_PER_MINUTE.share} a minute per share, ${CONTROLS_PER_MINUTE.device} per device`,
    ],
    [
      '`PAUSE`, `RETURN_HOME`, `LAND` of viewers',
      `${CONTROLS_PER_MINUTE.stopsOfViewer} a minute per viewer, ${CONTROLS_PER_MINUTE.stopsOfShare} per share`,
    ],
  ])('the limit of %s is that of the service', (what, limit) => {
    expect(limits.tables.flatMap(({ rows }) => rows).find(([name]) => name === what)?.[1]).toBe(limit);
  });

  test('the channels are those of the service', () => {
    const rows = rowsBelow(realTime, 'Real time').map((row) => row.slice(1).map((cell) => wordsIn(cell)[0]));
    const expected = channelKinds.map((kind) => {
      const { topicSuffix, path, scope, messageType } = channels[kind];
      return [
        expect.stringMatching(new RegExp(`^<\\w+>/${topicSuffix}$`)),
        expect.stringMatching(new RegExp(`^${path.replace('{id}', '<\\w+>')}$`)),
        scope,
        messageType,
      ] as unknown[];
    });
    expect(rows).toEqual(expected);
  });

  test('the outcomes of commands and the subprotocols of share pages are all named', () => {
    const words = [...laterStatuses, ...Object.keys(commandReasons), ...Object.values(shareProtocols)];
    expect(words.filter((word) => !telemetry.text.includes(`\`${word}\``))).toEqual([]);
  });
});

describe('The guide to steering', () => {
  const guide = readGuide('steer');
  const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);

  test('the guide to steering has every command', () => {
    const names = rowsBelow(guide, 'Send it elsewhere, and let it go on').flatMap(([cell]) => namesIn(cell));
    expect(names).toEqual([...commandNames, 'x-…']);
  });

  test('the guide to steering has every status of a command, and says which are final', () => {
    const rows = rowsBelow(guide, 'Pause it').map(([status, , then]) => [namesIn(status)[0], then === 'final']);
    expect(rows).toEqual(commandStatuses.map((status) => [status, isEnded(status)]));
  });
});

describe('The guide to errors', () => {
  const guide = readGuide('errors');
  /** `400 invalid_request` for each row of a table. */
  const listed = (heading: string) =>
    rowsBelow(guide, heading).map(([status = '', error = '']) => `${status} ${error.replaceAll('`', '')}`);

  const endpoints = Object.values(endpointTable);
  const statusAndText = (code: keyof typeof refusals) => `${refusals[code].status} ${refusals[code].text}`;

  test('the REST errors are those of the endpoints', () => {
    const common = ['invalid_request', 'unauthorized', 'forbidden', 'too_many_requests'] as const;
    const own = endpoints.filter(({ scope }) => scope !== null).flatMap((endpoint) => endpoint.refusals);
    const rest = listed('REST API');
    expect([...new Set([...common, ...own].map(statusAndText))].filter((each) => !rest.includes(each))).toEqual([]);
  });

  test('the errors of the token endpoint are those of its row', () => {
    const { refusals: own } = endpointTable['POST /v3/auth/token'];
    const expected = [...own, 'too_many_requests' as const].map(statusAndText);
    expect(listed('Token endpoint').sort()).toEqual([...expected, '500 Internal server error'].sort());
  });

  test('the errors over WebSockets are those of the actions', () => {
    const own = Object.values(webSocketActions).flatMap((action) => [...action.refusals]);
    const codes = new Set([
      ...own,
      'invalid_request',
      'forbidden',
      'unknown_action',
      'internal_error',
      'no_video_stream',
    ]);
    const rows = rowsBelow(guide, 'Messages over WebSockets').map(([code = '', error = '']) =>
      [code, error].map((cell) => cell.replaceAll('`', '')),
    );
    expect(rows.map(([code]) => code).sort()).toEqual([...codes].sort());
    for (const [code = '', error] of rows)
      if (code in refusals) expect([code, error]).toEqual([code, refusals[code as keyof typeof refusals].text]);
    expect(errorMessage.safeParse({ type: 'error', code: 'internal_error', error: 'x' }).success).toBe(true);
  });

  test('every refusal of the service is in the catalogue', () => {
    expect(refusalCodes.filter((code) => !guide.text.includes(`\`${refusals[code].text}\``))).toEqual([]);
  });

  test('every status of a handshake is in the catalogue', () => {
    expect(rowsBelow(guide, 'Handshakes of WebSockets').map(([status]) => status)).toEqual([
      '400',
      '401',
      '403',
      '404',
      '429',
      '500 and above',
    ]);
  });

  /** Literals of the functions that name a fault of the input; what follows a `${` is a value. */
  const faults = [
    /\b(?:invalid|forbidden)\([^,]+, (['"`])(.+?)\1\)/g,
    /\b(?:error|message): (['`])(.+?)\1/g,
    /return (['`])((?:must|is|has|needs|unknown) .+?)\1/g,
  ];
  /** Replies and logs, and faults of events of the platform, which partners don't see. */
  const others = [
    'Job deleted successfully',
    'Mission deleted successfully',
    'Share revoked successfully',
    'Control released successfully',
    'is not an identifier of this service',
    'the service failed',
    'the batch write to the connections table left out items',
  ];
  const sources = [
    'domain',
    'data',
    'lambdas',
    ...readdirSync(join(root, 'contract'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(schemas|actions)\.ts$/.test(name))
      .map((name) => `contract/${name}`),
    'contract/endpoint-table.ts',
    'contract/terms/forbidden.ts',
    'contract/terms/message-id.ts',
    'contract/terms/validation-messages.ts',
  ];

  function* filesIn(path: string): Generator<string> {
    if (path.endsWith('.ts')) yield path;
    else
      for (const entry of readdirSync(path))
        if (entry.endsWith('.ts') || !entry.includes('.')) yield* filesIn(join(path, entry));
  }

  test('every fault that the service names in details is in the catalogue', () => {
    const texts = sources
      .flatMap((source) => [...filesIn(join(root, source))])
      .flatMap((file) =>
        faults.flatMap((fault) => [...readFileSync(file, 'utf8').matchAll(fault)].map(([, , text = '']) => text)),
      );
    const named = [...new Set(texts)].filter((text) => !others.includes(text));
    expect(named.length).toBeGreaterThan(20);
    const cells = ['Messages in `details`', 'Causes of a 403']
      .flatMap((heading) => rowsBelow(guide, heading))
      .flatMap(([, message = '']) => [...message.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));
    // What is wrong with an event of the platform is in its page.
    const platform = readFileSync(join(root, 'docs/platform.md'), 'utf8').replaceAll(/\s+/g, ' ');
    const catalogue = [...cells, ...listed('REST API'), ...listed('Messages over WebSockets'), platform].join('\n');
    const literally = (part: string) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const patternOf = (text: string) =>
      new RegExp(
        text
          .split(/\$\{[^}]*\}/)
          .map(literally)
          .join('.+'),
      );
    expect(named.filter((text) => !patternOf(text.replaceAll(String.raw`\'`, "'")).test(catalogue))).toEqual([]);
  });
});
