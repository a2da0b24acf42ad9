import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { countCall } from '../../../data/access/rate-limit';
import { storeOnEngine } from '../fixtures/engine';
import { store } from '../fixtures/store';

const engine = storeOnEngine('requests');
const windowStart = 1795775400;

test('countCall counts the calls of each window, by one command each, until after its end', async () => {
  const subject = 'client-1#GET /v3/jobs';
  const counts = [windowStart, windowStart, windowStart + 1].map((start) => () => countCall(subject, start, 120));
  const counted: number[] = [];
  for (const count of counts) counted.push(await count());
  expect(counted).toEqual([1, 2, 1]);
  expect(store.calls()).toHaveLength(3);
  const item = await engine.get('requests', { id: `calls#${subject}#${windowStart}` });
  expect(item).toMatchObject({ calls: 2 });
  expect(item?.['ttl']).toBeGreaterThanOrEqual(windowStart + 120);
  expect(item?.['ttl']).toBeLessThanOrEqual(windowStart + 86_400);
});

test.each([undefined, {}, { calls: 'many' }, { calls: 1.5 }])(
  'countCall fails for an invalid counter %j, so that no call goes uncounted',
  async (Attributes) => {
    store.on(UpdateCommand).resolves(Attributes ? { Attributes } : {});
    await expect(countCall('client-1', windowStart, 120)).rejects.toMatchObject({ name: '$ZodError' });
  },
);

describe('countCall retried by the SDK after a lost response', () => {
  const counter = () => engine.get('requests', { id: `calls#client-1#${windowStart}` });
  const countSeveral = async (calls: number) => {
    const counted: number[] = [];
    for (let call = 0; call < calls; call += 1) counted.push(await countCall('client-1', windowStart, 3));
    return counted;
  };

  test('counts the call once, also the last one in the limit', async () => {
    const answer = engine.answers('UpdateCommand');
    store.on(UpdateCommand).callsFake((input: object) => answer(input).then(() => answer(input)));
    expect(await countSeveral(4)).toEqual([1, 2, 3, 4]);
    expect(await counter()).toMatchObject({ calls: 3 });
  });

  test('returns more than the limit beyond it, and the counter does not grow', async () => {
    expect(await countSeveral(11)).toEqual([1, 2, 3, ...Array<number>(8).fill(4)]);
    expect((await counter())?.['callIds']).toHaveProperty('size', 3);
  });
});
