import { extendSubscription, noteWarning, renewConnection } from '../../../data/channels/renewal';
import { storeOnEngine } from '../fixtures/engine';
import { connection } from '../fixtures/sockets';
import { store } from '../fixtures/store';

const now = 1795775400;
const item = connection({ openedAt: now - 60, expiresAt: now + 60 });
const engine = storeOnEngine('connections');
const renew = (more: object = {}) => renewConnection(item, { expiresAt: now + 3600, ...more }, now);
const extend = () => extendSubscription(item, now + 3600);
const warn = () => noteWarning(item);

test.each<[string, object | undefined, () => Promise<unknown>, unknown, object | undefined]>([
  ['moves the end of an open connection', {}, renew, true, { expiresAt: now + 3600 }],
  [
    'sets the scopes of a session with its end',
    { scopes: [] },
    () => renew({ scopes: ['resources:read'] }),
    true,
    { expiresAt: now + 3600, scopes: ['resources:read'] },
  ],
  ['leaves a connection that has just expired', { expiresAt: now }, renew, false, {}],
  ['does not open a closed connection', undefined, renew, false, undefined],
  [
    'moves the end of a subscription, also of one that has expired',
    { expiresAt: now },
    extend,
    undefined,
    { expiresAt: now + 3600 },
  ],
  ['does not bring back a subscription that has ended', undefined, extend, undefined, undefined],
  ['notes the end that the client is warned of', {}, warn, true, { warnedOf: now + 60 }],
  ['notes no warning for a connection that has been renewed', { expiresAt: now + 3600 }, warn, false, {}],
  ['notes no warning for a connection that has been closed', undefined, warn, false, undefined],
])('%s, by one command', async (_, before, call, result, after) => {
  if (before) await engine.put('connections', { ...item, ...before });
  await expect(call()).resolves.toBe(result);
  expect(await engine.all('connections')).toEqual(after ? [{ ...item, ...before, ...after }] : []);
  expect(store.calls()).toHaveLength(1);
});

test.each([
  ['renewConnection', renew],
  ['extendSubscription', extend],
  ['noteWarning', warn],
])('%s fails when DynamoDB does', async (_, write) => {
  store.rejects(new Error('throttled'));
  await expect(write()).rejects.toThrow('throttled');
});
