import { listenersKey, noteListener, readListeners } from '../../../data/channels/listeners';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { LONGEST_CONNECTION_S } from '../../../domain/channels/connection';
import { storeOnEngine } from '../fixtures/engine';
import { store } from '../fixtures/store';

const at = Date.parse('2026-11-27T10:30:00.000Z');
const now = new Date(at);
const seconds = at / 1000;
const assumed = seconds + LONGEST_CONNECTION_S;
const engine = storeOnEngine('connections');
// An instance remembers what it has noted, so each test has an organisation of its own.
let count = 0;
const newOrganisation = () => `listen${String(++count).padStart(2, '0')}`;
const writes = () => store.commandCalls(UpdateCommand).length;

test('an organisation of which nothing is noted counts as connected for as long as a connection lasts', async () => {
  const organisation = newOrganisation();
  const both = { socketsUntil: assumed, topicUntil: assumed };
  await expect(readListeners(organisation, now)).resolves.toEqual(both);
  await expect(readListeners(organisation, new Date(at + 3_600_000))).resolves.toEqual(both);
  expect(writes()).toBe(1);
});

test('of a medium that is noted the end is that, and the other counts as connected', async () => {
  const organisation = newOrganisation();
  await noteListener(organisation, 'topic', seconds + 60);
  await expect(readListeners(organisation, now)).resolves.toEqual({
    socketsUntil: assumed,
    topicUntil: seconds + 1800,
  });
  await expect(readListeners(organisation, now)).resolves.toMatchObject({ socketsUntil: assumed });
});

test('a later end replaces an earlier one, which does not replace it', async () => {
  const organisation = newOrganisation();
  await engine.put('connections', {
    ...listenersKey(organisation),
    socketsUntil: seconds + 7200,
    topicUntil: 0,
  });
  await noteListener(organisation, 'sockets', seconds + 60);
  await noteListener(organisation, 'topic', seconds + 1800);
  await expect(readListeners(organisation, now)).resolves.toEqual({
    socketsUntil: seconds + 7200,
    topicUntil: seconds + 1800,
  });
});

test('who connects within a noted half hour costs no write', async () => {
  const organisation = newOrganisation();
  for (const until of [1, 900, 1800]) await noteListener(organisation, 'sockets', seconds + until);
  expect(writes()).toBe(1);
  await noteListener(organisation, 'sockets', seconds + 1801);
  await noteListener(organisation, 'topic', seconds + 1);
  expect(writes()).toBe(3);
});

test('what could not be noted is noted the next time', async () => {
  const organisation = newOrganisation();
  store.on(UpdateCommand).rejectsOnce(new Error('throttled'));
  await expect(noteListener(organisation, 'topic', seconds + 60)).rejects.toThrow('throttled');
  await noteListener(organisation, 'topic', seconds + 60);
  expect(writes()).toBe(2);
});

test('a note is kept for long after its end, and no longer', async () => {
  const organisation = newOrganisation();
  await noteListener(organisation, 'topic', seconds + 60);
  await expect(engine.all('connections')).resolves.toMatchObject([{ ttl: seconds + 1800 + 90 * 86_400 }]);
});
