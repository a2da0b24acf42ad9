import { publishPlatformEvent } from '../../../data/platform/platform-bus';
import { cancelExpiry, scheduleExpiry } from '../../../data/shares/share-expiry';
import { handler } from '../../../lambdas/stream/on-share-change';
import { record } from '../../data/fixtures/stream-record';
import { acme, sampleShare } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';

jest.mock('../../../data/platform/platform-bus');
jest.mock('../../../data/shares/share-expiry');

const share = sampleShare();
const item = { ...share, organisation: acme };
const keys = { organisation: acme, shareCode: share.shareCode };
const made = record(keys, undefined, item);
const gone = record(keys, item, undefined);
const see = (...Records: object[]) => handler({ Records });
const told = () => jest.mocked(publishPlatformEvent).mock.calls.map(([type]) => type);
const allFine = { batchItemFailures: [] };

beforeEach(() => {
  for (const mock of [publishPlatformEvent, scheduleExpiry, cancelExpiry])
    jest.mocked<(...given: never[]) => Promise<void>>(mock).mockReset();
});

test('The end of a new share is scheduled, and the drone platform hears of it', async () => {
  expect(await see(made)).toEqual(allFine);
  expect(jest.mocked(scheduleExpiry).mock.calls).toEqual([[share]]);
  expect(told()).toEqual(['share.created']);
});

test('A share that has ended needs no schedule, and the drone platform hears of it', async () => {
  expect(await see(gone)).toEqual(allFine);
  expect(jest.mocked(cancelExpiry).mock.calls).toEqual([[share]]);
  expect(scheduleExpiry).not.toHaveBeenCalled();
  expect(told()).toEqual(['share.ended']);
});

test('A change in between is neither', async () => {
  expect(await see(record(keys, item, { ...item, currentViewers: 1 }))).toEqual(allFine);
  expect([scheduleExpiry, cancelExpiry, publishPlatformEvent].map((each) => jest.mocked(each).mock.calls)).toEqual([
    [],
    [],
    [],
  ]);
});

test.each([
  ['the schedule', scheduleExpiry, () => told(), ['share.created']],
  ['the platform', publishPlatformEvent, () => jest.mocked(scheduleExpiry).mock.calls, [[share]]],
])(
  'What fails for %s does not keep the other from it, and the share comes again',
  async (_, fails, other, expected) => {
    jest.mocked<(...given: never[]) => Promise<void>>(fails).mockRejectedValue(new Error('throttled'));
    expect((await see(made)).batchItemFailures).toHaveLength(1);
    expect(other()).toEqual(expected);
    expect(logLines()).toMatchObject([{ level: 'ERROR', message: 'a share could not be seen to' }]);
    expect(JSON.stringify(logLines())).not.toContain(share.shareCode);
  },
);
