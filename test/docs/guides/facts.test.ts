import { scopeDescriptions } from '../../../contract/terms/scopes';
import { endpointTable } from '../../../contract/endpoint-table';
import {
  channelKinds,
  channels,
  HANDSHAKES_PER_MINUTE,
  MAX_CONNECTIONS,
  MAX_SUBSCRIPTIONS,
} from '../../../contract/channels/status-channels';
import { dispatchedJobReply } from '../../../contract/dispatch/dispatch.schemas';
import { MAX_SAMPLES } from '../../../contract/telemetry/telemetry.actions';
import { shareProtocols } from '../../../contract/shares/viewer-protocol';
import { CONTROLS_PER_MINUTE } from '../../../contract/terms/rates';
import { commandReasons, laterStatuses, commandStatuses, isEnded } from '../../../domain/commands/command-lifecycle';
import { passedOver } from '../../../domain/dispatch/candidate';
import { lifecycle } from '../../../domain/jobs/job-lifecycle';
import { jobRequest } from '../../../domain/jobs/job';
import { shareRequest } from '../../../domain/shares/new-share';
import { deviceState, sample } from '../../../domain/telemetry/sample';
import { readGuide, rowsBelow, type Guide } from '../../guides/read/guide';
import { commandNames } from '../../../domain/commands/command';

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
